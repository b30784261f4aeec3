/**
 * The loop that every kind of training runs: iterate, evaluate and take checkpoints when they are due, and stop when asked
 * to. What an iteration does is up to the kind of training (off-policy, on-policy or population). A training that was
 * stopped continues from its checkpoint exactly as if it had not been.
 */
import type { Learner } from '../algorithms/index.js';
import type { EnvState, StateValue } from '../envs/index.js';
import type { Model, NamedTensor } from '../model/index.js';
import type { Replay } from '../replay/index.js';
import { defaultWorkers, Workers } from '../rollout/index.js';
import type { EnvPool } from '../rollout/index.js';
import { threadsOf } from '../tensor/index.js';
import { StoppedError } from './definition.js';
import type { Evaluated, Logged, Plan, Progress } from './definition.js';
import type { Keeper, Measured, Watch } from './evaluation.js';
import { adviceFor, checkDiagnostics, NonFiniteError } from './non-finite.js';
import { restoreLearner, snapshotLearner, takeOver } from './snapshot.js';
import type { Restored, Snapshot } from './snapshot.js';

export interface TrainingEvents {
  /** Once everything that was asked for has proved possible, before the first step. */
  started?(): void;
  /**
   * Asked after every iteration, and before the first one of a resumed training; true ends it there, with an evaluation
   * where it has no earlier result to end with. Also asked between the steps of an evaluation, which is then broken off, and
   * made anew when the training is resumed.
   */
  shouldStop?(): boolean;
  /** After every iteration, with the steps of the loop alone. */
  progress?(progress: Progress): void;
  /** While key solutions are trained first: how many of their environment steps are done. */
  keyProgress?(done: number, all: number): void;
  /** While policies are evaluated: which share of that is done. */
  evaluating?(share: number): void;
  /** After every evaluation of a replica. */
  evaluated?(evaluated: Evaluated): void;
  /** After that, with the learner whose policies were evaluated, where it has a policy set; the training continues when it resolves. */
  measured?(evaluated: Evaluated, learner: Learner): Promise<void>;
  /** For every replica a hundred times in a training, evenly spread over its environment steps. */
  logged?(logged: Logged): void;
  /** Asked after every iteration: whether to take a checkpoint. One is also taken where the training is stopped. */
  checkpointDue?(): boolean;
  /** Receives a checkpoint; the training continues when it resolves. */
  checkpoint?(snapshot: Snapshot, replays: readonly Replay[]): Promise<void>;
}

/** How often a training tells what its updates report. */
const LOGS = 100;

/** Its environment steps are those of the first replica; playing key preferences can take others longer. */
export interface Trained extends Progress {
  readonly learner: Learner;
  /** The finite set of policies that each replica ends with, where it is not the learner's own. */
  readonly sets?: readonly Model[];
  /** What the policy set achieves that each replica ends with. */
  readonly results: readonly Evaluated[];
  /** The policy set that each replica had at its last evaluation, where it ends with the best one. */
  readonly last?: readonly Measured[];
  /** Environment steps that the evaluations of each replica took, which are not among the others. */
  readonly evaluationSteps: readonly number[];
  /** Whether it ended before all its steps were taken. */
  readonly stopped: boolean;
}

/** How far a loop has come: plain values, saved as they are, under `at`. */
export interface Counters {
  gradientSteps: number;
  evaluations: number;
  /** Environment steps that the evaluations of each replica took. */
  readonly evaluationSteps: number[];
  /** Whether what another run has learned is still to be measured, before the first iteration; absent in earlier versions. */
  isOpening?: boolean;
  /** Whether what follows the last iteration was broken off and is still to be done; absent in earlier versions. */
  isBrokenOff?: boolean;
}

/** What a kind of training adds to the loop. All replicas go through it together. */
export interface Loop {
  readonly learner: Learner & { settled?(): Promise<void> };
  /** In which experience is gathered. */
  readonly pool: EnvPool;
  /** Of the policy sets that the replicas end with, where the learner has them. */
  readonly keeper?: Keeper;
  readonly replays?: readonly Replay[];
  readonly counters: Counters;
  /** Environment steps after which it is over. */
  readonly steps: number;
  /** The steps that it took itself. */
  progress(): Progress;
  /** What a new training does before its first iteration. */
  begin?(): Promise<void> | void;
  /** Gathers experience and learns from it. */
  iterate(): Promise<void>;
  /** Plays what an iteration made of the policies, where the method does so. Nothing has changed where `watch` throws. */
  review?(watch: Watch): Promise<void>;
  /** Measures the policy set of every replica as it is now. Nothing has changed where `watch` throws. */
  evaluate(watch: Watch): Promise<readonly Evaluated[]> | readonly Evaluated[];
  /** What the updates of every replica last reported. */
  log(): readonly Logged[];
  /** Whether it can end with policy sets that were measured earlier. */
  hasResult(): boolean;
  /** What it ends with. */
  finish(): Omit<Trained, 'learner' | 'evaluationSteps' | 'stopped'>;
  /** What it has to know to go on, besides the learner, the environments and the counters. */
  save(): { readonly state: Readonly<Record<string, StateValue>>; readonly tensors?: ReadonlyMap<string, NamedTensor> };
  load(saved: Restored): void;
}

/**
 * Opens what a training needs and goes through its loop. The threads that step environments end with it; the learner stays,
 * unless the training fails.
 * @param environments in which experience is gathered
 */
