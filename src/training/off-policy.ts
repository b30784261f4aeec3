/**
 * The training loop of off-policy learners, which is the paper's: collect transitions under many preferences, and
 * update from replayed ones under relabelled preferences.
 */
import { actionSize, replicaPart } from '../algorithms/index.js';
import type { Batch, KeyReturns, OffPolicyLearner, Problem, SavedReplica, SlotBatch } from '../algorithms/index.js';
import type { StateValue } from '../envs/index.js';
import type { Random } from '../random/index.js';
import { ringSize } from '../replay/index.js';
import type { EnvPool, Workers } from '../rollout/index.js';
import type { Values } from '../tensor/index.js';
import { pause } from '../tensor/pause.js';
import { Collector } from './collector.js';
import { createLearner, problemOf } from './create-learner.js';
import { generatorSeed, isElsewhere, progressAfter, replicaPlan, trainedBefore } from './definition.js';
import type { OffPolicyPlan } from './definition.js';
import { diagnosticsOf, evaluateAll, Evaluator, Keeper } from './evaluation.js';
import { runLoop } from './loop.js';
import type { Counters, Loop, Trained, TrainingEvents } from './loop.js';
import { finishStep } from './non-finite.js';
import type { Restored } from './snapshot.js';

/** One in this many updates reports its diagnostics. */
const REPORT_EVERY = 10;
/** Updates that are queued in a row on a device that queues its work. */
const QUEUED_IN_A_ROW = 3;
/** Episodes that key preferences are played for while training, as published. */
const KEY_EPISODES = 3;

/** Key solutions that were trained, and what that cost. */
export interface TrainedKeys {
  readonly returns: KeyReturns;
  readonly envSteps: number;
  /** Absent in checkpoints of earlier versions. */
  readonly evaluationSteps?: number;
}

/** How far the loop has come. */
interface OffPolicyCounters extends Counters {
  /** Environment steps of the loop. */
  taken: number;
  iterations: number;
  /** Updates that are due, with the fraction that is left over from earlier iterations. */
  updatesDue: number;
  /** Environment steps that the key solutions of each replica took. */
  readonly keySteps: number[];
  /** Episodes of every child after which each replica plays the key preferences again. */
  readonly keyEpisodes: number[];
}

/**
 * The loop of the paper: in every iteration each of K children takes one step with a preference of its own, and K
 * updates are made from replayed transitions under relabelled preferences. Actions come from the parameters before the
 * updates, which are made while the environments step: what comes out does not depend on how many threads do that, or when.
 * @param keys that were trained before, and what they took
 * @param learned by the run that it begins with, where it does
 */
export async function trainOffPolicy(
  plan: OffPolicyPlan,
  events: TrainingEvents,
  from?: Restored,
  { keys, learned }: { readonly keys?: TrainedKeys; readonly learned?: SavedReplica | undefined } = {},
): Promise<Trained> {
  const { config, replicas } = plan;
  const { children, capacity, steps } = config;
  const problem = await problemOf(plan);
  const runs = Array.from({ length: replicas }, (_, r) => {
    const own = replicaPlan(plan, r);
    const seed = generatorSeed(plan, own.seed);
    return new Collector(own, problem, seed, r * children, plan.tasks?.[r]);
  });
  // A copy of the replay on a device has single steps.
  const resident = config.nStep > 1 ? undefined : ringSize({ capacity: Math.min(capacity, steps), children });
  const learner = await createLearner(plan, resident);
  runs.forEach((run, r) => {
    learner.initialise(run.initialisation, r);
    if (learned !== undefined) learner.loadReplica(r, learned, { isElsewhere: isElsewhere(plan) });
  });
  const parts = { plan, problem, runs, learner, keys };
  return runLoop(plan, { learner, environments: replicas * children }, (workers) => open(parts, workers), events, from);
}

interface Parts {
  readonly plan: OffPolicyPlan;
  readonly problem: Problem;
  readonly runs: readonly Collector[];
  readonly learner: OffPolicyLearner;
  readonly keys: TrainedKeys | undefined;
}

