import { setImmediate as pause } from 'node:timers/promises';
import { actionSize, replicaPart } from '../algorithms/index.js';
import type { Batch, OffPolicyLearner, Problem, SlotBatch } from '../algorithms/index.js';
import type { EnvState, StateValue } from '../envs/index.js';
import type { Random } from '../random/index.js';
import { ringSize } from '../replay/index.js';
import { defaultWorkers, Workers } from '../rollout/index.js';
import type { EnvPool } from '../rollout/index.js';
import type { Values } from '../tensor/index.js';
import { Collector } from './collector.js';
import { createLearner, isOffPolicy, isOnPolicy, problemOf, replicaPlan } from './definition.js';
import type { OffPolicyPlan, Plan, PopulationPlan, Progress } from './definition.js';
import { Evaluator, Keeper } from './evaluation.js';
import { trainKeys, wantsKeys } from './key-solutions.js';
import type { TrainedKeys } from './key-solutions.js';
import { evaluateAll, finishStep, restoreLearner, snapshotLearner } from './loop.js';
import type { Trained, TrainingEvents } from './loop.js';
import { trainOnPolicy } from './on-policy.js';
import { trainPopulation } from './population.js';
import { checkDiagnostics, SickTraining } from './sickness.js';
import { takeOver } from './snapshot.js';
import type { Restored, Snapshot } from './snapshot.js';

/** Updates of which one, the first, tells about itself. */
const REPORT_EVERY = 10;
/** Updates that a device is asked for in one go, where it is not waited for. */
const IN_ONE_GO = 3;
/** Episodes that key preferences are played for while training, as published. */
const KEY_EPISODES = 3;

/**
 * Trains what a plan says, from the beginning or from where a checkpoint was taken. Rejects with a SickTraining where
 * there is nothing more to learn.
 */
export async function train(plan: Plan, events: TrainingEvents = {}, from?: Restored): Promise<Trained> {
  let reached: Progress = { envSteps: 0, gradientSteps: 0 };
  const watched: TrainingEvents = {
    ...events,
    progress(progress) {
      reached = progress;
      events.progress?.(progress);
    },
  };
  try {
    return await trainKind(plan, watched, from);
  } catch (error) {
    throw error instanceof SickTraining ? error.after(reached, plan.config) : error;
  }
}

function trainKind(plan: Plan, events: TrainingEvents, from?: Restored): Promise<Trained> {
  if (isOffPolicy(plan)) return wantsKeys(plan) ? withKeys(plan, events, from) : trainOffPolicy(plan, events, from);
  if (isOnPolicy(plan)) return trainOnPolicy(plan, events, from);
  return trainPopulation(plan as PopulationPlan, events, from);
}

/** Trains key solutions first, unless they were before the checkpoint was taken. */
async function withKeys(plan: OffPolicyPlan, events: TrainingEvents, from?: Restored): Promise<Trained> {
  const known = keysIn(from);
  if (known !== undefined) return trainOffPolicy({ ...plan, keys: known.returns }, events, from, known);
  const keys = await trainKeys(plan, train, events, from);
  // It has started with them.
  return trainOffPolicy({ ...plan, keys: keys.returns }, { ...events, started: () => undefined }, undefined, keys);
}

/**
 * The loop of the paper: in every iteration each of K children takes one step with a preference of its own, and K
 * updates are made from replayed transitions under relabelled preferences. All replicas go through it together. Actions
 * come from the parameters before the updates, which are made while the environments step: what comes out does not depend
 * on how many threads do that, or when.
 */
