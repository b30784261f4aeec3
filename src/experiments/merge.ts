/** Merges folders of the same reproduction that were run elsewhere: other seeds, methods, environments or machines. */
import { cpSync, existsSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../files/index.js';
import { checkOut, openBegun, readReturns } from '../runs/index.js';
import type { Run } from '../runs/index.js';
import { identityOf } from '../training/index.js';
import type { TrainingPlan } from '../training/index.js';
import { VERSION } from '../version.js';
import type { Experiment } from './experiment.js';
import { byIdentity, finishedRunsIn, unlessDamaged } from './finished.js';
import { runsOf } from './job.js';
import type { PlannedRun } from './job.js';
import { hasMarker, markFolder, readMarker } from './marker.js';
import type { Marker } from './marker.js';
import { versionsOf } from './outcome.js';
import { jobOf, planReproduction } from './plan.js';
import type { Reproduction } from './plan.js';

/** What is to be merged, checked and not yet written. */
export interface Merge {
  /** Of all that is there; what is missing of it can be trained. */
  readonly reproduction: Reproduction;
  readonly runs: readonly MergedRun[];
  /** Runs that several folders hold, and that are the same in all. */
  readonly duplicates: number;
  /** Trainings that are not finished, which are left out. */
  readonly unfinished: number;
}

interface MergedRun extends PlannedRun {
  readonly run: Run;
  /** The one that was given. */
  readonly folder: string;
}

export interface MergeOptions {
  /** All that there are, by name. */
  readonly experiments: Readonly<Record<string, Experiment>>;
  /** What a folder is called where it was given. */
  readonly name?: string;
}

/** Finds all runs of some folders. Throws a RangeError unless they are of one reproduction and do not contradict each other. */
export function planMerge(folders: readonly string[], { experiments, name = 'folder' }: MergeOptions): Merge {
  const marker = markerOfAll(folders, experiments, name);
  const experiment = experiments[marker.experiment];
  const runs = new Map<string, MergedRun>();
  let duplicates = 0;
  for (const folder of folders) {
    const refuse = (problem: string): never => {
      throw new RangeError(
        `${name} is "${folder}", but must hold ${shown(marker)} as this version has it, and ${problem}.`,
      );
    };
    for (const [identity, run] of byIdentity(finishedRunsIn(folder))) {
      if (versionsOf(run).psl !== VERSION) refuse(`${run.folder} is of another version of psl`);
      const planned = plannedFor(experiment, marker.budget, run.plan);
      const isSame = (one: PlannedRun) => identityOf(one.plan) === identity;
      const own = planned.find(isSame) ?? refuse(`${run.folder} ${differenceOf(run.plan, planned)}`);
      const known = runs.get(identity);
      if (known !== undefined) {
        duplicates++;
        if (!isSameResult(known.run, run)) {
          const { env, seed } = run.plan;
          refuse(
            `${run.folder} is not the same as ${known.run.folder}, and both are ${own.method.key} on ${env} with seed ${seed}`,
          );
        }
      } else runs.set(identity, { ...own, run, folder });
    }
  }
  const merged = [...runs.values()];
  if (merged.length === 0) {
    throw new RangeError(
      `${name} is ${folders.map((folder) => `"${folder}"`).join(', ')}, but must hold at least one finished run.`,
    );
  }
  const unfinished = folders.flatMap((folder) => namesIn(folder).map((one) => join(folder, one))).filter(isUnfinished);
  return {
    reproduction: ofAll(experiment, marker.budget, merged),
    runs: merged,
    duplicates,
    unfinished: unfinished.length,
  };
}

/** Writes the runs of a merge into a folder that is new or empty: all of them or, if that fails, none. */
export function writeMerge({ reproduction, runs }: Merge, out: string, name = 'out'): void {
  checkOut(out, name);
  const { experiment, budget } = reproduction;
  const partial = `${out}.partial`;
  if (existsSync(partial))
    throw new RangeError(`${name} is "${out}", but must be a folder without a ${partial} beside it.`);
  try {
    markFolder(partial, { experiment: experiment.name, budget });
    for (const { run, method, plan } of runs) {
      cpSync(run.folder, join(partial, `${plan.env}-${method.key}-seed${plan.seed}`), { recursive: true });
    }
    if (existsSync(out)) rmdirSync(out);
    renameSync(partial, out);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw error;
  }
}

function shown({ experiment, budget }: Marker): string {
  return `${experiment} with the budget ${budget}`;
}

/** What all folders are of. */
function markerOfAll(folders: readonly string[], experiments: MergeOptions['experiments'], name: string): Marker {
  const markers = folders.map((folder) => {
    const marker = hasMarker(folder) ? readMarker(folder) : undefined;
    if (marker !== undefined && Object.hasOwn(experiments, marker.experiment)) return marker;
    const allowed = `the folder of one of the tables ${Object.keys(experiments).join(', ')}, as psl reproduce writes it`;
    throw new RangeError(`${name} is "${folder}", but must be ${allowed}.`);
  });
  const [first] = markers;
  const other = markers.findIndex((marker) => shown(marker) !== shown(first));
  if (other < 0) return first;
  throw new RangeError(
    `${name} is "${folders[other]}", but must hold ${shown(first)} as "${folders[0]}" does, and it holds ${shown(markers[other])}.`,
  );
}

/** What could have been trained there with the same algorithm and seed. */
function plannedFor(
  experiment: Experiment,
  budget: string,
  { env, algorithm, seed, device }: TrainingPlan,
): PlannedRun[] {
  const where = experiment.cases.find((one) => one.env === env);
  if (where === undefined) return [];
  return experiment.methods
    .filter((method) => method.algorithm === algorithm.name)
    .flatMap((method) => runsOf(jobOf({ experiment, budget, device }, where, [method], { seed, replicas: 1 })));
}

/** What tells a run from the nearest of those that it could be, to complete a sentence. */
function differenceOf({ preset, config, envOptions }: TrainingPlan, planned: readonly PlannedRun[]): string {
  const differences = planned.map(({ plan }) => {
    const all = { preset: [preset, plan.preset], ...pairs(envOptions, plan.envOptions), ...pairs(config, plan.config) };
    return Object.entries(all).filter(([, [a, b]]) => JSON.stringify(a) !== JSON.stringify(b));
  });
  differences.sort((a, b) => a.length - b.length);
  if (differences.length === 0) return 'is of no method of it';
  const [name, [is, wanted]] = differences[0][0];
  return `has ${JSON.stringify(is)} as ${name} instead of ${JSON.stringify(wanted)}`;
}

function pairs(
  a: Readonly<Record<string, unknown>>,
  b: Readonly<Record<string, unknown>>,
): Record<string, [unknown, unknown]> {
  return Object.fromEntries(Object.keys({ ...a, ...b }).map((name) => [name, [a[name], b[name]]]));
}

/** Whether two runs of the same training measured the same; the time that they took does not count. */
function isSameResult(a: Run, b: Run): boolean {
  const essence = (run: Run) => JSON.stringify([readReturns(run), run.result.envSteps, run.result.gradientSteps]);
  return essence(a) === essence(b);
}

function isUnfinished(folder: string): boolean {
  return unlessDamaged(() => openBegun(folder))?.isFinished === false;
}

/** The smallest reproduction that has all runs in it. */
function ofAll(experiment: Experiment, budget: string, runs: readonly MergedRun[]): Reproduction {
  const seeds = runs.map(({ plan }) => plan.seed);
  const firstSeed = Math.min(...seeds);
  return planReproduction(experiment, {
    budget,
    firstSeed,
    seeds: Math.max(...seeds) - firstSeed + 1,
    cases: experiment.cases.filter(({ env }) => runs.some(({ plan }) => plan.env === env)).map(({ key }) => key),
    methods: experiment.methods
      .filter(({ key }) => runs.some(({ method }) => method.key === key))
      .map(({ key }) => key),
  });
}
