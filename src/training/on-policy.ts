/**
 * The training loop of on-policy learners (PPO): play a rollout with the current policy, every environment with a
 * preference of its own, learn from it and drop it.
 */
import type { OnPolicyLearner, SavedReplica } from '../algorithms/index.js';
import type { StateValue } from '../envs/index.js';
import { Random, type RandomState } from '../random/index.js';
import type { Workers } from '../rollout/index.js';
import { createLearner } from './create-learner.js';
import { generatorSeed, isElsewhere, progressAfter, trainedBefore } from './definition.js';
import type { OnPolicyPlan } from './definition.js';
import { diagnosticsOf, evaluateAll, Evaluator, Keeper } from './evaluation.js';
import { runLoop } from './loop.js';
import type { Counters, Loop, Trained, TrainingEvents } from './loop.js';
import { gridDraws, type Draw } from './preference-draws.js';
import { RolloutCollector } from './rollout-collector.js';
import type { Restored } from './snapshot.js';

/** How far the loop has come. */
interface OnPolicyCounters extends Counters {
  iterations: number;
}

/**
 * The loop of learners that learn from their current policy: in every iteration each of K children is played for a whole
 * rollout with a preference of its own, and everything is learned from that before it is forgotten. As many whole rollouts
 * are played as fit into the steps.
 * @param learned by the run that it begins with, where it does
 */
export async function trainOnPolicy(
  plan: OnPolicyPlan,
  events: TrainingEvents,
  from?: Restored,
  learned?: SavedReplica,
): Promise<Trained> {
  const { replicas, config } = plan;
  const runs = Array.from({ length: replicas }, (_, r) => {
    return new Randomness(generatorSeed(plan, plan.seed + r), config.children);
  });
  const learner = await createLearner(plan);
  runs.forEach((run, r) => {
    learner.initialise(run.initialisation, r);
    if (learned !== undefined) learner.loadReplica(r, learned, { isElsewhere: isElsewhere(plan) });
  });
  const environments = replicas * config.children;
  return runLoop(plan, { learner, environments }, (workers) => open(plan, runs, learner, workers), events, from);
}

async function open(
  plan: OnPolicyPlan,
  runs: readonly Randomness[],
  learner: OnPolicyLearner,
  workers: Workers,
): Promise<Loop> {
  const { config, replicas, env, envOptions: options } = plan;
  const { children, horizon } = config;
  const rollout = children * horizon;
  const steps = Math.floor(config.steps / rollout) * rollout;
  const earlier = trainedBefore(plan);
  const pool = await workers.open({ env, options, seeds: runs.flatMap((run) => run.seeds) });
  const { objectives } = pool.shape;
  const evaluator = await Evaluator.open(plan, learner, workers, plan.tasks);
  const keeper = new Keeper(learner, config.keep, replicas);
  const collector = new RolloutCollector(learner, pool, replicas, horizon);
  const draws = runs.map((_, r) => drawsOf(plan, objectives, r));
  const preferences = new Float32Array(replicas * children * objectives);
  const counters: OnPolicyCounters = {
    iterations: 0,
    gradientSteps: 0,
    evaluations: 0,
    evaluationSteps: runs.map(() => earlier.evaluationSteps),
  };
  const progress = () => ({ envSteps: counters.iterations * rollout, gradientSteps: counters.gradientSteps });
  const progressOf = () => ({
    envSteps: earlier.envSteps + counters.iterations * rollout,
    gradientSteps: earlier.gradientSteps + counters.gradientSteps,
  });

  return {
    learner,
    pool,
    keeper,
    counters,
    steps,
    progress,
    begin: () => collector.begin(),
    async iterate() {
      runs.forEach(({ choosing }, r) => {
        draws[r].forEach((draw, child) => {
          const row = r * children + child;
          draw(choosing, preferences.subarray(row * objectives, (row + 1) * objectives));
        });
      });
      const played = await collector.collect(
        preferences,
        runs.map((run) => run.acting),
      );
      const random = runs.map((run) => run.learning);
      const share = progressAfter(plan, counters.iterations * rollout, steps);
      counters.gradientSteps += await learner.learn(played, { progress: share, random });
      counters.iterations++;
    },
    log: () => runs.map((_, replica) => ({ replica, ...progressOf(), diagnostics: diagnosticsOf(learner, replica) })),
    evaluate: (watch) => evaluateAll(evaluator, keeper, counters, progressOf, watch),
    hasResult: () => keeper.hasAll,
    finish: () => ({ results: keeper.restore(), last: keeper.last, ...progressOf() }),
    save: () => ({ state: { randomness: runs.map((run) => run.save()) } }),
    load(from) {
      const { randomness } = from.state as unknown as { readonly randomness: readonly StateValue[] };
      runs.forEach((run, r) => run.load(randomness[r]));
    },
  };
}

/** How each child of a replica draws its preference: from its part of a grid, or always the one of its task. */
function drawsOf({ config, tasks }: OnPolicyPlan, objectives: number, replica: number): readonly Draw[] {
  const task = tasks?.[replica];
  if (task === undefined) return gridDraws(objectives, config.preferenceDivisions, config.children);
  return Array.from({ length: config.children }, () => (_random, out) => out.set(task));
}

/** The random streams of a replica. */
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