async function trainOffPolicy(
  plan: OffPolicyPlan,
  events: TrainingEvents,
  from?: Restored,
  keys?: TrainedKeys,
): Promise<Trained> {
  const { config, replicas, env, envOptions: options } = plan;
  const { children, steps, batch, groups } = config;
  const problem = await problemOf(plan);
  const { objectives } = problem;
  const runs = Array.from({ length: replicas }, (_, r) => {
    return new Collector(plan, problem, replicaPlan(plan, r).seed, r * children, plan.tasks?.[r]);
  });
  const learner = await createLearner(plan, ringSize({ capacity: Math.min(config.capacity, steps), children }));
  const { isOrdered = false } = learner.state.device;
  const behave = (learner.behave ?? learner.act).bind(learner);
  runs.forEach((run, r) => learner.initialise(run.initialisation, r));
  const workers = new Workers(plan.workers ?? defaultWorkers(env, replicas * children));
  try {
    const pool = await workers.open({ env, options, seeds: runs.flatMap((run) => run.seeds) });
    const evaluator = await Evaluator.open(plan, learner, workers, plan.tasks);
    const keyPlayer =
      learner.keys === undefined || config.keyUpdates === null
        ? undefined
        : await Evaluator.open(plan, learner, workers, learner.keys[0].preferences);
    const drawn = emptyBatch(learner, problem, replicas * batch, replicas * groups);
    const keeper = new Keeper(learner, config.keep, replicas);
    const preferences = new Float32Array(replicas * children * objectives);
    const before = new Float32Array(pool.observations.length);
    const at: Counters = {
      taken: 0,
      gradientSteps: 0,
      iterations: 0,
      updatesDue: 0,
      evaluations: 0,
      keySteps: runs.map(() => keys?.envSteps ?? 0),
      keyEpisodes: runs.map(() => 1),
    };
    const all = { at, learner, runs, pool, keeper, keys };
    if (from !== undefined) await takeOver(() => restoreAll(all, from));
    let stopped = from !== undefined && (events.shouldStop?.() ?? false);
    events.started?.();

    while (at.taken < steps && !stopped) {
      const progress = at.taken / steps;
      before.set(pool.observations);
      learner.observe?.(before);
      runs.forEach((run, r) => preferences.set(run.preferences, r * children * objectives));
      const acting = at.iterations < config.startSteps ? undefined : behave(before, preferences);
      const begun = begin(pool, runs, acting, (action, random, r) => learner.explore(action, progress, random, r));
      // A device that works in order is asked for updates while it is still busy with the actions. Where those fail the
      // updates do too, and nobody may come to await this.
      begun.catch(() => undefined);
      if (!isOrdered) await begun;

      if (runs[0].replay.size >= config.learnAfter) {
        learner.replays?.follow(runs.map((run) => run.replay));
        at.updatesDue += children * config.updatesPerStep;
        for (; at.updatesDue >= 1; at.updatesDue--) {
          // Lets the actions in when they are there: environments then step while the rest is asked for.
          if (isOrdered && at.gradientSteps % IN_ONE_GO === 0) await pause();
          drawBatch(runs, drawn);
          at.gradientSteps++;
          const random = runs.map((run) => run.sampling);
          const report = at.gradientSteps % REPORT_EVERY === 1;
          await learner.learn(drawn, { progress, update: at.gradientSteps, random, report });
        }
      }
      await begun;
      await finishStep(pool, preferences);
      learner.earn?.(pool.rewards, pool.ends);
      for (const run of runs) run.gather(pool, before);
      at.taken += children;
      at.iterations++;

      for (const [replica, run] of keyPlayer === undefined ? [] : runs.entries()) {
        if (run.finishedEpisodes <= at.keyEpisodes[replica]) continue;
        at.keyEpisodes[replica] += config.keyUpdates as number;
        const played = await keyPlayer!.play(replica, KEY_EPISODES);
        learner.keys![replica].offer(played.returns);
        at.keySteps[replica] += played.steps;
      }
      events.progress?.({ envSteps: at.taken, gradientSteps: at.gradientSteps });
      checkDiagnostics(learner);
      const isOver = at.taken >= steps;
      if (isOver || at.taken >= ((at.evaluations + 1) * steps) / config.evaluations) {
        at.evaluations++;
        await learner.settled?.();
        await evaluateAll({ evaluator, keeper, replicas }, (r) => progressOf(at, r), events.evaluated?.bind(events));
      }
      stopped = !isOver && (events.shouldStop?.() ?? false);
      if (stopped || (!isOver && events.checkpointDue?.() === true)) {
        await learner.settled?.();
        await events.checkpoint?.(
          await snapshotOf(all),
          runs.map((run) => run.replay),
        );
      }
    }
    // A training that is stopped has to show what it is at, but goes on later as if nobody had looked.
    if (stopped) await evaluateAll({ evaluator, keeper, replicas }, (r) => progressOf(at, r));
    return { learner, results: keeper.restore(), ...progressOf(at, 0), stopped };
  } catch (error) {
    await learner.dispose();
    throw error;
  } finally {
    await workers.close();
  }
}

