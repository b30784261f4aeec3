/** The lock of a run folder, which keeps two processes from training the same run. */
import { closeSync, linkSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { checksummed, isChecksumIntact, WriteError } from '../files/index.js';
import { REPLICA_FOLDER } from './out-folder.js';

const FILE = 'lock';

/** The process that holds a lock. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  /** When the process began, since process ids are reused; null where the system does not tell. */
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
  const holder: Holder = { pid: process.pid, host: hostname(), began: beginningOf(process.pid) };
  while (!create(path, checksummed(JSON.stringify(holder)))) {
    const content = contentOf(path);
    if (content === undefined) continue;
    const other = holderIn(content);
    if (other === undefined) {
      throw new LockedError(`its lock cannot be read; remove ${path} if no process is training it`);
    }
    if (isAlive(other)) {
      const elsewhere = other.host === hostname() ? '' : `; if that is over, remove ${path}`;
      throw new LockedError(`process ${other.pid} on ${other.host} is training it${elsewhere}`);
    }
    removeStale(path, content);
  }
  return () => rmSync(path, { force: true });
}

/** Whether a process that is alive is training a run: by the lock of its folder, or of the one around its replicas. */
export function isBeingTrained(run: string): boolean {
  const isReplica = REPLICA_FOLDER.test(basename(run));
  return [run, ...(isReplica ? [dirname(run)] : [])].some((folder) => {
    const holder = holderIn(contentOf(join(folder, FILE)) ?? '');
    return holder !== undefined && isAlive(holder);
  });
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

/** Removes a lock with this content; another process may have replaced it in the meantime. */
function removeStale(path: string, content: string): void {
  const aside = `${path}.stale.${process.pid}.tmp`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  if (contentOf(aside) === content) rmSync(aside, { force: true });
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

/** Undefined where the lock is damaged. */
function holderIn(content: string): Holder | undefined {
  return isChecksumIntact(content) === true ? (JSON.parse(content) as Holder) : undefined;
}

function isAlive({ pid, host, began }: Holder): boolean {
  // Processes of another machine, which may share the folder, cannot be checked.
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
