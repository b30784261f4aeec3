/**
 * Runs a reproduction: all trainings of a table that are not finished yet, several at a time, so that it can be stopped
 * and continued.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkOut, openBegun, trainApart, trainHere } from '../runs/index.js';
import type { BegunRun, JobProgress } from '../runs/index.js';
import { identityOf, replicaPlan } from '../training/index.js';
import type { TrainingPlan } from '../training/index.js';
import { VERSION } from '../version.js';
import { byIdentity, finishedIn, finishedRunsOf, unlessDamaged } from './finished.js';
import type { AllFinished, Finished } from './finished.js';
import { runsOf } from './job.js';
import type { Job, Method, Outcome } from './job.js';
import { checkMarker, hasMarker, markFolder, refusalOf } from './marker.js';
import type { Marker } from './marker.js';
import { outcomeOf } from './outcome.js';
import { jobOf } from './plan.js';
import type { Reproduction } from './plan.js';
import { storedRecords } from './records.js';

export interface ReproductionEvents {
  /** Asked again and again; true ends the trainings that run, and begins no other. */
  shouldStop?(): boolean;
  /** A training begins; the index is that of the job. */
  started?(index: number): void;
  progress?(index: number, progress: JobProgress): void;
  /** What a training ended with is played for its score: which share of that is done. */
  scoring?(index: number, share: number): void;
  /** A training is finished, now or earlier. */
  finished?(index: number, outcomes: readonly Outcome[]): void;
}

export interface RunReproductionOptions {
  /** New, empty, or that of the same reproduction, which then goes on. */
  readonly out: string;
  /** Trainings at once, each in a process of its own if there are several. 1 by default. */
  readonly jobs?: number;
  readonly events?: ReproductionEvents;
}

/** Ends the scoring of a run in the middle of which somebody wants to stop. */
class Stopped extends Error {}

/**
 * Trains whatever of a reproduction is not there yet; jobs are cut as `cutToMissing` does it.
 * @returns the outcomes of the finished runs in the order of the jobs, then of other seeds; those missing were stopped
 */
export async function runReproduction(
  planned: Reproduction,
  { out, jobs = 1, events = {} }: RunReproductionOptions,
): Promise<Outcome[]> {
  checkReproductionOut(planned, out);
  const reproduction = cutToMissing(planned, out);
  markFolder(out, markerOf(reproduction));

  const outcomes = new Map<number, readonly Outcome[]>();
  const failure: { error?: unknown } = {};
  const shouldStop = () => 'error' in failure || (events.shouldStop?.() ?? false);
  const { final } = planned.experiment.budgets[planned.budget];
  /** Scores the runs of a job, unless that is stopped. */
  const finish = async (index: number, runs: readonly Finished[], isReused: boolean) => {
    const job = runsOf(reproduction.jobs[index]);
    const watchOf = (i: number) => (share: number) => {
      if (shouldStop()) throw new Stopped();
      events.scoring?.(index, (i + share) / runs.length);
    };
    try {
      const finished: Outcome[] = [];
      for (const [i, run] of runs.entries()) {
        finished.push(await outcomeOf(job[i], run, { final, isReused, watch: watchOf(i) }));
      }
      outcomes.set(index, finished);
      events.finished?.(index, finished);
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
    }
  };
  const waiting: number[] = [];
  const there = finishedIn(out, reproduction);
  for (const [index, job] of reproduction.jobs.entries()) {
    const runs = runsOfJobIn(there, job);
    if (runs === undefined) waiting.push(index);
    else await finish(index, runs, true);
  }

  const work = async () => {
    for (let index = waiting.shift(); index !== undefined && !shouldStop(); index = waiting.shift()) {
      const current = index;
      const job = reproduction.jobs[current];
      const folder = foldersOf(job, out).find(canTrainIn)!;
      events.started?.(current);
      const progress = (state: JobProgress) => events.progress?.(current, state);
      await (jobs === 1 ? trainHere : trainApart)(job.plan, folder, { shouldStop, progress });
      const runs = runsOfJobIn(byIdentity(finishedRunsOf(folder)), job);
      if (runs !== undefined) await finish(current, runs, false);
    }
  };
  const workers = Array.from({ length: jobs }, () =>
    work().catch((error: unknown) => {
      failure.error ??= error;
    }),
  );
  await Promise.all(workers);
  if ('error' in failure) throw failure.error;
  const trained = [...outcomes].sort(([a], [b]) => a - b).flatMap(([, ofJob]) => ofJob);
  return [...trained, ...(await additionalOutcomes(reproduction, there))];
}

/**
 * Throws a RangeError unless the reproduction can be written there, or go on there.
 * @param name what the folder is called where it was given
 */
export function checkReproductionOut(reproduction: Reproduction, out: string, name = 'out'): void {
  if (!hasMarker(out)) {
    checkOut(out, name);
    return;
  }
  const refuse = refusalOf(name, out);
  checkMarker(out, markerOf(reproduction), refuse);
  storedRecords(out, reproduction, refuse);
  for (const job of reproduction.jobs.flatMap((all) => [all, ...alone(reproduction, all)])) {
    for (const folder of foldersOf(job, out)) {
      const begun = begunIn(folder);
      if (begun === undefined) continue;
      if (begun.versions.psl !== VERSION) refuse(`${folder} is of another version of psl`);
      if (!isSameTraining(begun.plan, job.plan)) refuse(`${folder} has other settings`);
    }
  }
}

