/** Where a new run goes. */
import { accessSync, constants, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { reasonOf } from '../files/index.js';
import type { TrainingPlan } from '../training/index.js';

/**
 * Throws a RangeError unless a run can be written there.
 * @param name what the folder is called where it was given
 */
export function checkOut(out: string, name = 'out'): void {
  const refuse = (allowed: string): never => {
    throw new RangeError(`${name} is "${out}", but must be ${allowed}.`);
  };
  let entries: string[];
  try {
    entries = readdirSync(out);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') return refuse(`a folder that is new or empty (${reasonOf(error)})`);
    try {
      accessSync(nearestFolder(out), constants.W_OK);
    } catch (cause) {
      refuse(`a folder that can be made (${reasonOf(cause)})`);
    }
    return;
  }
  const isRun = entries.includes('config.json') || entries.some((name) => name.startsWith('seed-'));
  if (entries.length > 0) refuse(`a folder that is new or empty, and it holds ${isRun ? 'a run' : 'other files'}`);
}

/** The folder itself, or the first of those around it that exists. */
function nearestFolder(path: string): string {
  const around = dirname(path);
  return existsSync(path) || around === path ? path : nearestFolder(around);
}

/** A new folder in `runs`, made at once, so that two trainings that start together do not share it. */
export function freshFolder({ env, algorithm, preset, seed, replicas }: TrainingPlan): string {
  const seeds = replicas === 1 ? `seed${seed}` : `seeds${seed}-${seed + replicas - 1}`;
  const name = join('runs', `${env}-${algorithm.name}-${preset}-${seeds}`);
  mkdirSync(dirname(name), { recursive: true });
  for (let number = 1; ; number++) {
    const folder = number === 1 ? name : `${name}-${number}`;
    if (existsSync(folder)) continue;
    try {
      mkdirSync(folder);
      return folder;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
