/**
 * Merges results of the same reproduction that were made elsewhere: other seeds, methods, environments or machines. They are
 * in folders, or in the reports of folders that are gone.
 */
import { cpSync, existsSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { namesIn } from '../files/index.js';
import { checkOut, openBegun, readReturns } from '../runs/index.js';
import type { Run } from '../runs/index.js';
import { identityOf } from '../training/index.js';
import type { TrainingPlan } from '../training/index.js';
import { VERSION } from '../version.js';
import { differencesOf, differenceText } from './difference.js';
import type { Experiment } from './experiment.js';
import { byIdentity, finishedRunsIn, isRun, unlessDamaged } from './finished.js';
import type { Finished } from './finished.js';
import { runsOf } from './job.js';
import type { PlannedRun } from './job.js';
import { hasMarker, markFolder, readMarker } from './marker.js';
import type { Marker } from './marker.js';
import { chosenBy, versionsOf } from './outcome.js';
import { jobOf, planReproduction } from './plan.js';
import type { Reproduction } from './plan.js';
import { readRecordFile, recordsIn, storedRecords, writeRecords } from './records.js';
import type { RecordsOf, Refuse } from './records.js';

/** What is to be merged, checked and not yet written. */
export interface Merge {
  /** Of all that is there; what is missing of it can be trained. */
  readonly reproduction: Reproduction;
  readonly merged: readonly Merged[];
  /** Runs that are there more than once, and the same each time. */
  readonly duplicates: number;
  /** Trainings that are not finished, which are left out. */
  readonly unfinished: number;
}

interface Merged extends PlannedRun {
  /** The run, wherever it is there, and its record otherwise. */
  readonly finished: Finished;
  /** What it is called in sentences. */
  readonly name: string;
}

export interface MergeOptions {
  /** All that there are, by name. */
  readonly experiments: Readonly<Record<string, Experiment>>;
  /** What a source is called where it was given. */
  readonly name?: string;
}

/** What was given to be merged: a folder or a report. */
interface Source {
  readonly path: string;
  readonly marker: Marker;
  readonly read: (of: RecordsOf, refuse: Refuse) => readonly Finished[];
}

/** Whether a source is a report and not a folder, by its name. */
export function isReport(path: string): boolean {
  return path.endsWith('.json');
}

/**
 * Finds all that is finished in some folders and reports. Throws a RangeError unless they are of one reproduction and do not
 * contradict each other.
 */
export function planMerge(paths: readonly string[], { experiments, name = 'source' }: MergeOptions): Merge {
  const sources = paths.map((path) => sourceAt(path, experiments, name));
  const marker = markerOfAll(sources, name);
  const { budget } = marker;
  const experiment = experiments[marker.experiment];
  const all = new Map<string, Merged>();
  let duplicates = 0;
  for (const { path, read } of sources) {
    const refuse: Refuse = (problem) => {
      throw new RangeError(
        `${name} is "${path}", but must hold ${shown(marker)} as this version has it, and ${problem}.`,
      );
    };
    for (const finished of read({ experiment, budget }, refuse)) {
      const one = isRun(finished)
        ? { ...plannedAs(experiment, budget, finished, refuse), finished, name: finished.folder }
        : { method: finished.method, plan: finished.plan, finished, name: `its record in ${path}` };
      const identity = identityOf(one.plan);
      const known = all.get(identity);
      if (known !== undefined) {
        duplicates++;
        if (!isSameResult(known.finished, finished)) {
          const what = `${one.method.key} on ${one.plan.env} with seed ${one.plan.seed}`;
          refuse(`${one.name} is not the same as ${known.name}, and both are ${what}`);
        }
      }
      if (known === undefined || (isRun(finished) && !isRun(known.finished))) all.set(identity, one);
    }
  }
  const merged = [...all.values()];
  if (merged.length === 0) {
    throw new RangeError(
      `${name} is ${paths.map((path) => `"${path}"`).join(', ')}, but must hold at least one finished run.`,
    );
  }
  const unfinished = paths.flatMap((path) => namesIn(path).map((one) => join(path, one))).filter(isUnfinished);
  return { reproduction: ofAll(experiment, budget, merged), merged, duplicates, unfinished: unfinished.length };
}

/** Writes what is merged into a folder that is new or empty: all of it or, if that fails, nothing. */
export function writeMerge({ reproduction, merged }: Merge, out: string, name = 'out'): void {
  checkOut(out, name);
  const { experiment, budget } = reproduction;
  const marker = { experiment: experiment.name, budget };
  // Beside the folder, also where its path ends in a slash.
  const partial = `${join(dirname(out), basename(out))}.partial`;
  if (existsSync(partial))
    throw new RangeError(`${name} is "${out}", but must be a folder without a ${partial} beside it.`);
  try {
    markFolder(partial, marker);
    for (const { finished, method, plan } of merged) {
      if (!isRun(finished)) continue;
      cpSync(finished.folder, join(partial, `${plan.env}-${method.key}-seed${plan.seed}`), { recursive: true });
    }
    const records = merged.flatMap(({ finished }) => (isRun(finished) ? [] : [finished]));
    if (records.length > 0) writeRecords(partial, marker, records);
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

/** Opens a folder or a report, without reading what is finished in it. */
function sourceAt(path: string, experiments: MergeOptions['experiments'], name: string): Source {
  const refuse = (problem: string): never => {
    const folder = `the folder of one of the tables ${Object.keys(experiments).join(', ')}, as psl reproduce writes it`;
    throw new RangeError(`${name} is "${path}", but must be ${folder}, or a report.json of one${problem}.`);
  };
  const source = isReport(path) ? reportAt(path, refuse) : folderAt(path);
  if (source === undefined || !Object.hasOwn(experiments, source.marker.experiment)) return refuse('');
  const { experiment, budget } = source.marker;
  const isKnown = Object.hasOwn(experiments[experiment].budgets, budget);
  return isKnown ? source : refuse(`, and it holds ${shown(source.marker)}, which this version does not have`);
}

function reportAt(path: string, refuse: Refuse): Source {
  const file = readRecordFile(path, (problem) => refuse(`, and it ${problem}`));
  return { path, marker: file, read: (of, refuseRecord) => recordsIn(file, of, refuseRecord) };
}

function folderAt(path: string): Source | undefined {
  const marker = hasMarker(path) ? readMarker(path) : undefined;
  return (
    marker && {
      path,
      marker,
      read: (of, refuse) => [...byIdentity(finishedRunsIn(path)).values(), ...storedRecords(path, of, refuse)],
    }
  );
}

/** What all sources are of. */
function markerOfAll(sources: readonly Source[], name: string): Marker {
  const [first] = sources;
  const other = sources.find(({ marker }) => shown(marker) !== shown(first.marker));
  if (other === undefined) return first.marker;
  throw new RangeError(
    `${name} is "${other.path}", but must hold ${shown(first.marker)} as "${first.path}" does, and it holds ${shown(other.marker)}.`,
  );
}

/** What a run is of a reproduction. */
function plannedAs(experiment: Experiment, budget: string, run: Run, refuse: Refuse): PlannedRun {
  if (versionsOf(run).psl !== VERSION) refuse(`${run.folder} is of another version of psl`);
  const planned = plannedFor(experiment, budget, run.plan);
  const isSame = ({ plan }: PlannedRun) => identityOf(plan) === identityOf(run.plan);
  return planned.find(isSame) ?? refuse(`${run.folder} ${differenceOf(run.plan, planned)}`);
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
function differenceOf(plan: TrainingPlan, planned: readonly PlannedRun[]): string {
  const differences = planned.map(({ plan: wanted }) => [
    ...differencesOf({ preset: plan.preset }, { preset: wanted.preset }),
    ...differencesOf(plan.envOptions, wanted.envOptions),
    ...differencesOf(plan.config, wanted.config),
  ]);
  differences.sort((a, b) => a.length - b.length);
  return differences.length === 0 ? 'is of no method of it' : differenceText(differences[0][0]);
}

/** How it was trained, in which two of the same training may differ. */
const HOW: readonly string[] = ['run', 'seconds', 'machine', 'device', 'lockstep', 'versions'];

/** Whether two of the same training measured the same, by all that both of them know. */
function isSameResult(a: Finished, b: Finished): boolean {
  const [measured, other] = [a, b].map(measuredIn);
  const isKnown = (value: unknown) => value !== undefined && value !== null;
  return differencesOf(measured, other).every(
    ({ name, is, wanted }) => HOW.includes(name) || !isKnown(is) || !isKnown(wanted),
  );
}

function measuredIn(finished: Finished): Readonly<Record<string, unknown>> {
  if (isRun(finished)) {
    const { envSteps, gradientSteps } = finished.result;
    return { envSteps, gradientSteps, chosenBy: chosenBy(finished).hypervolume, returns: readReturns(finished) };
  }
  const { result } = finished;
  return { ...result, curve: result.curve.map(({ envSteps, hypervolume }) => [envSteps, hypervolume]) };
}

function isUnfinished(folder: string): boolean {
  return unlessDamaged(() => openBegun(folder))?.isFinished === false;
}

/**
 * What the budget trains of the cases and methods that are there, from the first seed on: as many seeds as it has, or as all
 * of them have. Further seeds are counted besides.
 */
function ofAll(experiment: Experiment, budget: string, runs: readonly Merged[]): Reproduction {
  const seedsOf = (env: string, key: string) =>
    new Set(runs.filter(({ plan, method }) => plan.env === env && method.key === key).map(({ plan }) => plan.seed));
  const cases = experiment.cases.filter(({ env }) => runs.some(({ plan }) => plan.env === env));
  const methods = experiment.methods.filter(({ key }) => runs.some(({ method }) => method.key === key));
  const all = cases.flatMap(({ env }) => methods.map(({ key }) => seedsOf(env, key)));
  const firstSeed = Math.min(...runs.map(({ plan }) => plan.seed));
  let seeds = experiment.budgets[budget].seeds;
  while (all.every((there) => there.has(firstSeed + seeds))) seeds++;
  return planReproduction(experiment, {
    ...{ budget, firstSeed, seeds },
    cases: cases.map(({ key }) => key),
    methods: methods.map(({ key }) => key),
  });
}
