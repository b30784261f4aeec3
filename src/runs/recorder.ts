/**
 * Writes a run to disk while it trains. The recorder listens to the events of a training and passes evaluations on to the
 * writer of each replica, checkpoints to the store, and at the end the model and the result to their files.
 */
import { join } from 'node:path';
import type { StateValue } from '../envs/index.js';
import { writeAtomic } from '../files/index.js';
import { CheckpointError, isEvaluated, NonFiniteError, replicaPlan, train } from '../training/index.js';
import type { Trained, TrainingEvents, TrainingPlan } from '../training/index.js';
import { CheckpointStore } from './checkpoint.js';
import type { RestoredCheckpoint } from './checkpoint.js';
import { thisMachine } from './machine.js';
import { replicaFolder } from './out-folder.js';
import { hypervolumePicture } from './pictures.js';
import { RunWriter, writePicture } from './writer.js';
import type { RunResult, SavedWriter } from './run-files.js';

export interface RecorderOptions {
  readonly events?: TrainingEvents;
  /** Seconds between two checkpoints; a minute by default. */
  readonly checkpointEvery?: number;
  /** Is given the folder of the run as soon as it exists: from then on the run can be resumed, whatever ends it. */
  readonly opened?: (folder: string) => void;
  /**
   * Keeps all that was learned beside the policy, so that another training can begin with the run; so it is by default. It
   * takes about three times the room of the policy.
   */
  readonly keepLearner?: boolean;
  /**
   * Policy sets of evaluations that are kept beside the last, for those who want to see how it came about: this many at most,
   * spread over the run, in half precision. None by default; a run that goes on keeps as many as before.
   */
  readonly snapshots?: number;
  /** Stops the training as `shouldStop` does: it saves what it has, and can be resumed. */
  readonly signal?: AbortSignal;
}

export interface TrainedRuns {
  readonly folder: string;
  /** One for each replica, each in a folder of its own. */
  readonly runs: readonly RunResult[];
  /** Why a picture is missing, if one is. */
  readonly problem: string | undefined;
}

/** What a checkpoint of a run holds: the state of its training, and what was written until then. */
export interface SavedRun {
  readonly training: StateValue;
  readonly writers: readonly SavedWriter[];
  readonly seconds: number;
  /** How many the training has taken of its own; absent in checkpoints of earlier versions. */
  readonly envSteps?: number;
  /** How many policy sets of evaluations are kept; absent in checkpoints of earlier versions. */
  readonly snapshots?: number;
}

export function savedIn({ state }: RestoredCheckpoint): SavedRun {
  const { training, writers, seconds, snapshots = 0 } = (state ?? {}) as unknown as Partial<SavedRun>;
  const isWriter = (writer: Partial<SavedWriter> | null) => {
    const { evaluations, seconds: times, files } = writer ?? {};
    return Array.isArray(evaluations) && evaluations.every(isEvaluated) && Array.isArray(times) && files !== undefined;
  };
  const isSaved =
    Array.isArray(writers) &&
    writers.every(isWriter) &&
    typeof seconds === 'number' &&
    Number.isSafeInteger(snapshots) &&
    training !== undefined;
  if (!isSaved) throw new CheckpointError('its checkpoint does not fit it: it is not that of a run');
  return { training, writers, seconds, snapshots };
}

/** The last checkpoint of a run, and after how many environment steps it was taken, if that is known; undefined where there is none. */
export function lastCheckpoint(folder: string): { readonly envSteps: number | undefined } | undefined {
  const state = new CheckpointStore(folder).newestState() as Partial<SavedRun> | undefined;
  return state && { envSteps: state.envSteps };
}

/** Records one training, with all its replicas. */
export class Recorder {
  readonly events: TrainingEvents;
  /** Seconds that the whole run has taken, also before it was resumed. */
  private readonly seconds: () => number;
  private readonly began = performance.now();
  private lastCheckpoint = this.began;
  private isStopping = false;
  /** As last reported: a training that goes on reports them before its next checkpoint. */
  private envSteps = 0;
  private readonly keepLearner: boolean;
  /** Where the run is, once the training has started. */
  private place:
    | { readonly folder: string; readonly store: CheckpointStore; readonly writers: RunWriter[] }
    | undefined;