export async function runLoop(
  plan: Plan,
  { learner, environments }: { readonly learner: Learner; readonly environments: number },
  open: (workers: Workers) => Promise<Loop>,
  events: TrainingEvents,
  from?: Restored,
): Promise<Trained> {
  const workers = new Workers(plan.workers ?? defaultWorkers(plan.env, environments, threadsOf(plan.device)));
  try {
    return await iterate(plan, await open(workers), events, from);
  } catch (error) {
    await learner.dispose();
    throw error;
  } finally {
    await workers.close();
  }
}

/** Ends an evaluation in the middle of which somebody wants to stop. */
class BrokenOff extends Error {}

async function iterate(plan: Plan, loop: Loop, events: TrainingEvents, from?: Restored): Promise<Trained> {
  const { learner, counters, steps } = loop;
  let reached: Progress = { envSteps: 0, gradientSteps: 0 };
  let isAsked = false as boolean;
  const isStopping = () => (isAsked ||= events.shouldStop?.() ?? false);
  const isOver = () => loop.progress().envSteps >= steps && counters.isBrokenOff !== true;
  const show: Watch = (share) => events.evaluating?.(share);

  /** How many logs are due after so many environment steps. */
  const logsAt = ({ envSteps }: Progress) => Math.floor((envSteps * LOGS) / steps);

  type Outcome = 'evaluated' | 'broken off' | 'not evaluated';

  /** Measures something, unless somebody wants to stop in the middle of it. */
  async function unlessStopped(measuring: (watch: Watch) => Promise<Outcome>): Promise<Outcome> {
    // Whoever wanted to stop before the evaluation waits for it only where there is no result without it.
    const isNeeded = isStopping() && !loop.hasResult();
    try {
      return await measuring((share) => {
        if (!isNeeded && isStopping()) throw new BrokenOff();
        show(share);
      });
    } catch (error) {
      if (!(error instanceof BrokenOff)) throw error;
      return 'broken off';
    }
  }

  async function evaluate(watch: Watch): Promise<'evaluated'> {
    await learner.settled?.();
    for (const one of await loop.evaluate(watch)) {
      events.evaluated?.(one);
      if (loop.keeper !== undefined) await events.measured?.(one, learner);
    }
    return 'evaluated';
  }

  /** Measures what an iteration made of the policies, as far as that is due. */
  async function measure(watch: Watch): Promise<Outcome> {
    await loop.review?.(watch);
    const due = Math.min(steps, ((counters.evaluations + 1) * steps) / plan.config.evaluations);
    if (reached.envSteps < due) return 'not evaluated';
    await evaluate(watch);
    counters.evaluations++;
    return 'evaluated';
  }

  try {
    counters.isOpening = plan.from !== undefined;
    if (from !== undefined) await takeOver(() => restore(loop, from));
    else if (!counters.isOpening) await loop.begin?.();
    let stopped = from !== undefined && isStopping();
    let measured: Outcome = 'not evaluated';
    events.started?.();
    if (counters.isOpening && !stopped) {
      // From here on the run that it begins with is not needed any more.
      if (from === undefined) await events.checkpoint?.(await snapshotOf(loop), loop.replays ?? []);
      measured = await unlessStopped(evaluate);
      stopped = measured === 'broken off';
      if (!stopped) {
        counters.isOpening = false;
        await loop.begin?.();
      }
    }
    while (!isOver() && !stopped) {
      const before = loop.progress();
      if (counters.isBrokenOff !== true) await loop.iterate();
      reached = loop.progress();
      events.progress?.(reached);
      checkDiagnostics(learner);
      if (events.logged !== undefined && logsAt(reached) > logsAt(before)) {
        // What has been reported so far depends on how fast a GPU is; what all updates reported does not.
        await learner.settled?.();
        for (const one of loop.log()) events.logged(one);
      }
      measured = await unlessStopped(measure);
      counters.isBrokenOff = measured === 'broken off';
      if (isOver()) break;
      stopped = isAsked;
      if (stopped || events.checkpointDue?.() === true) {
        await learner.settled?.();
        await events.checkpoint?.(await snapshotOf(loop), loop.replays ?? []);
      }
    }
    if (stopped && measured !== 'evaluated' && !loop.hasResult()) {
      if (measured === 'broken off') throw new StoppedError('evaluation');
      // It is evaluated for its result, but this evaluation is not part of its state.
      if (counters.isBrokenOff === true) await loop.review?.(show);
      await loop.evaluate(show);
    }
    return { learner, ...loop.finish(), evaluationSteps: counters.evaluationSteps, stopped };
  } catch (error) {
    throw error instanceof NonFiniteError ? error.after(reached, adviceFor(plan)) : error;
  }
}

async function snapshotOf(loop: Loop): Promise<Snapshot> {
  const { state, tensors } = await snapshotLearner(loop.learner, loop.keeper);
  const saved = loop.save();
  return {
    state: {
      ...state,
      at: structuredClone({ ...loop.counters }) as unknown as StateValue,
      ...saved.state,
      environments: (await loop.pool.save()) as unknown as StateValue,
    },
    tensors: new Map([...tensors, ...(saved.tensors ?? [])]),
  };
}

async function restore(loop: Loop, from: Restored): Promise<void> {
  const saved = from.state as unknown as { readonly at: Counters; readonly environments: readonly EnvState[] };
  Object.assign(loop.counters, saved.at);
  restoreLearner(loop.learner, loop.keeper, from);
  loop.load(from);
  await loop.pool.restore(saved.environments);
}
