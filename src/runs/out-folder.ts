/** Finds the folder for a new run, and checks that it can be written. */
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, reasonOf, whyNotWritable, WriteError } from '../files/index.js';
import { lastSeedOf, variedSettings } from '../training/index.js';
import type { Plan, ReplicaVariant, TrainingPlan } from '../training/index.js';

/** Where runs go that were given no folder. */
const RUNS = 'runs';

/**
 * Throws a RangeError unless a run can be written there.
 * @param out a new folder in `runs` where it is undefined
 * @param name what the folder is called where it was given
 */
export function checkOut(out: string | undefined, name = 'out'): void {
  if (out === undefined) {
    const problem = whyNotWritable(RUNS);
    if (problem === undefined) return;
    throw new RangeError(
      `${name} is missing, but must be a folder that can be written, since ${RUNS} here cannot (${problem}).`,
    );
  }
  const refuse = (allowed: string): never => {
    throw new RangeError(`${name} is "${out}", but must be ${allowed}.`);
  };
  const entries = entriesIn(out, (reason) => refuse(`a folder that is new or empty (${reason})`));
  const isRun = entries.includes('config.json') || entries.some((entry) => REPLICA_FOLDER.test(entry));
  if (entries.length > 0) refuse(`a folder that is new or empty, and it holds ${isRun ? 'a run' : 'other files'}`);
  const problem = whyNotWritable(out);
  if (problem !== undefined) refuse(`a folder that can be written (${problem})`);
}

/** The names in a folder; none where it is not there yet. */
function entriesIn(folder: string, refuse: (reason: string) => never): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? [] : refuse(reasonOf(error));
  }
}

/** Names of the folders of replicas, in which the last number is the seed. */
export const REPLICA_FOLDER = /^(?:[\w.+-]+-)?seed-\d+$/;

/** The folder of a replica inside that of its group. */
export function replicaFolder({ seed }: Plan, variant?: ReplicaVariant): string {
  const settings = Object.entries(variant?.settings ?? {}).map(([name, value]) => `${name}-${value}-`);
  return `${settings.join('')}seed-${seed}`;
}

/** A new folder in `runs`, made at once, so that two trainings that start together do not share it. */
export function freshFolder(plan: TrainingPlan): string {
  const { env, algorithm, preset, seed } = plan;
  const last = lastSeedOf(plan);
  const seeds = last === seed ? `seed${seed}` : `seeds${seed}-${last}`;
  const name = join(RUNS, [env, algorithm.name, preset, ...variedSettings(plan).keys(), seeds].join('-'));
  makeFolder(RUNS);
  for (let number = 1; ; number++) {
    const folder = number === 1 ? name : `${name}-${number}`;
    if (existsSync(folder)) continue;
    try {
      mkdirSync(folder);
      return folder;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw new WriteError(folder, error);
    }
  }
}
