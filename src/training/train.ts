import { actionSize } from '../algorithms/index.js';
import type { Batch, OffPolicyLearner, Problem } from '../algorithms/index.js';
import { defaultWorkers, EnvFault, Workers } from '../rollout/index.js';
import type { EnvPool } from '../rollout/index.js';
import { Collector } from './collector.js';
import { createLearner, problemOf } from './definition.js';
import type { Evaluated, Plan, Progress } from './definition.js';
import { Evaluator, Keeper } from './evaluation.js';
import { trainKeys, wantsKeys } from './key-solutions.js';

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
}

/** Its environment steps are those of the first replica; playing key preferences can take others longer. */
export interface Trained extends Progress {
  readonly learner: OffPolicyLearner;
  /** What the policy set achieves that each replica ends with. */
  readonly results: readonly Evaluated[];
  /** Whether it ended before all its steps were taken. */
  readonly stopped: boolean;
}

/** Episodes that key preferences are played for while training, as published. */
const KEY_EPISODES = 3;

/**
 * The loop of the paper: in every iteration each of K children takes one step with a preference of its own, and K
 * updates are made from replayed transitions under relabelled preferences. All replicas go through it together. Actions
 * come from the parameters before the updates, which are made while the environments step: what comes out does not depend
 * on how many threads do that, or when.
 */
export async function train(given: Plan, events: TrainingEvents = {}): Promise<Trained> {
  const keys = wantsKeys(given) ? await trainKeys(given, train, events) : undefined;
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
    const random = runs.map((run) => run.sampling);
    const keeper = new Keeper(learner, config.keep, replicas);
    const preferences = new Float32Array(replicas * children * objectives);
    const before = new Float32Array(pool.observations.length);
    let [taken, gradientSteps, iterations, updatesDue, evaluations] = [0, 0, 0, 0, 0];
    const keySteps = runs.map(() => keys?.envSteps ?? 0);
    const keyEpisodes = runs.map(() => 1);
    let stopped = false;
    events.started?.();

    while (taken < steps && !stopped) {
      const progress = taken / steps;
      before.set(pool.observations);
      learner.observe?.(before);
      runs.forEach((run, r) => preferences.set(run.preferences, r * children * objectives));
      const choose =
        iterations < config.startSteps ? undefined : await chooser(learner, before, preferences, pool, progress);
      runs.forEach((run, r) => run.act(pool, choose && ((child, own) => choose(r * children + child, own))));
      pool.begin();

      if (runs[0].replay.size >= config.learnAfter) {
        updatesDue += children * config.updatesPerStep;
        for (; updatesDue >= 1; updatesDue--) {
          runs.forEach((run, r) => run.sample(columns, r * batch, partOf(columns.preferences, r, replicas)));
          gradientSteps++;
          await learner.learn(columns, { progress, update: gradientSteps, random });
        }
      }
      await finish(pool, preferences, objectives);
      for (const run of runs) run.gather(pool, before);
      taken += children;
      iterations++;

      for (const [replica, run] of keyPlayer === undefined ? [] : runs.entries()) {
        if (run.finishedEpisodes <= keyEpisodes[replica]) continue;
        keyEpisodes[replica] += config.keyUpdates as number;
        const played = await keyPlayer!.play(replica, KEY_EPISODES);
        learner.keys![replica].offer(played.returns);
        keySteps[replica] += played.steps;
      }
      events.progress?.({ envSteps: taken, gradientSteps });
      stopped = taken < steps && (events.shouldStop?.() ?? false);
      if (taken >= ((evaluations + 1) * steps) / config.evaluations || taken >= steps || stopped) {
        evaluations++;
        for (let replica = 0; replica < replicas; replica++) {
          const envSteps = taken + keySteps[replica];
          const evaluated = { ...(await evaluator.score(replica)), envSteps, gradientSteps };
          await keeper.consider(evaluated);
          events.evaluated?.(evaluated);
        }
      }
    }
    return { learner, results: keeper.restore(), envSteps: taken + keySteps[0], gradientSteps, stopped };
  } catch (error) {
    await learner.dispose();
    throw error;
  } finally {
    await workers.close();
  }
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
    throw error.at(preferences.subarray(error.row * objectives, (error.row + 1) * objectives));
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

function partOf(array: Float32Array, part: number, parts: number): Float32Array {
  const size = array.length / parts;
  return array.subarray(part * size, (part + 1) * size);
}
