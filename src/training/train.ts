import { actionSize, randomAction } from '../algorithms/index.js';
import type { Algorithm, Batch, OffPolicyLearner, Problem } from '../algorithms/index.js';
import type { ConfigOf } from '../config/index.js';
import { envInfo, makeEnv, prepareEnv } from '../envs/index.js';
import type { Environment } from '../envs/index.js';
import { absNormal, simplexGrid, subspaces, uniformFace } from '../preferences/index.js';
import { Random } from '../random/index.js';
import { drawHindsight, Replay } from '../replay/index.js';
import { evaluate } from '../rollout/index.js';
import { openDevice } from '../tensor/index.js';
import type { Values } from '../tensor/index.js';
import type { loopFields } from './fields.js';
import { score } from './score.js';
import type { Score } from './score.js';

export type LoopConfig = ConfigOf<typeof loopFields>;

/** One training, fully decided. */
export interface Plan {
  readonly env: string;
  readonly envOptions: Readonly<Record<string, string>>;
  readonly algorithm: Algorithm;
  readonly config: LoopConfig & Readonly<Record<string, unknown>>;
  readonly device: string;
  /** Of the first replica; the others count up from it. */
  readonly seed: number;
  readonly replicas: number;
}

/** Where a training stands. */
export interface Progress {
  readonly envSteps: number;
  readonly gradientSteps: number;
}

/** A replica's policy set, measured. */
export interface Evaluated extends Progress {
  readonly replica: number;
  readonly score: Score;
  readonly returns: readonly (readonly number[])[];
  readonly diagnostics: Readonly<Record<string, number>>;
}

export interface TrainingEvents {
  /** Once everything that was asked for has proved possible, before the first step. */
  started?(): void;
  /** Asked after every iteration; true ends the training there, with an evaluation. */
  shouldStop?(): boolean;
  /** After every iteration. */
  progress?(progress: Progress): void;
  /** After every evaluation of a replica. */
  evaluated?(evaluated: Evaluated): void;
}

export interface Trained extends Progress {
  readonly learner: OffPolicyLearner;
  /** What the policy set achieves that each replica ends with. */
  readonly results: readonly Evaluated[];
  /** Whether it ended before all its steps were taken. */
  readonly stopped: boolean;
}

/** Rows that are evaluated at once. */
const EVALUATION_ROWS = 256;
export const EVALUATION_SEED = 0;

export function discountOf({ env, config }: Pick<Plan, 'env' | 'config'>): number {
  return config.discount ?? envInfo(env).discount;
}

/** Discount of the returns that are scored; 1 for plain sums. */
export function returnDiscountOf(plan: Pick<Plan, 'env' | 'config'>): number {
  return envInfo(plan.env).discountedReturns ? discountOf(plan) : 1;
}

export function evaluationPreferences({ env, config }: Pick<Plan, 'env' | 'config'>): number[][] {
  return simplexGrid(envInfo(env).objectives.length, config.evaluationDivisions, { floatExact: true });
}

/** The learner of a plan, with fresh parameters. */
export async function createLearner(plan: Plan): Promise<OffPolicyLearner> {
  const { batch, groups } = plan.config;
  if (batch % groups !== 0) throw new RangeError(`groups is ${groups}, but must divide batch, which is ${batch}.`);
  await prepareEnv(plan.env);
  const device = await openDevice(plan.device);
  const learner = await plan.algorithm.create(plan.config, {
    problem: problemOf(plan),
    device,
    replicas: plan.replicas,
    batch,
    groups,
  });
  return learner;
}

function problemOf(plan: Plan): Problem {
  const info = envInfo(plan.env);
  const env = makeEnv(plan.env, plan.envOptions);
  const discount = discountOf(plan);
  const problem = {
    observation: env.observationSpace.low.length,
    actionSpace: env.actionSpace,
    objectives: env.objectives.length,
    discount,
    knownFront: info.knownFront?.(discount),
  };
  env.close();
  return problem;
}

/**
 * The loop of the paper: in every iteration each of K children takes one step with a preference of its own, then K
 * updates are made from replayed transitions under relabelled preferences. All replicas go through it together.
 */
