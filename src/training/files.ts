import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a file whole or not at all, also when the machine stops in the middle of it: under another name in the same
 * folder first, which then takes the place of the file.
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
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
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
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
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

/** JSON for people: an entry a line, lists of numbers on one. */
export function writeJson(path: string, value: unknown): void {
  const text = JSON.stringify(value, null, 2);
  const compact = text.replace(
    /\[\s+([\d\s,.eE+-]+?)\s+\]/g,
    (_, numbers: string) => `[${numbers.replace(/\s+/g, ' ')}]`,
  );
  writeAtomic(path, `${compact}\n`);
}

/** SHA-256 of a file's bytes, in hexadecimal. */
export function checksum(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The reason in an error of the file system, such as "no such file or directory". */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  // Such as "ENOENT: no such file or directory, open 'front.csv'".
  return /^[A-Z]+: ([^,]+)/.exec(message)?.[1] ?? message;
}
