import type { OnPolicyLearner } from '../algorithms/index.js';
import type { EnvState, StateValue } from '../envs/index.js';
import { Random, type RandomState } from '../random/index.js';
import { defaultWorkers, Workers } from '../rollout/index.js';
import type { EnvPool } from '../rollout/index.js';
import { createLearner, problemOf } from './definition.js';
import type { OnPolicyPlan } from './definition.js';
import { Evaluator, Keeper } from './evaluation.js';
import { evaluateAll, restoreLearner, snapshotLearner } from './loop.js';
import type { Trained, TrainingEvents } from './loop.js';
import { gridDraws, type Draw } from './preference-draws.js';
import { RolloutCollector } from './rollout-collector.js';
import { checkDiagnostics } from './sickness.js';
import { takeOver } from './snapshot.js';
import type { Restored, Snapshot } from './snapshot.js';

/**
 * The loop of learners that learn from their current policy: in every iteration each of K children is played for a whole
 * rollout with a preference of its own, and everything is learned from that before it is forgotten. All replicas go
 * through it together. As many whole rollouts are played as fit into the steps.
 */
export async function trainOnPolicy(plan: OnPolicyPlan, events: TrainingEvents, from?: Restored): Promise<Trained> {
  const { config, replicas, env, envOptions: options } = plan;
  const { children, horizon, steps } = config;
  const { objectives } = await problemOf(plan);
  const iterations = Math.floor(steps / (children * horizon));
  const runs = Array.from({ length: replicas }, (_, r) => new Randomness(plan.seed + r, children));
  const draws = Array.from({ length: replicas }, (_, r): readonly Draw[] => {
    const task = plan.tasks?.[r];
    if (task !== undefined) return Array.from({ length: children }, () => (_random, out) => out.set(task));
    return gridDraws(objectives, config.preferenceDivisions, children);
  });
  const learner = await createLearner(plan);
  runs.forEach((run, r) => learner.initialise(run.initialisation, r));
  const workers = new Workers(plan.workers ?? defaultWorkers(env, replicas * children));
  try {
    const pool = await workers.open({ env, options, seeds: runs.flatMap((run) => run.seeds) });
    const evaluator = await Evaluator.open(plan, learner, workers, plan.tasks);
    const keeper = new Keeper(learner, config.keep, replicas);
    const collector = new RolloutCollector(learner, pool, replicas, horizon);
    const preferences = new Float32Array(replicas * children * objectives);
    const at: Counters = { iterations: 0, gradientSteps: 0, evaluations: 0 };
    const progress = () => ({
      envSteps: at.iterations * children * horizon,
      gradientSteps: at.gradientSteps,
    });
    const all = { at, learner, runs, pool, keeper };
    if (from === undefined) collector.begin();
    else {
      await takeOver(() => restoreAll(all, from));
      collector.goOn();
    }
    let stopped = from !== undefined && (events.shouldStop?.() ?? false);
    events.started?.();

    while (at.iterations < iterations && !stopped) {
      runs.forEach(({ choosing }, r) => {
        draws[r].forEach((draw, child) => {
          const row = r * children + child;
          draw(choosing, preferences.subarray(row * objectives, (row + 1) * objectives));
        });
      });
      const rollout = await collector.collect(
        preferences,
        runs.map((run) => run.acting),
      );
      const random = runs.map((run) => run.learning);
      at.gradientSteps += await learner.learn(rollout, { progress: at.iterations / iterations, random });
      at.iterations++;
      events.progress?.(progress());
      checkDiagnostics(learner);
      const isOver = at.iterations >= iterations;
      if (isOver || at.iterations >= ((at.evaluations + 1) * iterations) / config.evaluations) {
        at.evaluations++;
        await evaluateAll({ evaluator, keeper, replicas }, progress, events.evaluated?.bind(events));
      }
      stopped = !isOver && (events.shouldStop?.() ?? false);
      if (stopped || (!isOver && events.checkpointDue?.() === true)) {
        await events.checkpoint?.(await snapshotOf(all), []);
      }
    }
    // A training that is stopped has to show what it is at, but goes on later as if nobody had looked.
    if (stopped) await evaluateAll({ evaluator, keeper, replicas }, progress);
    return { learner, results: keeper.restore(), ...progress(), stopped };
  } catch (error) {
    await learner.dispose();
    throw error;
  } finally {
    await workers.close();
  }
}

/** Where the loop is: plain numbers, saved as they are. */
type Counters = { iterations: number; gradientSteps: number; evaluations: number };

/** All randomness of a replica. */
class Randomness {
  readonly initialisation: Random;
  /** Of preferences. */
  choosing: Random;
  /** Of actions. */
  acting: Random;
  /** Of the order in which a rollout is learned from. */
  learning: Random;
  /** Of its environments. */
  readonly seeds: readonly number[];

  constructor(seed: number, children: number) {
    const [initialisation, choosing, acting, learning, environments] = new Random(seed).streams(5);
    this.initialisation = initialisation;
    this.choosing = choosing;
    this.acting = acting;
    this.learning = learning;
    this.seeds = Array.from({ length: children }, () => environments.uint32());
  }

  save(): StateValue {
    return [this.choosing, this.acting, this.learning].map(({ state }) => ({ ...state }));
  }

  load(saved: StateValue): void {
    const states = saved as unknown as readonly RandomState[];
    [this.choosing, this.acting, this.learning] = states.map((state) => Random.fromState(state));
  }
}

/** Everything that changes while a training runs. */
interface Parts {
  readonly at: Counters;
  readonly learner: OnPolicyLearner;
  readonly runs: readonly Randomness[];
  readonly pool: EnvPool;
  readonly keeper: Keeper;
}

async function snapshotOf({ at, learner, runs, pool, keeper }: Parts): Promise<Snapshot> {
  const { state, tensors } = await snapshotLearner(learner, keeper);
  return {
    state: {
      ...state,
      at: { ...at },
      randomness: runs.map((run) => run.save()),
      environments: (await pool.save()) as unknown as StateValue,
    },
    tensors,
  };
}

async function restoreAll({ at, learner, runs, pool, keeper }: Parts, from: Restored): Promise<void> {
  const saved = from.state as unknown as {
    readonly at: Counters;
    readonly randomness: readonly StateValue[];
    readonly environments: readonly EnvState[];
  };
  Object.assign(at, saved.at);
  restoreLearner(learner, keeper, from);
  runs.forEach((run, r) => run.load(saved.randomness[r]));
  await pool.restore(saved.environments);
}
