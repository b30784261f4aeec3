import { actionSize, replicaPart } from '../algorithms/index.js';
import type { Batch, OffPolicyLearner, Problem } from '../algorithms/index.js';
import type { EnvState, StateValue } from '../envs/index.js';
import { defaultWorkers, EnvFault, Workers } from '../rollout/index.js';
import type { EnvPool } from '../rollout/index.js';
import type { Replay } from '../replay/index.js';
import type { Values } from '../tensor/index.js';
import type { Restored, Snapshot } from './checkpoint.js';
import { Collector } from './collector.js';
import { createLearner, problemOf } from './definition.js';
import type { Evaluated, Plan, Progress } from './definition.js';
import { Evaluator, Keeper } from './evaluation.js';
import { trainKeys, wantsKeys } from './key-solutions.js';
import type { TrainedKeys } from './key-solutions.js';
import type { NamedTensor } from './safetensors.js';

export interface TrainingEvents {
  /** Once everything that was asked for has proved possible, before the first step. */
  started?(): void;
  /** Asked after every iteration; true ends the training there, with an evaluation. */
  shouldStop?(): boolean;
  /** After every iteration, with the steps of the loop alone. */
  progress?(progress: Progress): void;
  /** While key solutions are trained first: how many of their environment steps are done. */
  keyProgress?(done: number, all: number): void;
  /** After every evaluation of a replica. */
  evaluated?(evaluated: Evaluated): void;
  /** Asked after every iteration; true has a checkpoint taken. One is also taken where the training is stopped. */
  checkpointDue?(): boolean;
  /** Takes a checkpoint over; the training goes on when it resolves. */
  checkpoint?(snapshot: Snapshot, replays: readonly Replay[]): Promise<void>;
}

/** Its environment steps are those of the first replica; playing key preferences can take others longer. */
export interface Trained extends Progress {
  readonly learner: OffPolicyLearner;
  /** What the policy set achieves that each replica ends with. */
  readonly results: readonly Evaluated[];
  /** Whether it ended before all its steps were taken. */
  readonly stopped: boolean;
}

/** Updates of which one, the first, tells about itself. */
const REPORT_EVERY = 10;
/** Episodes that key preferences are played for while training, as published. */
const KEY_EPISODES = 3;

/**
 * The loop of the paper: in every iteration each of K children takes one step with a preference of its own, and K
 * updates are made from replayed transitions under relabelled preferences. All replicas go through it together. Actions
 * come from the parameters before the updates, which are made while the environments step: what comes out does not depend
 * on how many threads do that, or when.
 */