/** Where the loop is: plain numbers, saved as they are. */
type Counters = {
  /** Environment steps of the loop. */
  taken: number;
  gradientSteps: number;
  iterations: number;
  /** Of an update, where a whole one is not due in every iteration. */
  updatesDue: number;
  evaluations: number;
  /** Environment steps that the key solutions of each replica took. */
  readonly keySteps: number[];
  /** Episodes of every child after which each replica plays the key preferences again. */
  readonly keyEpisodes: number[];
};

function progressOf({ taken, gradientSteps, keySteps }: Counters, replica: number): Progress {
  return { envSteps: taken + keySteps[replica], gradientSteps };
}

/** Everything that changes while a training runs. */
interface Parts {
  readonly at: Counters;
  readonly learner: OffPolicyLearner;
  readonly runs: readonly Collector[];
  readonly pool: EnvPool;
  readonly keeper: Keeper;
  readonly keys: TrainedKeys | undefined;
}

async function snapshotOf({ at, learner, runs, pool, keeper, keys }: Parts): Promise<Snapshot> {
  const { state, tensors } = await snapshotLearner(learner, keeper);
  return {
    state: {
      ...state,
      at: structuredClone(at),
      collectors: runs.map((run) => run.save()),
      environments: (await pool.save()) as unknown as StateValue,
      keys: (keys ?? null) as StateValue,
    },
    tensors,
  };
}

async function restoreAll({ at, learner, runs, pool, keeper }: Parts, from: Restored): Promise<void> {
  const saved = from.state as unknown as {
    readonly at: Counters;
    readonly collectors: readonly StateValue[];
    readonly environments: readonly EnvState[];
  };
  Object.assign(at, saved.at);
  restoreLearner(learner, keeper, from);
  runs.forEach((run, r) => run.load(saved.collectors[r]));
  from.restoreReplays(runs.map((run) => run.replay));
  await pool.restore(saved.environments);
}

/** Key solutions that were trained before a checkpoint was taken. */
function keysIn(from: Restored | undefined): TrainedKeys | undefined {
  return (from?.state as { readonly keys?: TrainedKeys | null } | undefined)?.keys ?? undefined;
}

/** Has all environments take a step: with what becomes of a policy's actions when they are there, or with random ones. */
async function begin(
  pool: EnvPool,
  runs: readonly Collector[],
  acting: Promise<Values> | undefined,
  explore: (action: Values, random: Random, replica: number) => number | Float32Array,
): Promise<void> {
  const actions = await acting;
  const { action: width } = pool.shape;
  const children = pool.size / runs.length;
  runs.forEach((run, r) => {
    const first = r * children * width;
    run.act(
      pool,
      actions &&
        ((child, random) => explore(actions.subarray(first + child * width, first + (child + 1) * width), random, r)),
    );
  });
  pool.begin();
}

/** Draws a batch for every replica: its transitions, or the slots in which the learner finds them. */
function drawBatch(runs: readonly Collector[], drawn: Batch | SlotBatch): void {
  runs.forEach((run, r) => {
    const preferences = replicaPart(drawn.preferences, r, runs.length);
    if ('slots' in drawn) run.draw(replicaPart(drawn.slots, r, runs.length), preferences);
    else run.sample(drawn, (r * drawn.terminal.length) / runs.length, preferences);
  });
}

/** Room for the batches of all replicas. */
function emptyBatch({ replays }: OffPolicyLearner, problem: Problem, rows: number, groups: number): Batch | SlotBatch {
  const { observation, actionSpace, objectives } = problem;
  const preferences = new Float32Array(groups * objectives);
  if (replays !== undefined) return { slots: new Int32Array(rows), preferences };
  return {
    observation: new Float32Array(rows * observation),
    action: actionSpace.kind === 'discrete' ? new Int32Array(rows) : new Float32Array(rows * actionSize(actionSpace)),
    reward: new Float32Array(rows * objectives),
    next: new Float32Array(rows * observation),
    terminal: new Float32Array(rows),
    preferences,
  };
}