export async function train(plan: Plan, events: TrainingEvents = {}): Promise<Trained> {
  const { config, replicas } = plan;
  const { children, steps, batch, groups } = config;
  const learner = await createLearner(plan);
  const problem = problemOf(plan);
  const { objectives, observation } = problem;
  const action = actionSize(problem.actionSpace);
  const runs = Array.from({ length: replicas }, (_, r) => new Collector(plan, problem, plan.seed + r));
  runs.forEach((run, r) => learner.initialise(run.initialisation, r));

  const observations = new Float32Array(replicas * children * observation);
  const preferences = new Float32Array(replicas * children * objectives);
  const rows = replicas * batch;
  const columns: Batch = {
    observation: new Float32Array(rows * observation),
    action: problem.actionSpace.kind === 'discrete' ? new Int32Array(rows) : new Float32Array(rows * action),
    reward: new Float32Array(rows * objectives),
    next: new Float32Array(rows * observation),
    terminal: new Float32Array(rows),
    preferences: new Float32Array(replicas * groups * objectives),
  };
  const slots = new Int32Array(batch);
  const draw = relabellings[config.relabelling];
  const keeper = new Keeper(learner, config.keep, replicas);
  let [envSteps, gradientSteps, iterations, updatesDue, evaluations] = [0, 0, 0, 0, 0];
  let stopped = false;
  events.started?.();

  while (envSteps < steps && !stopped) {
    const progress = envSteps / steps;
    const isRandom = iterations < config.startSteps;
    let actions: ArrayLike<number> = [];
    if (!isRandom) {
      runs.forEach((run, r) => run.observe(observations, preferences, r * children));
      actions = await learner.act(observations, preferences);
    }
    runs.forEach((run, r) => {
      run.advance((child, random) => {
        if (isRandom) return randomAction(problem.actionSpace, random);
        const at = (r * children + child) * action;
        return learner.explore(slice(actions, at, action), progress, random);
      });
    });
    envSteps += children;
    iterations++;

    if (runs[0].replay.size >= config.learnAfter) {
      updatesDue += children * config.updatesPerStep;
      for (; updatesDue >= 1; updatesDue--) {
        runs.forEach((run, r) => {
          const weights = columns.preferences.subarray(r * groups * objectives, (r + 1) * groups * objectives);
          drawHindsight(run.replay, run.sampling, { groups, copies: config.hindsight, draw }, slots, weights);
          run.replay.gather(slots, columns, r * batch);
        });
        await learner.learn(columns, progress);
        gradientSteps++;
      }
    }
    events.progress?.({ envSteps, gradientSteps });
    stopped = envSteps < steps && (events.shouldStop?.() ?? false);

    if (envSteps >= ((evaluations + 1) * steps) / config.evaluations || envSteps >= steps || stopped) {
      evaluations++;
      for (let replica = 0; replica < replicas; replica++) {
        const evaluated = { ...(await evaluateReplica(plan, learner, replica)), envSteps, gradientSteps };
        await keeper.consider(evaluated);
        events.evaluated?.(evaluated);
      }
    }
  }
  for (const run of runs) run.close();
  return { learner, results: keeper.restore(), envSteps, gradientSteps, stopped };
}

/** Holds on to the policy set that each replica ends with. */
class Keeper {
  private readonly kept: { evaluated: Evaluated; policy: ReadonlyMap<string, Values> }[] = [];

  constructor(
    private readonly learner: OffPolicyLearner,
    private readonly keep: LoopConfig['keep'],
    private readonly replicas: number,
  ) {}

  /** Of equal ones the later stays. */
  async consider(evaluated: Evaluated): Promise<void> {
    const { replica, score: found } = evaluated;
    const before = this.kept.at(replica);
    if (this.keep === 'best' && before !== undefined && found.hypervolume < before.evaluated.score.hypervolume) return;
    const policy = new Map<string, Values>();
    if (this.keep === 'best') {
      const { state, policy: names } = this.learner;
      for (const name of names) policy.set(name, this.shareOf(await state.read(name), replica));
    }
    this.kept[replica] = { evaluated, policy };
  }

  /** Puts the kept policies back into the learner and returns what they achieved. */
  restore(): Evaluated[] {
    for (const { evaluated, policy } of this.kept) {
      for (const [name, values] of policy) this.learner.state.write(name, values, evaluated.replica * values.length);
    }
    return this.kept.map(({ evaluated }) => evaluated);
  }

  private shareOf(values: Values, replica: number): Values {
    const size = values.length / this.replicas;
    return values.slice(replica * size, (replica + 1) * size);
  }
}

/** Plays a replica's policy at every preference, those of the evaluation grid unless others are given. */
export async function evaluateReplica(
  plan: Plan,
  learner: OffPolicyLearner,
  replica: number,
  preferences: readonly (readonly number[])[] = evaluationPreferences(plan),
): Promise<Omit<Evaluated, keyof Progress>> {
  const info = envInfo(plan.env);
  const discount = returnDiscountOf(plan);
  const { returns } = await evaluate(
    policyOf(learner, replica, plan.replicas),
    () => makeEnv(plan.env, plan.envOptions),
    preferences,
    {
      rows: EVALUATION_ROWS,
      discount,
      seed: EVALUATION_SEED,
      episodes: plan.config.episodes,
    },
  );
  const diagnostics = Object.entries(learner.diagnostics()).map(([name, values]) => [name, values[replica]]);
  return {
    replica,
    score: score(info, discount, preferences, returns),
    returns,
    diagnostics: Object.fromEntries(diagnostics) as Record<string, number>,
  };
}

