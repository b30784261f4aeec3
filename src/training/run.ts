import { accessSync, constants, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { envInfo } from '../envs/index.js';
import type { StateValue } from '../envs/index.js';
import { defaultWorkers, Workers } from '../rollout/index.js';
import { CheckpointStore } from './checkpoint.js';
import type { Restored } from './checkpoint.js';
import { evaluationPreferences, returnDiscountOf } from './definition.js';
import type { Evaluated } from './definition.js';
import { Evaluator } from './evaluation.js';
import { reasonOf } from './files.js';
import { lockRun } from './lock.js';
import { hypervolumePicture } from './pictures.js';
import type { TrainingPlan } from './plan.js';
import { protocolOf } from './protocol.js';
import { loadPolicy, RunWriter, unfinishedPlan, writePicture } from './run-directory.js';
import type { Run, RunResult, SavedWriter } from './run-directory.js';
import { ceilingOf } from './score.js';
import { train } from './train.js';
import type { TrainingEvents } from './train.js';

export interface TrainRunOptions {
  /** Must not exist, or be empty; a new folder in `runs` by default. Replicas get a folder each inside it. */
  readonly out?: string;
  readonly events?: TrainingEvents;
  /** Seconds between two checkpoints; a minute by default. */
  readonly checkpointEvery?: number;
}

export interface TrainedRuns {
  readonly folder: string;
  /** One for each replica, each in a folder of its own. */
  readonly runs: readonly RunResult[];
  /** Why a picture is missing, if one is. */
  readonly problem: string | undefined;
}

/** Trains, and writes everything about it into run directories. Nothing is written before the first step. */
export async function trainRun(plan: TrainingPlan, options: TrainRunOptions = {}): Promise<TrainedRuns> {
  const { out } = options;
  if (out !== undefined) checkOut(out);
  let unlock: (() => void) | undefined;
  try {
    return await intoFolder(plan, options, () => {
      const folder = out ?? freshFolder(plan);
      mkdirSync(folder, { recursive: true });
      unlock = lockRun(folder);
      return folder;
    });
  } finally {
    unlock?.();
  }
}

export type ResumeOptions = Omit<TrainRunOptions, 'out'> & {
  /** Hears of checkpoints that are damaged, of which an older one is used. */
  readonly warn?: (warning: string) => void;
};

/** Goes on with a run from its last checkpoint, or from its beginning where there is none. */
export async function resumeRun(folder: string, options: ResumeOptions = {}): Promise<TrainedRuns> {
  const plan = unfinishedPlan(folder);
  const unlock = lockRun(folder);
  try {
    const from = CheckpointStore.existsIn(folder) ? new CheckpointStore(folder).restore() : undefined;
    from?.warnings.forEach((warning) => options.warn?.(warning));
    return await intoFolder(plan, options, () => folder, from);
  } finally {
    unlock();
  }
}

/** What a checkpoint says about a run besides its training. */
interface SavedRun {
  readonly training: StateValue;
  readonly writers: readonly SavedWriter[];
  readonly seconds: number;
}

async function intoFolder(
  plan: TrainingPlan,
  { events = {}, checkpointEvery = 60 }: TrainRunOptions,
  open: () => string,
  from?: Restored,
): Promise<TrainedRuns> {
  const { replicas, seed } = plan;
  const saved = from?.state as unknown as SavedRun | undefined;
  const began = performance.now();
  const seconds = () => (saved?.seconds ?? 0) + (performance.now() - began) / 1000;
  let folder = '';
  let writers: RunWriter[] = [];
  let store: CheckpointStore | undefined;
  let lastCheckpoint = began;

  const trained = await train(
    plan,
    {
      ...events,
      started() {
        folder = open();
        store = from?.store ?? new CheckpointStore(folder);
        writers = Array.from({ length: replicas }, (_, r) => {
          const own = replicas === 1 ? folder : join(folder, `seed-${seed + r}`);
          return new RunWriter(own, { ...plan, replicas: 1, seed: seed + r }, replicas);
        });
        writers.forEach((writer, r) => writer.begin(saved?.writers[r]));
        events.started?.();
      },
      evaluated(evaluated) {
        writers[evaluated.replica].record(evaluated, seconds());
        events.evaluated?.(evaluated);
      },
      checkpointDue: () => performance.now() - lastCheckpoint >= 1000 * checkpointEvery,
      async checkpoint({ state: training, tensors }, replays) {
        lastCheckpoint = performance.now();
        const state = { training, writers: writers.map((writer) => writer.save()), seconds: seconds() };
        await store!.write({ state: state as unknown as StateValue, tensors }, replays);
      },
    },
    from && { ...from, state: saved!.training },
  );
  await store?.flush();

  const { envSteps, gradientSteps, stopped } = trained;
  const outcome = { seconds: seconds(), stopped, envSteps, gradientSteps };
  const runs: RunResult[] = [];
  let problem: string | undefined;
  for (const [replica, writer] of writers.entries()) {
    const finished = await writer.finish(trained.learner, trained.results[replica], outcome);
    runs.push(finished.result);
    problem ??= finished.problem;
  }
  if (replicas > 1) {
    const picture = hypervolumePicture(
      plan,
      writers.map(({ curve }) => curve),
    );
    problem ??= await writePicture(folder, 'hypervolume', picture);
  }
  if (!stopped) store?.remove();
  await trained.learner.dispose();
  return { folder, runs, problem };
}

export interface EvaluateRunOptions {
  /** Instead of the run's. */
  readonly divisions?: number;
  readonly episodes?: number;
  readonly device?: string;
  readonly workers?: number;
  /** Evaluated instead of a grid. */
  readonly preferences?: readonly (readonly number[])[];
}

/** Evaluates a run's model again: without options, as it was at the end of its training. */
export async function evaluateRun(
  run: Run,
  { divisions, episodes, device = run.plan.device, workers: threads, preferences }: EvaluateRunOptions = {},
): Promise<RunResult & Pick<Evaluated, 'returns'>> {
  const { config } = run.plan;
  const plan = {
    ...run.plan,
    device,
    config: {
      ...config,
      evaluationDivisions: divisions ?? config.evaluationDivisions,
      episodes: episodes ?? config.episodes,
    },
  };
  const began = performance.now();
  const learner = await loadPolicy(run, device);
  const played = preferences ?? evaluationPreferences(plan);
  const workers = new Workers(threads ?? defaultWorkers(plan.env, played.length));
  try {
    const evaluator = await Evaluator.open(plan, learner, workers, played);
    const { score, returns } = await evaluator.score(0);
    return {
      run: run.folder,
      ...score,
      ceiling: ceilingOf(envInfo(plan.env), returnDiscountOf(plan)),
      ...run.result,
      seconds: (performance.now() - began) / 1000,
      protocol: protocolOf(plan, run.protocol.lockstep, preferences),
      returns,
    };
  } finally {
    await workers.close();
    await learner.dispose();
  }
}

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
function freshFolder({ env, algorithm, preset, seed, replicas }: TrainingPlan): string {
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
