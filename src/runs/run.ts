import { join } from 'node:path';
import { envInfo } from '../envs/index.js';
import type { StateValue } from '../envs/index.js';
import { makeFolder, removeTemporaries, writeAtomic } from '../files/index.js';
import { ceilingOf, score } from '../fronts/index.js';
import { compiledPolicy, defaultWorkers, inferenceDevice, isPolicySet, Workers } from '../rollout/index.js';
import {
  CheckpointError,
  evaluationPreferences,
  Evaluator,
  isEvaluated,
  playMembers,
  protocolOf,
  returnDiscountOf,
  scoredMembers,
  NonFiniteError,
  train,
  replicaPlan,
} from '../training/index.js';
import type { Evaluated, Trained, TrainingEvents, TrainingPlan } from '../training/index.js';
import { VERSION } from '../version.js';
import { CheckpointStore } from './checkpoint.js';
import type { RestoredCheckpoint } from './checkpoint.js';
import { changedFiles, loadModel, openBegun, RunError } from './directory.js';
import type { Run } from './directory.js';
import { CONFIG, FRONTS } from './file-names.js';
import { lockRun } from './lock.js';
import { checkOut, freshFolder, replicaFolder } from './out-folder.js';
import { hypervolumePicture } from './pictures.js';
import { RunWriter, writePicture } from './writer.js';
import type { RunResult, SavedWriter } from './writer.js';

export interface TrainRunOptions {
  /** Must not exist, or be empty; a new folder in `runs` by default. Replicas get a folder each inside it. */
  readonly out?: string;
  readonly events?: TrainingEvents;
  /** Seconds between two checkpoints; a minute by default. */
  readonly checkpointEvery?: number;
  /** Hears where the run is as soon as it is there: whatever ends the training then, the run can be resumed. */
  readonly opened?: (folder: string) => void;
}

export interface TrainedRuns {
  readonly folder: string;
  /** One for each replica, each in a folder of its own. */
  readonly runs: readonly RunResult[];
  /** Why a picture is missing, if one is. */
  readonly problem: string | undefined;
}

/**
 * Trains, and writes everything about it into run directories. Nothing is written before the first step. Rejects with a
 * StoppedError where it is stopped before there is a policy, and with a NonFiniteError where there is nothing more to learn;
 * that run then ends with its last good checkpoint.
 */
export async function trainRun(plan: TrainingPlan, options: TrainRunOptions = {}): Promise<TrainedRuns> {
  const { out } = options;
  checkOut(out);
  let unlock: (() => void) | undefined;
  try {
    return await intoFolder(plan, options, () => {
      const folder = out ?? freshFolder(plan);
      makeFolder(folder);
      unlock = lockRun(folder);
      return folder;
    });
  } finally {
    unlock?.();
  }
}

export type ResumeOptions = Omit<TrainRunOptions, 'out'> & {
  /** Threads that step environments, which changes nothing but the time; by default as many as pay. */
  readonly workers?: number;
  /** Hears, in whole sentences, of what is damaged and can be done without. */
  readonly warn?: (warning: string) => void;
};

/**
 * The plan of a run that can be resumed. Throws a RunError where it is finished; what it left behind because its process
 * was killed at the very end, is removed.
 */
export function planToResume(folder: string): TrainingPlan {
  const { plan, folders, isFinished } = openBegun(folder);
  if (!isFinished) return plan;
  if (CheckpointStore.isLeftIn(folder)) {
    const unlock = lockRun(folder);
    new CheckpointStore(folder).remove();
    removeAllTemporaries(folder, folders);
    unlock();
  }
  throw new RunError(folder, 'it is finished');
}

/** Goes on with a run from its last checkpoint, or from its beginning where there is none. */
export async function resumeRun(folder: string, options: ResumeOptions = {}): Promise<TrainedRuns> {
  planToResume(folder);
  const unlock = lockRun(folder);
  try {
    // Again, under the lock: another process may just have ended it.
    const { plan, folders, versions, isFinished } = openBegun(folder);
    if (isFinished) throw new RunError(folder, 'it is finished');
    removeAllTemporaries(folder, folders);
    if (versions.psl !== VERSION || versions.node !== process.versions.node) {
      const [then, now] = [versions, { psl: VERSION, node: process.versions.node }].map(
        ({ psl, node }) => `psl ${String(psl)} on Node ${String(node)}`,
      );
      options.warn?.(`this run was begun with ${then}, and goes on with ${now}, which may round differently`);
    }
    const from = CheckpointStore.existsIn(folder) ? new CheckpointStore(folder).restore() : undefined;
    for (const warning of from?.warnings ?? []) options.warn?.(`${warning}; the one before it is used`);
    if (from !== undefined) checkFolders(folders, savedIn(from), options.warn);
    const { workers } = options;
    return await intoFolder({ ...plan, ...(workers !== undefined && { workers }) }, options, () => folder, from);
  } finally {
    unlock();
  }
}