/**
 * The reproduction with jobs that are there or missing as a whole: one of which some runs are there, trained otherwise or
 * elsewhere, is cut into jobs for what is missing and jobs for the rest.
 */
export function cutToMissing(reproduction: Reproduction, out: string): Reproduction {
  const there = finishedIn(out, reproduction);
  const isThere = (job: Job) => runsOfJobIn(there, job) !== undefined;
  const jobs = reproduction.jobs.flatMap((job) => {
    const each = alone(reproduction, job);
    const isBegun = foldersOf(job, out).some((folder) => existsSync(folder) && canTrainIn(folder));
    if (isBegun || each.every(isThere) || !each.some(isThere)) return [job];
    const missing = each.filter((one) => !isThere(one));
    return [...each.filter(isThere), ...together(reproduction, job, missing)];
  });
  return { ...reproduction, jobs };
}

/** Some runs of a job in as few jobs as can be: seeds that follow each other and miss the same methods are one. */
function together(reproduction: Reproduction, { where }: Job, runs: readonly Job[]): Job[] {
  const parts: { seed: number; replicas: number; methods: readonly Method[] }[] = [];
  const keysOf = (methods: readonly Method[]) => methods.map(({ key }) => key).join();
  for (const seed of new Set(runs.map(({ plan }) => plan.seed))) {
    const methods = runs.filter(({ plan }) => plan.seed === seed).flatMap((run) => run.methods);
    const last = parts.at(-1);
    const isNext = last !== undefined && last.seed + last.replicas === seed;
    if (isNext && keysOf(last.methods) === keysOf(methods)) last.replicas++;
    else parts.push({ seed, replicas: 1, methods });
  }
  return parts.map(({ methods, ...seeds }) => jobOf(reproduction, where, methods, seeds));
}

/** A job for each run of one that has several. */
function alone(reproduction: Reproduction, job: Job): Job[] {
  if (job.plan.replicas === 1) return [];
  return runsOf(job).map(({ method, plan: { seed } }) =>
    jobOf(reproduction, job.where, [method], { seed, replicas: 1 }),
  );
}

/** Those that were begun, and the next one, in case that they are damaged: nothing is overwritten. */
function foldersOf({ name }: Job, out: string): string[] {
  const folders: string[] = [];
  for (let attempt = 1; ; attempt++) {
    const folder = join(out, attempt === 1 ? name : `${name}-${attempt}`);
    folders.push(folder);
    if (!existsSync(folder)) return folders;
  }
}

/** What was begun in a folder, if that can be read. */
function begunIn(folder: string): BegunRun | undefined {
  return unlessDamaged(() => openBegun(folder));
}

/** Whether a training can begin in a folder, or go on there. */
function canTrainIn(folder: string): boolean {
  return !existsSync(folder) || begunIn(folder)?.isFinished === false;
}

/**
 * The outcomes of those runs of a reproduction that are finished in a folder, then those of other seeds; a final score that is
 * missing is played.
 */
export async function finishedOutcomes(reproduction: Reproduction, out: string): Promise<Outcome[]> {
  const there = finishedIn(out, reproduction);
  const planned = await outcomesOf(reproduction, reproduction.jobs, there);
  return [...planned, ...(await additionalOutcomes(reproduction, there))];
}

/** Those of seeds that a reproduction does not have, of its methods and cases: what is finished is counted. */
function additionalOutcomes(reproduction: Reproduction, there: AllFinished): Promise<Outcome[]> {
  const { firstSeed, seeds, cases, methods } = reproduction;
  const others = new Set(Array.from(there.values(), ({ plan }) => plan.seed));
  for (let seed = firstSeed; seed < firstSeed + seeds; seed++) others.delete(seed);
  const jobs = [...others].flatMap((seed) =>
    cases.flatMap((where) => methods.map((method) => jobOf(reproduction, where, [method], { seed, replicas: 1 }))),
  );
  return outcomesOf(reproduction, jobs, there);
}

async function outcomesOf(
  { experiment, budget }: Reproduction,
  jobs: readonly Job[],
  there: AllFinished,
): Promise<Outcome[]> {
  const { final } = experiment.budgets[budget];
  const outcomes: Outcome[] = [];
  for (const planned of jobs.flatMap(runsOf)) {
    const finished = there.get(identityOf(planned.plan));
    if (finished !== undefined) outcomes.push(await outcomeOf(planned, finished, { final }));
  }
  return outcomes;
}

/** What is finished of a job, if all of it is there. */
function runsOfJobIn(there: AllFinished, job: Job): Finished[] | undefined {
  const runs = runsOf(job).map(({ plan }) => there.get(identityOf(plan)));
  return runs.every((run) => run !== undefined) ? runs : undefined;
}

function isSameTraining(a: TrainingPlan, b: TrainingPlan): boolean {
  const essence = (plan: TrainingPlan) =>
    Array.from({ length: plan.replicas }, (_, replica) => identityOf(replicaPlan(plan, replica))).join();
  return essence(a) === essence(b);
}

function markerOf({ experiment, budget }: Reproduction): Marker {
  return { experiment: experiment.name, budget };
}