/** One replica's share of a learner that answers for all of them: the others are asked the same. */
function policyOf(learner: OffPolicyLearner, replica: number, replicas: number) {
  return async (observations: Float32Array, preferences: Float32Array): Promise<ArrayLike<number>> => {
    if (replicas === 1) return learner.act(observations, preferences);
    const all = await learner.act(repeat(observations, replicas), repeat(preferences, replicas));
    const share = all.length / replicas;
    return all.subarray(replica * share, (replica + 1) * share);
  };
}

function repeat(values: Float32Array, times: number): Float32Array {
  const out = new Float32Array(values.length * times);
  for (let i = 0; i < times; i++) out.set(values, i * values.length);
  return out;
}

/** The children of one replica, with all its randomness and its replay. */
class Collector {
  readonly replay: Replay;
  readonly initialisation: Random;
  readonly sampling: Random;
  private readonly children: Child[];

  constructor(plan: Plan, problem: Problem, seed: number) {
    const { config } = plan;
    const [initialisation, sampling, ...children] = new Random(seed).streams(2 + config.children);
    this.initialisation = initialisation;
    this.sampling = sampling;
    const { objectives } = problem;
    const draw = preferenceDraws(objectives, config);
    this.children = children.map(
      (random, k) => new Child(makeEnv(plan.env, plan.envOptions), random, draw[k], objectives),
    );
    this.replay = new Replay({
      capacity: config.capacity,
      observation: problem.observation,
      action: actionSize(problem.actionSpace),
      objectives,
      children: config.children,
    });
    this.truncationIsTerminal = config.truncationIsTerminal;
  }

  private readonly truncationIsTerminal: boolean;

  /** Writes what the children see, and the preferences they follow, into rows from one on. */
  observe(observations: Float32Array, preferences: Float32Array, firstRow: number): void {
    this.children.forEach((child, k) => {
      observations.set(child.observation, (firstRow + k) * child.observation.length);
      preferences.set(child.preference, (firstRow + k) * child.preference.length);
    });
  }

  /** Every child takes one step. */
  advance(choose: (child: number, random: Random) => number | Float32Array): void {
    this.children.forEach((child, k) => {
      const action = choose(k, child.random);
      const { observation, preference } = child;
      const { observation: next, reward, terminated, truncated } = child.env.step(action);
      const terminal = terminated || (truncated && this.truncationIsTerminal);
      this.replay.add({ observation, action, reward, next, terminal, preference });
      if (terminated || truncated) child.begin();
      else child.observation = next;
    });
  }

  close(): void {
    for (const child of this.children) child.env.close();
  }
}

class Child {
  observation: Float32Array;
  readonly preference: Float32Array;

  constructor(
    readonly env: Environment,
    readonly random: Random,
    private readonly drawPreference: (random: Random, out: Float32Array) => unknown,
    objectives: number,
  ) {
    this.preference = new Float32Array(objectives);
    this.drawPreference(random, this.preference);
    this.observation = env.reset({ seed: random.uint32() }).observation;
  }

  /** A new episode, with a new preference. */
  begin(): void {
    this.drawPreference(this.random, this.preference);
    this.observation = this.env.reset().observation;
  }
}

/** How relabelled preferences are drawn. */
const relabellings: Readonly<Record<LoopConfig['relabelling'], (random: Random, out: Float32Array) => unknown>> = {
  'abs-normal': absNormal,
  faces: uniformFace,
};

/** How each child draws its preferences: from its part of a grid, or as relabelled ones are. */
function preferenceDraws(
  objectives: number,
  { preferenceDivisions: divisions, children, relabelling }: LoopConfig,
): ((random: Random, out: Float32Array) => unknown)[] {
  if (divisions === 0) return Array.from({ length: children }, () => relabellings[relabelling]);
  const grid = simplexGrid(objectives, divisions, { floatExact: true });
  return subspaces(grid, children).map((part) => (random, out) => out.set(part[random.integer(part.length)]));
}

function slice(values: ArrayLike<number>, start: number, length: number): ArrayLike<number> {
  return length === 1 ? [values[start]] : Float32Array.from({ length }, (_, i) => values[start + i]);
}