async function open({ plan, problem, runs, learner, keys }: Parts, workers: Workers): Promise<Loop> {
  const { config, replicas, env, envOptions: options } = plan;
  const { children, steps, batch, groups } = config;
  const { objectives } = problem;
  const earlier = trainedBefore(plan);
  // A policy that another run has trained acts from the first step on.
  const startSteps = plan.from === undefined ? config.startSteps : 0;
  const { isOrdered = false } = learner.state.device;
  const behave = learner.behave?.bind(learner) ?? learner.act.bind(learner);
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
  const counters: OffPolicyCounters = {
    taken: 0,
    gradientSteps: 0,
    iterations: 0,
    updatesDue: 0,
    evaluations: 0,
    evaluationSteps: runs.map(() => earlier.evaluationSteps + (keys?.evaluationSteps ?? 0)),
    keySteps: runs.map(() => keys?.envSteps ?? 0),
    keyEpisodes: runs.map(() => 1),
  };
  const progressOf = (replica: number) => ({
    envSteps: earlier.envSteps + counters.taken + counters.keySteps[replica],
    gradientSteps: earlier.gradientSteps + counters.gradientSteps,
  });

  /** Makes the updates that are due in an iteration. */
  async function learn(progress: number): Promise<void> {
    learner.replays?.follow(runs.map((run) => run.replay));
    counters.updatesDue += children * config.updatesPerStep;
    for (; counters.updatesDue >= 1; counters.updatesDue--) {
      // Lets actions that are ready be handled: environments then step while the other updates are queued.
      if (isOrdered && counters.gradientSteps % QUEUED_IN_A_ROW === 0) await pause();
      drawBatch(runs, drawn);
      counters.gradientSteps++;
      const random = runs.map((run) => run.sampling);
      const report = counters.gradientSteps % REPORT_EVERY === 1;
      await learner.learn(drawn, { progress, update: counters.gradientSteps, random, report });
    }
  }

  /** Plays the key preferences with the replicas whose children have finished enough episodes. */
  async function playKeys(player: Evaluator): Promise<void> {
    for (const [replica, run] of runs.entries()) {
      if (run.finishedEpisodes <= counters.keyEpisodes[replica]) continue;
      counters.keyEpisodes[replica] += config.keyUpdates as number;
      const played = await player.play(replica, KEY_EPISODES);
      learner.keys![replica].offer(played.returns);
      counters.keySteps[replica] += played.steps;
    }
  }

  return {
    learner,
    pool,
    keeper,
    replays: runs.map((run) => run.replay),
    counters,
    steps,
    progress: () => ({ envSteps: counters.taken, gradientSteps: counters.gradientSteps }),
    async iterate() {
      const progress = progressAfter(plan, counters.taken, steps);
      before.set(pool.observations);
      learner.observe?.(before);
      runs.forEach((run, r) => preferences.set(run.preferences, r * children * objectives));
      const acting = counters.iterations < startSteps ? undefined : behave(before, preferences);
      const begun = begin(pool, runs, acting, (action, random, ...rows) =>
        learner.explore(action, progress, random, ...rows),
      );
      // On a device that queues its work, updates are queued while it still computes the actions. If those fail, so do the
      // updates, and `begun` is never awaited.
      begun.catch(() => undefined);
      if (!isOrdered) await begun;
      if (runs[0].replay.size >= config.learnAfter) await learn(progress);
      await begun;
      await finishStep(pool, preferences);
      learner.earn?.(pool.rewards, pool.ends);
      for (const run of runs) run.gather(pool, before);
      counters.taken += children;
      counters.iterations++;
      if (keyPlayer !== undefined) await playKeys(keyPlayer);
    },
    log: () =>
      runs.map((_, replica) => ({ replica, ...progressOf(replica), diagnostics: diagnosticsOf(learner, replica) })),
    evaluate: (watch) => evaluateAll(evaluator, keeper, counters, progressOf, watch),
    hasResult: () => keeper.hasAll,
    finish: () => ({ results: keeper.restore(), last: keeper.last, ...progressOf(0) }),
    save: () => ({
      state: { collectors: runs.map((run) => run.save()), keys: (keys ?? null) as StateValue },
    }),
    load(from) {
      const { collectors } = from.state as unknown as { readonly collectors: readonly StateValue[] };
      runs.forEach((run, r) => run.load(collectors[r]));
      from.restoreReplays(runs.map((run) => run.replay));
    },
  };
}

/** Starts a step of all environments: with a policy's actions and exploration, once they are there, or with random actions. */
async function begin(
  pool: EnvPool,
  runs: readonly Collector[],
  acting: Promise<Values> | undefined,
  explore: (action: Values, random: Random, replica: number, environment: number) => number | Float32Array,
): Promise<void> {
  const actions = await acting;
  const width = actions === undefined ? 0 : actions.length / pool.size;
  const children = pool.size / runs.length;
  runs.forEach((run, r) => {
    run.act(
      pool,
      actions &&
        ((child, random) => {
          const environment = r * children + child;
          return explore(actions.subarray(environment * width, (environment + 1) * width), random, r, environment);
        }),
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
