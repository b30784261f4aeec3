import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Linux's file system in memory. Programs do not always run from it. */
const MEMORY = '/dev/shm';
const ROOM = 2 ** 30;

/**
 * A new folder for the tests of a file, after which it is removed. Trainings wait until each of their files is on the disk,
 * which a test need not: the folder is in memory where there is room, and on the disk where `on` says so.
 */
export function temporaryFolder(name: string, { on = hasRoom(MEMORY) ? MEMORY : tmpdir() } = {}): string {
  const folder = mkdtempSync(join(on, `psl-${name}-`));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function hasRoom(place: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(place);
    return bavail * bsize >= ROOM;
  } catch {
    return false;
  }
}
