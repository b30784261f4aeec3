import { closeSync, linkSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { checksummed, isChecksumIntact, WriteError } from '../files/index.js';

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
  const own: Holder = { pid: process.pid, host: hostname(), began: beginningOf(process.pid) };
  while (!create(path, checksummed(JSON.stringify(own)))) {
    const found = contentOf(path);
    if (found === undefined) continue;
    const holder = holderIn(found);
    if (holder === undefined) {
      throw new LockedError(`its lock cannot be read; remove ${path} if no process is training it`);
    }
    if (isAlive(holder)) {
      const elsewhere = holder.host === hostname() ? '' : `; if that is over, remove ${path}`;
      throw new LockedError(`process ${holder.pid} on ${holder.host} is training it${elsewhere}`);
    }
    removeStale(path, found);
  }
  return () => rmSync(path, { force: true });
}

/** Makes the lock, which is complete from its first moment on; false where there is one already. */
function create(path: string, content: string): boolean {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, content);
    linkSync(temporary, path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    // Some file systems have no links.
    if (code === 'EPERM' || code === 'ENOSYS' || code === 'ENOTSUP') return createWithoutLink(path, content);
    throw new WriteError(path, error);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function createWithoutLink(path: string, content: string): boolean {
  let file: number;
  try {
    file = openSync(path, 'wx');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw new WriteError(path, error);
  }
  writeFileSync(file, content);
  closeSync(file);
  return true;
}

/** Removes a lock that is the one that was found: another process may have taken it over in the meantime. */
function removeStale(path: string, found: string): void {
  const aside = `${path}.stale.${process.pid}.tmp`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  if (contentOf(aside) === found) rmSync(aside, { force: true });
  else renameSync(aside, path);
}

/** Undefined where the lock is gone; empty where it cannot be read. */
function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : '';
  }
}

/** Undefined where it is not what a process wrote. */
function holderIn(content: string): Holder | undefined {
  return isChecksumIntact(content) === true ? (JSON.parse(content) as Holder) : undefined;
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
