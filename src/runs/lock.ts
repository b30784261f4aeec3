/** The lock of a run folder, which keeps two processes from training the same run. */
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { checksummed, createExclusive, isChecksumIntact } from '../files/index.js';
import { REPLICA_FOLDER } from './out-folder.js';
import { canLookFor, isAlive, thisProcess, type ProcessIdentity } from './process-identity.js';

const FILE = 'lock';

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
  const content = checksummed(JSON.stringify(thisProcess()));
  while (!createExclusive(path, content)) {
    const held = contentOf(path);
    if (held === undefined) continue;
    const other = holderIn(held);
    if (other === undefined) {
      throw new LockedError(`its lock cannot be read; remove ${path} if no process is training it`);
    }
    if (isAlive(other)) throw new LockedError(refusalOf(other, path));
    removeStale(path, held);
  }
  return () => {
    // Whoever removed it by hand, because it seemed to be over, may have the run by now.
    if (contentOf(path) === content) rmSync(path, { force: true });
  };
}

/** Says who trains a run, and what to do where nobody can tell from here whether he still does. */
function refusalOf(other: ProcessIdentity, path: string): string {
  const self = thisProcess();
  const holder = `process ${other.pid} on ${other.host}`;
  if (canLookFor(other, self)) return `${holder} is training it`;
  const where = other.host === self.host ? ', in another container or before this one was started again,' : '';
  return `${holder}${where} is training it; if that is over, remove ${path}`;
}

/** Who trains a run, where a process that is alive does: by the lock of its folder, or of the one around its replicas. */
export function trainingOf(run: string): string | undefined {
  const isReplica = REPLICA_FOLDER.test(basename(run));
  for (const path of [run, ...(isReplica ? [dirname(run)] : [])].map((folder) => join(folder, FILE))) {
    const holder = holderIn(contentOf(path) ?? '');
    if (holder !== undefined && isAlive(holder)) return refusalOf(holder, path);
  }
  return undefined;
}

export function isBeingTrained(run: string): boolean {
  return trainingOf(run) !== undefined;
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
function holderIn(content: string): ProcessIdentity | undefined {
  return isChecksumIntact(content) === true ? (JSON.parse(content) as ProcessIdentity) : undefined;
}