function removeAllTemporaries(folder: string, runs: readonly string[]): void {
  removeTemporaries(folder);
  for (const run of runs) for (const own of [run, join(run, FRONTS)]) removeTemporaries(own);
}

/** What a checkpoint says about a run besides its training. */
interface SavedRun {
  readonly training: StateValue;
  readonly writers: readonly SavedWriter[];
  readonly seconds: number;
}

function savedIn({ state }: RestoredCheckpoint): SavedRun {
  const { training, writers, seconds } = (state ?? {}) as unknown as Partial<SavedRun>;
  const isWriter = (writer: Partial<SavedWriter> | null) => {
    const { evaluations, seconds: times, files } = writer ?? {};
    return Array.isArray(evaluations) && evaluations.every(isEvaluated) && Array.isArray(times) && files !== undefined;
  };
  const isSaved =
    Array.isArray(writers) && writers.every(isWriter) && typeof seconds === 'number' && training !== undefined;
  if (!isSaved) throw new CheckpointError('its checkpoint does not fit it: it is not that of a run');
  return { training, writers, seconds };
}

/** Compares what was written before a checkpoint with what is there. */
function checkFolders(folders: readonly string[], { writers }: SavedRun, warn?: (warning: string) => void): void {
  folders.forEach((folder, r) => {
    const changed = changedFiles({ folder, files: writers.at(r)?.files ?? {} });
    if (changed.includes(CONFIG)) {
      throw new CheckpointError(`${join(folder, CONFIG)} is not the one that its checkpoint was written for`);
    }
    // Metrics are written anew; a front cannot be, but nothing is learned from it.
    for (const name of changed.filter((other) => other.startsWith(FRONTS))) {
      warn?.(`${join(folder, name)} is not what was written`);
    }
  });
}

async function intoFolder(
  plan: TrainingPlan,
  options: TrainRunOptions,
  open: () => string,
  from?: RestoredCheckpoint,
): Promise<TrainedRuns> {
  const recorder = new Recorder(plan, options, open, from);
  try {
    const start = from && { ...from, state: savedIn(from).training };
    const trained = await train(plan, recorder.events, start);
    return await recorder.finish(trained);
  } catch (error) {
    await recorder.endWith(error);
    throw error;
  }
}

/** Writes everything about a training while it goes on. */
class Recorder {
  readonly events: TrainingEvents;
  /** That the whole run has taken, also before it was resumed. */
  private readonly seconds: () => number;
  private readonly began = performance.now();
  private lastCheckpoint = this.began;
  private isStopping = false;
  /** Where the run is, once the training has started. */
  private place:
    { readonly folder: string; readonly store: CheckpointStore; readonly writers: RunWriter[] } | undefined;

  constructor(
    private readonly plan: TrainingPlan,
    { events = {}, checkpointEvery = 60, opened }: TrainRunOptions,
    open: () => string,
    from?: RestoredCheckpoint,
  ) {
    const saved = from && savedIn(from);
    const secondsBefore = saved?.seconds ?? 0;
    this.seconds = () => secondsBefore + (performance.now() - this.began) / 1000;
    this.events = {
      ...events,
      started: () => {
        const folder = open();
        const store = from?.store ?? new CheckpointStore(folder);
        this.place = { folder, store, writers: this.writersIn(folder, saved?.writers) };
        opened?.(folder);
        events.started?.();
      },
      shouldStop: () => (this.isStopping ||= events.shouldStop?.() ?? false),
      evaluated: (evaluated) => {
        this.place!.writers[evaluated.replica].record(evaluated, this.seconds());
        events.evaluated?.(evaluated);
      },
      checkpointDue: () => performance.now() - this.lastCheckpoint >= 1000 * checkpointEvery,
      checkpoint: async ({ state: training, tensors }, replays) => {
        const { store, writers } = this.place!;
        this.lastCheckpoint = performance.now();
        const state = { training, writers: writers.map((writer) => writer.save()), seconds: this.seconds() };
        await store.write({ state: state as unknown as StateValue, tensors }, replays);
        // Whoever asks a second time, in the middle of the last evaluation, loses nothing.
        if (this.isStopping) await store.flush();
      },
    };
  }

