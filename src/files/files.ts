/**
 * Writes files so that a crash leaves the old file or the new one, never a part, and explains in words why a file
 * cannot be written.
 */
import { randomInt, webcrypto } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { jsonText } from './json-text.js';

/** A file could not be written. What it held before, it still holds. */
export class WriteError extends Error {
  override readonly name = 'WriteError';

  constructor(
    readonly path: string,
    override readonly cause: unknown,
  ) {
    super(`${path} could not be written (${reasonOf(cause)}).`);
  }
}

/** Of a file that is not complete yet; the number is that of the process. */
const TEMPORARY = /\.\d+\.tmp$/;

/**
 * Writes a file whole or not at all, also when the machine stops in the middle of it: under another name in the same
 * folder first, which then takes the place of the file. Throws a WriteError.
 */
export function writeAtomic(path: string, content: string | Uint8Array): void {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const file = openSync(temporary, 'w');
    try {
      writeFileSync(file, content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
    syncFolder(dirname(path));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new WriteError(path, error);
  }
}

/** The same while other work goes on. */
export async function writeAtomicAsync(path: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const file = await open(temporary, 'w');
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    syncFolder(dirname(path));
  } catch (error) {
    await rm(temporary, { force: true });
    throw new WriteError(path, error);
  }
}

/**
 * Makes a file that is complete from its first moment on; false where there is one already. Of all processes that try, on
 * all machines that share the folder, one succeeds. Throws a WriteError.
 */
export function createExclusive(path: string, content: string): boolean {
  // By chance, because processes of two machines can have the same number.
  const temporary = `${path}.${randomInt(2 ** 47)}.tmp`;
  try {
    const file = openSync(temporary, 'wx');
    try {
      writeFileSync(file, content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    linkSync(temporary, path);
    syncFolder(dirname(path));
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // NFS says so, too, of a link that it made and whose answer was lost.
    if (code === 'EEXIST') return statSync(temporary, { throwIfNoEntry: false })?.nlink === 2;
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

/** Makes a rename last. Windows cannot open a folder, and needs no such thing. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/**
 * Makes a folder, and those around it that are missing. Throws a WriteError. (Node's own `recursive` tries for ever on a
 * file system that accepts no folder, such as /proc, because that answers that the folder around it does not exist.)
 */
export function makeFolder(path: string): void {
  try {
    makeMissing(path);
  } catch (error) {
    throw new WriteError(path, error);
  }
}

/** @returns the folders that were made, the innermost first */
function makeMissing(path: string): string[] {
  const around = dirname(path);
  const made = around === path || existsSync(around) ? [] : makeMissing(around);
  try {
    mkdirSync(path);
  } catch (error) {
    // It was there, or another process has just made it.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return made;
    throw error;
  }
  return [path, ...made];
}

/** Why nothing can be written into a folder, or it cannot even be made; undefined where it can. Leaves nothing behind. */
export function whyNotWritable(folder: string): string | undefined {
  let made: string[] = [];
  try {
    made = makeMissing(folder);
    const probe = join(folder, `probe.${process.pid}.tmp`);
    writeFileSync(probe, ' ');
    rmSync(probe);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  } finally {
    for (const path of made) rmdirSync(path);
  }
}

/** Removes what processes that were killed in the middle of a write left in a folder. Nobody else may write there. */
export function removeTemporaries(folder: string): void {
  for (const name of namesIn(folder)) if (TEMPORARY.test(name)) rmSync(join(folder, name), { force: true });
}

/** The names in a folder; none where there is no such folder. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

export function writeJson(path: string, value: unknown): void {
  writeAtomic(path, jsonText(value));
}

/** The checksum of a content while other work goes on: in another thread, since it takes long enough for large files to be felt. */
export async function checksumBeside(content: Uint8Array): Promise<string> {
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', content as Uint8Array<ArrayBuffer>)).toString('hex');
}

/** The reason in an error of the file system, such as "no such file or directory". */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  // Such as "ENOENT: no such file or directory, open 'front.csv'".
  return /^[A-Z]+: ([^,]+)/.exec(message)?.[1] ?? message;
}