  constructor(
    private readonly plan: TrainingPlan,
    { events = {}, checkpointEvery = 60, opened, signal, keepLearner = true, snapshots: given }: RecorderOptions,
    open: () => string,
    from?: RestoredCheckpoint,
  ) {
    const saved = from && savedIn(from);
    const secondsBefore = saved?.seconds ?? 0;
    const snapshots = given ?? saved?.snapshots ?? 0;
    this.keepLearner = keepLearner;
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
      shouldStop: () => (this.isStopping ||= signal?.aborted === true || (events.shouldStop?.() ?? false)),
      progress: (progress) => {
        this.envSteps = progress.envSteps;
        events.progress?.(progress);
      },
      evaluated: (evaluated) => {
        this.place!.writers[evaluated.replica].record(evaluated, this.seconds());
        events.evaluated?.(evaluated);
      },
      measured: async (evaluated, learner) => {
        if (snapshots > 0) await this.place!.writers[evaluated.replica].keepSnapshot(evaluated, learner, snapshots);
        await events.measured?.(evaluated, learner);
      },
      logged: (logged) => {
        this.place!.writers[logged.replica].log(logged, this.seconds());
        events.logged?.(logged);
      },
      checkpointDue: () => performance.now() - this.lastCheckpoint >= 1000 * checkpointEvery,
      checkpoint: async ({ state: training, tensors }, replays) => {
        const { store, writers } = this.place!;
        this.lastCheckpoint = performance.now();
        const { envSteps } = this;
        const written = { writers: writers.map((writer) => writer.save()), seconds: this.seconds() };
        const state: SavedRun = { training, ...written, envSteps, snapshots };
        await store.write({ state: state as unknown as StateValue, tensors }, replays);
        // On disk before an evaluation that may follow, so that a second Ctrl-C during that loses nothing.
        if (this.isStopping) await store.flush();
      },
    };
  }

  private writersIn(folder: string, saved: readonly SavedWriter[] = []): RunWriter[] {
    const { plan } = this;
    return Array.from({ length: plan.replicas }, (_, r) => {
      const alone = replicaPlan(plan, r);
      const runFolder = plan.replicas === 1 ? folder : join(folder, replicaFolder(alone, plan.variants?.[r]));
      const writer = new RunWriter(
        runFolder,
        alone,
        plan.replicas,
        plan.variants && { replica: r, variants: plan.variants },
      );
      writer.begin(saved.at(r));
      return writer;
    });
  }

  /** Writes the results of a training. Every result.json is written last: a run that has it is complete. */
  async finish(trained: Trained): Promise<TrainedRuns> {
    const { learner, sets = [], last = [], results, envSteps, gradientSteps, evaluationSteps, stopped } = trained;
    const { folder, store, writers } = this.place!;
    const { plan } = this;
    await store.flush();
    const machine = thisMachine(learner.state.device.gpu);
    const outcome = { seconds: this.seconds(), machine, stopped, envSteps, gradientSteps };
    let problem: string | undefined;
    if (plan.replicas > 1) {
      const curves = writers.map((writer, r) => writer.curve(results[r]));
      const put = (name: string, content: string | Uint8Array) => writeAtomic(join(folder, name), content);
      problem = await writePicture('hypervolume', hypervolumePicture(plan, curves), put);
    }
    const runs: RunResult[] = [];
    for (const [replica, writer] of writers.entries()) {
      const measured = last.at(replica);
      const { keepLearner } = this;
      const policies = {
        learner,
        keepLearner,
        set: sets.at(replica),
        ...(measured !== undefined && { last: measured }),
      };
      const finished = await writer.finish(policies, results[replica], {
        ...outcome,
        evaluationSteps: evaluationSteps[replica],
      });
      runs.push({ run: writer.folder, ...finished.result });
      problem ??= finished.problem;
    }
    if (!stopped) store.remove();
    await learner.dispose();
    return { folder, runs, problem };
  }

  /** Completes what is being written where a training failed. */
  async endWith(error: unknown): Promise<void> {
    if (this.place === undefined) return;
    const { folder, store } = this.place;
    // A failure to write has been reported already, or matters less than the error.
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
      // Not finite again at once, or the checkpoint cannot be used: it stays as it is.
    }
  }
}