  private writersIn(folder: string, saved: readonly SavedWriter[] = []): RunWriter[] {
    const { plan } = this;
    return Array.from({ length: plan.replicas }, (_, r) => {
      const alone = replicaPlan(plan, r);
      const own = plan.replicas === 1 ? folder : join(folder, replicaFolder(alone, plan.variants?.[r]));
      const writer = new RunWriter(own, alone, plan.replicas, plan.variants && { replica: r, variants: plan.variants });
      writer.begin(saved.at(r));
      return writer;
    });
  }

  /** Writes what a training came to. Every result.json comes after everything else: a run that has them all is whole. */
  async finish({ learner, sets = [], results, envSteps, gradientSteps, stopped }: Trained): Promise<TrainedRuns> {
    const { folder, store, writers } = this.place!;
    const { plan } = this;
    await store.flush();
    const outcome = { seconds: this.seconds(), stopped, envSteps, gradientSteps };
    let problem: string | undefined;
    if (plan.replicas > 1) {
      const curves = writers.map((writer, r) => writer.curve(results[r]));
      const put = (name: string, content: string | Uint8Array) => writeAtomic(join(folder, name), content);
      problem = await writePicture('hypervolume', hypervolumePicture(plan, curves), put);
    }
    const runs: RunResult[] = [];
    for (const [replica, writer] of writers.entries()) {
      const finished = await writer.finish({ learner, set: sets.at(replica) }, results[replica], outcome);
      runs.push(finished.result);
      problem ??= finished.problem;
    }
    if (!stopped) store.remove();
    await learner.dispose();
    return { folder, runs, problem };
  }

  /** Leaves the folder of a training that failed in order. */
  async endWith(error: unknown): Promise<void> {
    if (this.place === undefined) return;
    const { folder, store } = this.place;
    // What could not be written is told of already, or of less weight than the error.
    await store.flush().catch(() => undefined);
    if (error instanceof NonFiniteError && CheckpointStore.existsIn(folder)) await this.finishFromCheckpoint(folder);
  }

  /** Ends a run with the policy set of its last checkpoint, as if it had been stopped there. */
  private async finishFromCheckpoint(folder: string): Promise<void> {
    try {
      const store = new CheckpointStore(folder);
      const from = store.restore();
      const { training, writers } = savedIn(from);
      const start = { ...from, state: training };
      const trained = await train(this.plan, { shouldStop: () => true }, start);
      this.place = { folder, store, writers: this.writersIn(folder, writers) };
      await this.finish({ ...trained, stopped: true });
    } catch {
      // Not finite at once again, or not even begun: the checkpoint stays as it is.
    }
  }
}

export interface EvaluateRunOptions {
  /** Instead of the run's. */
  readonly divisions?: number;
  readonly episodes?: number;
  /** By default the run's, and the CPU where that is not here. */
  readonly device?: string;
  readonly workers?: number;
  /** Evaluated instead of a grid. */
  readonly preferences?: readonly (readonly number[])[];
}

/** Evaluates a run's model again: without options, as it was at the end of its training. */
export async function evaluateRun(
  run: Run,
  { divisions, episodes, device, workers: threads, preferences }: EvaluateRunOptions = {},
): Promise<RunResult & Pick<Evaluated, 'returns'>> {
  const { config } = run.plan;
  const plan = {
    ...run.plan,
    config: {
      ...config,
      evaluationDivisions: divisions ?? config.evaluationDivisions,
      episodes: episodes ?? config.episodes,
    },
  };
  const began = performance.now();
  const policy = await compiledPolicy(loadModel(run), device ?? (await inferenceDevice(plan.device)));
  const played = preferences ?? evaluationPreferences(plan);
  const workers = new Workers(threads ?? defaultWorkers(plan.env, played.length));
  try {
    const play = async () => {
      const evaluator = await Evaluator.open(plan, policy, workers, played);
      const { returns } = await evaluator.play(0, plan.config.episodes);
      return { score: score(envInfo(plan.env), returnDiscountOf(plan), played, returns, played), returns };
    };
    const { score: scored, returns } =
      isPolicySet(policy) && preferences === undefined
        ? scoredMembers(plan, (await playMembers(plan, policy, workers)).returns)
        : await play();
    return {
      run: run.folder,
      ...scored,
      ceiling: ceilingOf(envInfo(plan.env), returnDiscountOf(plan)),
      ...run.result,
      seconds: (performance.now() - began) / 1000,
      protocol: protocolOf(plan, run.protocol.lockstep, preferences),
      returns,
    };
  } finally {
    await workers.close();
    await policy.dispose();
  }
}
