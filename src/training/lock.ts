import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

const FILE = 'lock';

/** Who trains a run, as the lock of its folder says. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  /** When the process began, as the system counts it; null where it does not tell. A number is used again later. */
  readonly began: string | null;
}

/** A run that another process is training. */
export class LockedError extends RangeError {
  override readonly name = 'LockedError';
}

/**
 * Keeps other processes off a run's folder until the returned function is called. A lock whose process is gone, because
 * it was killed, is taken over.
 */
export function lockRun(folder: string): () => void {
  const path = join(folder, FILE);
  for (;;) {
    try {
      const file = openSync(path, 'wx');
      const holder: Holder = { pid: process.pid, host: hostname(), began: beginningOf(process.pid) };
      writeFileSync(file, JSON.stringify(holder));
      closeSync(file);
      return () => rmSync(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = holderOf(path);
    if (holder !== undefined && isAlive(holder)) {
      throw new LockedError(`process ${holder.pid} on ${holder.host} is training it`);
    }
    rmSync(path, { force: true });
  }
}

/** Undefined where the lock is gone or was never completed. */
function holderOf(path: string): Holder | undefined {
  try {
    const { pid, host, began } = JSON.parse(readFileSync(path, 'utf8')) as Partial<Holder>;
    return Number.isSafeInteger(pid) && typeof host === 'string'
      ? { pid: pid!, host, began: began ?? null }
      : undefined;
  } catch {
    return undefined;
  }
}

function isAlive({ pid, host, began }: Holder): boolean {
  // Of another machine nothing is known; it may share the folder.
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return began === beginningOf(pid);
}

function beginningOf(pid: number): string | null {
  try {
    // The 22nd field, counted after the name, which can hold spaces.
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')[19];
  } catch {
    return null;
  }
}