export async function train(given: Plan, events: TrainingEvents = {}, from?: Restored): Promise<Trained> {
  const keys = wantsKeys(given) ? (keysIn(from) ?? (await trainKeys(given, train, events))) : undefined;
  const plan = keys === undefined ? given : { ...given, keys: keys.returns };
  const { config, replicas, env, envOptions: options } = plan;
  const { children, steps, batch, groups } = config;
  const problem = await problemOf(plan);
  const { objectives } = problem;
  const runs = Array.from({ length: replicas }, (_, r) => {
    return new Collector(plan, problem, plan.seed + r, r * children, plan.tasks?.[r]);
  });
  const learner = await createLearner(plan);
  runs.forEach((run, r) => learner.initialise(run.initialisation, r));
  const workers = new Workers(plan.workers ?? defaultWorkers(env, replicas * children));
  try {
    const pool = await workers.open({ env, options, seeds: runs.flatMap((run) => run.seeds) });
    const evaluator = await Evaluator.open(plan, learner, workers, plan.tasks);
    const keyPlayer =
      learner.keys === undefined || config.keyUpdates === null
        ? undefined
        : await Evaluator.open(plan, learner, workers, learner.keys[0].preferences);
    const columns = batchColumns(problem, replicas * batch, replicas * groups);
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
    if (from !== undefined) await restoreAll(all, from);
    let stopped = false;
    events.started?.();

    while (at.taken < steps && !stopped) {
      const progress = at.taken / steps;
      before.set(pool.observations);
      learner.observe?.(before);
      runs.forEach((run, r) => preferences.set(run.preferences, r * children * objectives));
      const choose =
        at.iterations < config.startSteps ? undefined : await chooser(learner, before, preferences, pool, progress);
      runs.forEach((run, r) => run.act(pool, choose && ((child, own) => choose(r * children + child, own))));
      pool.begin();

      if (runs[0].replay.size >= config.learnAfter) {
        at.updatesDue += children * config.updatesPerStep;
        for (; at.updatesDue >= 1; at.updatesDue--) {
          runs.forEach((run, r) => run.sample(columns, r * batch, replicaPart(columns.preferences, r, replicas)));
          at.gradientSteps++;
          const random = runs.map((run) => run.sampling);
          const report = at.gradientSteps % REPORT_EVERY === 1;
          await learner.learn(columns, { progress, update: at.gradientSteps, random, report });
        }
      }
      await finish(pool, preferences, objectives);
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
      const isOver = at.taken >= steps;
      if (isOver || at.taken >= ((at.evaluations + 1) * steps) / config.evaluations) {
        at.evaluations++;
        for (let replica = 0; replica < replicas; replica++) {
          const evaluated = { ...(await evaluator.score(replica)), ...progressOf(at, replica) };
          await keeper.consider(evaluated);
          events.evaluated?.(evaluated);
        }
      }
      stopped = !isOver && (events.shouldStop?.() ?? false);
      if (stopped || (!isOver && events.checkpointDue?.() === true)) {
        await events.checkpoint?.(
          await snapshotOf(all),
          runs.map((run) => run.replay),
        );
      }
    }
    // A training that is stopped has to show what it is at, but goes on later as if nobody had looked.
    for (let replica = 0; stopped && replica < replicas; replica++) {
      await keeper.consider({ ...(await evaluator.score(replica)), ...progressOf(at, replica) });
    }
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
  const tensors = new Map<string, NamedTensor>();
  for (const name of learner.state.names) {
    tensors.set(`learner.${name}`, { shape: learner.state.spec(name).shape, values: await learner.state.read(name) });
  }
  const kept = keeper.save();
  for (const [name, values] of kept.tensors) tensors.set(`kept.${name}`, { shape: [values.length], values });
  const state = {
    at: structuredClone(at),
    learner: learner.save(),
    collectors: runs.map((run) => run.save()),
    environments: (await pool.save()) as unknown as StateValue,
    kept: kept.evaluated as unknown as StateValue,
    keys: (keys ?? null) as StateValue,
  };
  return { state, tensors };
}

async function restoreAll({ at, learner, runs, pool, keeper }: Parts, from: Restored): Promise<void> {
  const saved = from.state as unknown as {
    readonly at: Counters;
    readonly learner: StateValue;
    readonly collectors: readonly StateValue[];
    readonly environments: readonly EnvState[];
    readonly kept: readonly Evaluated[];
  };
  Object.assign(at, saved.at);
  const kept = new Map<string, Values>();
  for (const [name, { values }] of from.tensors) {
    if (name.startsWith('kept.')) kept.set(name.slice('kept.'.length), values);
    else learner.state.write(name.slice('learner.'.length), values);
  }
  learner.load(saved.learner);
  runs.forEach((run, r) => run.load(saved.collectors[r]));
  from.restoreReplays(runs.map((run) => run.replay));
  await pool.restore(saved.environments);
  keeper.load(saved.kept, kept);
}

/** Key solutions that were trained before a checkpoint was taken. */
function keysIn(from: Restored | undefined): TrainedKeys | undefined {
  return (from?.state as { readonly keys?: TrainedKeys | null } | undefined)?.keys ?? undefined;
}

type Chooser = (row: number, random: Collector['sampling']) => number | Float32Array;

/** The policy's actions with its exploration, for rows of observations and preferences. */
async function chooser(
  learner: OffPolicyLearner,
  observations: Float32Array,
  preferences: Float32Array,
  { shape }: EnvPool,
  progress: number,
): Promise<Chooser> {
  const actions = await learner.act(observations, preferences);
  return (row, random) => {
    return learner.explore(actions.subarray(row * shape.action, (row + 1) * shape.action), progress, random);
  };
}

/** Waits for a step; an environment that fails is named with the preference it was played at. */
async function finish(pool: EnvPool, preferences: Float32Array, objectives: number): Promise<void> {
  try {
    await pool.finish();
  } catch (error) {
    if (!(error instanceof EnvFault)) throw error;
    const own = preferences.subarray(error.row * objectives, (error.row + 1) * objectives);
    // As it was drawn, and not as float32 holds it.
    throw error.at(Array.from(own, (weight) => Number(weight.toPrecision(6))));
  }
}

function batchColumns({ observation, actionSpace, objectives }: Problem, rows: number, groups: number): Batch {
  return {
    observation: new Float32Array(rows * observation),
    action: actionSpace.kind === 'discrete' ? new Int32Array(rows) : new Float32Array(rows * actionSize(actionSpace)),
    reward: new Float32Array(rows * objectives),
    next: new Float32Array(rows * observation),
    terminal: new Float32Array(rows),
    preferences: new Float32Array(groups * objectives),
  };
}
