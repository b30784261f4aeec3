/** What tests of runs that were interrupted or damaged have in common. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../src/random/index.js';

/** Names of all files below a folder, with slashes, in order. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) =>
      join(parentPath, name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort();
}

/**
 * What a run came to: a checksum of every file, except that of result.json everything counts but its clock and its machine. Two trainings
 * that are the same have the same.
 */
export function contentsOf(run: string): Record<string, unknown> {
  const names = filesBelow(run).filter((name) => name !== 'lock' && !name.startsWith('checkpoint/'));
  return Object.fromEntries(
    names.map((name) => [name, name.endsWith('result.json') ? timeless(join(run, name)) : sha256(join(run, name))]),
  );
}

function sha256(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

function timeless(path: string): object {
  const {
    seconds: _,
    stepsPerSecond: __,
    machine: ___,
    sha256: ____,
    evaluations,
    logged,
    ...rest
  } = JSON.parse(readFileSync(path, 'utf8')) as {
    evaluations: { envSteps: number }[];
    logged: { envSteps: number[] };
  } & Record<string, unknown>;
  return { ...rest, evaluations: evaluations.map(({ envSteps }) => envSteps), logged: logged.envSteps };
}

/** Changes a byte of a file, anywhere in it, into another one. */
export function flipByte(path: string, random: Random): void {
  const bytes = readFileSync(path);
  bytes[random.integer(bytes.length)] ^= 1 + random.integer(255);
  writeFileSync(path, bytes);
}

/** The number of the newest checkpoint of a run; 0 where there is none. */
export function newestCheckpoint(run: string): number {
  let names: string[];
  try {
    names = readdirSync(join(run, 'checkpoint'));
  } catch {
    return 0;
  }
  return Math.max(0, ...names.map((name) => Number(/^generation-(\d+)\.json$/.exec(name)?.[1] ?? 0)));
}
