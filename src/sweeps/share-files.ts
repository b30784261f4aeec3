import { cpSync, linkSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../files/index.js';

/** Files of a process that has a folder for itself. */
const PRIVATE = /^lock$|\.tmp$/;

/**
 * Gives another folder the same files, without copying them where the file system has links. Files of runs are replaced and
 * never changed, so that whatever is written to the one folder later does not reach the other.
 */
export function shareFiles(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to);
  for (const name of namesIn(from)) {
    if (PRIVATE.test(name)) continue;
    const [source, target] = [join(from, name), join(to, name)];
    const kind = lstatSync(source, { throwIfNoEntry: false });
    if (kind?.isDirectory() === true) shareFiles(source, target);
    else if (kind?.isFile() === true) shareFile(source, target);
  }
}

function shareFile(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Its owner may be alive after all, and has replaced it.
    if (code === 'ENOENT') return;
    cpSync(from, to);
  }
}
