/** Files that a command writes where its user says, and over others only if it is told to. */
import { existsSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { reasonOf } from '../files/index.js';
import { UsageError } from './errors.js';

/**
 * Refuses what would be overwritten before any work is done for it.
 * @param replacing the flag that allows it
 */
export function mustBeNew(argument: string, path: string, replace: boolean, replacing = '--replace'): void {
  if (!existsSync(path)) return;
  if (statSync(path).isDirectory()) throw new UsageError(argument, path, 'the path of a file, and it is a folder');
  if (replace) return;
  throw new UsageError(argument, path, `a file that is not there yet, unless ${replacing} is given`);
}

export async function writeNew(
  argument: string,
  path: string,
  content: string | Uint8Array,
  replace: boolean,
): Promise<void> {
  await writeFile(path, content, { flag: replace ? 'w' : 'wx' }).catch((error: unknown) => {
    throw new UsageError(argument, path, `a file that can be written (${reasonOf(error)})`);
  });
}
