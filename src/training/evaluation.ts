/**
 * Measures policy sets while and after they are trained: plays every preference of the evaluation grid, scores the
 * returns, and keeps the policy set that a run ends with.
 */
import type { Learner } from '../algorithms/index.js';
import { envInfo } from '../envs/index.js';
import { score } from '../fronts/score.js';
import type { Policy } from '../model/index.js';
import { evaluateSeveral } from '../rollout/index.js';
import type { EnvPool, Evaluation, Played, Workers } from '../rollout/index.js';
import type { Values } from '../tensor/index.js';
import { discountOf, evaluationPreferences, evaluationSeedOf, returnDiscountOf } from './definition.js';
import type { Evaluated, LoopConfig, Plan, Progress } from './definition.js';
import { policyOf } from './model.js';
import type { PolicyTensors } from './model.js';
import { checkLearned, faultOf } from './non-finite.js';

/** Preferences that a policy set plays at once, and environments in which several sets play side by side. */
const EVALUATION_ROWS = 256;
const ENVIRONMENTS = 768;
/** A ratio of expected to earned utility above which the critic has diverged; no learner that recovered was beyond 5. */
export const DIVERGED = 10;

/**
 * Hears, after every step of the environments, which share of an evaluation is done; what it throws ends the evaluation
 * there. Nothing has changed then.
 */
export type Watch = (share: number) => void;

/** What one evaluation says, and the environment steps that it took. */
interface Scored extends Omit<Evaluated, keyof Progress | 'evaluationSteps'> {
  readonly steps: number;
}

/** Plays policy sets, in environments of its own that are made once. A learner is scored too. */
export class Evaluator<P extends Policy = Learner> {
  private constructor(
    private readonly plan: Plan,
    private readonly policy: P,
    private readonly pool: EnvPool,
    private readonly preferences: readonly (readonly number[])[],
    /** Environments of each policy set that plays. */
    private readonly rows: number,
  ) {}

  /** @param preferences those of the plan's evaluation grid unless others are given */
  static async open<P extends Policy>(
    plan: Plan,
    policy: P,
    workers: Workers,
    preferences: readonly (readonly number[])[] = evaluationPreferences(plan),
  ): Promise<Evaluator<P>> {
    const rows = Math.min(EVALUATION_ROWS, preferences.length);
    const together = Math.min(plan.replicas, Math.max(1, Math.floor(ENVIRONMENTS / rows)));
    const seeds = new Array<number>(together * rows).fill(evaluationSeedOf(plan));
    const pool = await workers.open({ env: plan.env, options: plan.envOptions, seeds });
    return new Evaluator(plan, policy, pool, preferences, rows);
  }

  /**
   * Plays a replica's policy at every preference.
   * @param seed of the first episode, that of the plan unless another one is given
   */
  async play(replica: number, episodes: number, watch?: Watch, seed?: number): Promise<Evaluation> {
    return (await this.playEach([replica], episodes, watch, seed))[0];
  }

  private async playEach(
    replicas: readonly number[],
    episodes: number,
    watch: Watch = () => undefined,
    seed = evaluationSeedOf(this.plan),
  ): Promise<Evaluation[]> {
    const { plan, policy, pool, rows } = this;
    const together = pool.size / rows;
    const options = {
      discount: returnDiscountOf(plan),
      criticDiscount: discountOf(plan),
      seed,
    };
    const played: Evaluation[] = [];
    const perReplica = this.preferences.length * episodes;
    for (let from = 0; from < replicas.length; from += together) {
      const some = replicas.slice(from, from + together);
      const act = answersOf((s, w) => policy.act(s, w), some, plan.replicas, together);
      const playing = evaluateSeveral(act, pool, this.preferences, {
        ...options,
        episodes,
        players: some.length,
        rows,
        watch: (now) => watch((from * perReplica + episodesDone(plan, now)) / (replicas.length * perReplica)),
      });
      const evaluations = await playing.catch((error: unknown) => {
        throw faultOf(error, pool);
      });
      played.push(...evaluations);
    }
    return played;
  }

  /** Plays a replica's policy set and scores it. */
  async score(this: Evaluator, replica: number): Promise<Scored> {
    return (await this.scoreEach([replica]))[0];
  }

  /** Plays the policy sets of replicas side by side and scores each. */
  async scoreEach(this: Evaluator, replicas: readonly number[], watch?: Watch): Promise<Scored[]> {
    // An index of an action is always a number, whatever the values are that it was chosen by.
    await checkLearned(this.policy);
    const played = await this.playEach(replicas, this.plan.config.episodes, watch);
    const scored: Scored[] = [];
    for (const [i, replica] of replicas.entries()) scored.push(await this.scoreOf(replica, played[i]));
    return scored;
  }

  private async scoreOf(this: Evaluator, replica: number, played: Evaluation): Promise<Scored> {
    const { plan, policy: learner, preferences } = this;
    return {
      replica,
      steps: played.steps,
      score: score(envInfo(plan.env), returnDiscountOf(plan), preferences, played.returns, preferences),
      returns: played.returns,
      diagnostics: {
        ...diagnosticsOf(learner, replica),
        ...(await this.expectation(replica, played)),
        episodeLength: played.steps / (preferences.length * plan.config.episodes),
      },
    };
  }

  /**
   * What the critic expects at the starts of the episodes that were played, against what they earned: both discounted as
   * the critic does, and times the preference. Far above 1 it diverges; far below it has not caught up yet.
   */
  private async expectation(
    this: Evaluator,
    replica: number,
    { first: { starts, returns } }: Evaluation,
  ): Promise<Readonly<Record<string, number>>> {
    const { policy: learner, preferences } = this;
    if (learner.expected === undefined) return {};
    const expected = learner.expected.bind(learner);
    const ask = answersOf((s, w) => expected(s, w), [replica], this.plan.replicas, 1);
    const { rows } = this;
    const width = starts.length / preferences.length;
    let [sum, earned] = [0, 0];
    for (let from = 0; from < preferences.length; from += rows) {
      // The last rows again where they do not fill a whole request.
      const first = Math.min(from, preferences.length - rows);
      const w = Float32Array.from(preferences.slice(first, first + rows).flat());
      const expectations = await ask(starts.slice(first * width, (first + rows) * width), w);
      for (let i = from; i < Math.min(from + rows, preferences.length); i++) {
        sum += Math.abs(expectations[i - first]);
        earned += Math.abs(preferences[i].reduce((total, weight, k) => total + weight * returns[i][k], 0));
      }
    }
    return {
      expectedValue: sum / preferences.length,
      earnedValue: earned / preferences.length,
      // Nothing earned says nothing about the critic.
      ...(earned > 0 && { valueRatio: sum / earned }),
    };
  }
}

/** Episodes that were played, and of those that go on the share that lies behind them, if none ends early. */
export function episodesDone({ env }: Plan, { episodes, running }: Played): number {
  return episodes + running / envInfo(env).horizon;
}

type Ask = (observations: Float32Array, preferences: Float32Array) => Promise<Values>;

/**
 * Asks a learner, which answers for all its replicas, for some of them: each has a block of the rows that are asked about.
 * The other replicas are asked what the first of them is; blocks that belong to none get its answers.
 */
function answersOf(ask: Ask, some: readonly number[], replicas: number, blocks: number): Ask {
  const blockOf = Array.from({ length: replicas }, (_, replica) => Math.max(0, some.indexOf(replica)));
  const replicaOf = Array.from({ length: blocks }, (_, block) => some[block] ?? some[0]);
  return async (observations, preferences) => {
    const all = await ask(inOrder(observations, blocks, blockOf), inOrder(preferences, blocks, blockOf));
    return inOrder(all, replicas, replicaOf);
  };
}

/** Equal parts of an array in another order, some perhaps more than once; the array itself where they stay as they are. */
function inOrder<A extends Values>(values: A, parts: number, order: readonly number[]): A {
  if (order.length === parts && order.every((part, i) => part === i)) return values;
  const size = values.length / parts;
  const out = (
    values instanceof Int32Array ? new Int32Array(size * order.length) : new Float32Array(size * order.length)
  ) as A;
  order.forEach((part, i) => out.set(values.subarray(part * size, (part + 1) * size), i * size));
  return out;
}

/** A policy set with what it achieves. */
export interface Measured {
  readonly evaluated: Evaluated;
  readonly policy: PolicyTensors;
}

/** Holds on to the policy set that each replica ends with. */
export class Keeper {
  private readonly kept: Measured[] = [];
  private readonly latest: Measured[] = [];

  constructor(
    private readonly learner: Learner,
    private readonly keep: LoopConfig['keep'],
    private readonly replicas: number,
  ) {}

  /** Of equal ones the later stays. */
  async consider(evaluated: Evaluated): Promise<void> {
    const { replica, score: current } = evaluated;
    const before = this.kept.at(replica);
    const isBest = this.keep === 'best';
    const measured = { evaluated, policy: isBest ? await policyOf(this.learner, replica) : new Map() };
    if (isBest) this.latest[replica] = measured;
    if (isBest && before !== undefined && current.hypervolume < before.evaluated.score.hypervolume) return;
    this.kept[replica] = measured;
  }

  /** The policy sets that were evaluated last, where the best are kept. */
  get last(): readonly Measured[] {
    return this.latest;
  }

  /** Whether there is one of every replica, as it was evaluated: only the best ones are stored. */
  get hasAll(): boolean {
    return this.keep === 'best' && this.kept.length === this.replicas;
  }

  /** Puts the kept policies back into the learner and returns what they achieved. */
  restore(): Evaluated[] {
    for (const { evaluated, policy } of this.kept) {
      for (const [name, values] of policy) this.learner.state.write(name, values, evaluated.replica * values.length);
    }
    return this.kept.map(({ evaluated }) => evaluated);
  }

  save(): SavedPolicies {
    const tensors = new Map<string, Values>();
    const put = (which: string, { evaluated: { replica }, policy }: Measured) => {
      for (const [name, values] of policy) tensors.set(`${which}${replica}.${name}`, values);
    };
    for (const measured of this.kept) put('', measured);
    for (const measured of this.latest) if (!this.kept.includes(measured)) put(LAST, measured);
    const evaluatedOf = (all: readonly Measured[]) => all.map(({ evaluated }) => evaluated);
    return { evaluated: evaluatedOf(this.kept), last: evaluatedOf(this.latest), tensors };
  }

  load({ evaluated: kept, last, tensors }: SavedPolicies): void {
    const policyIn = (prefix: string) => {
      const entries = [...tensors].filter(([name]) => name.startsWith(prefix));
      return new Map(entries.map(([name, values]) => [name.slice(prefix.length), values as Float32Array]));
    };
    for (const evaluated of kept) {
      this.kept[evaluated.replica] = { evaluated, policy: policyIn(`${evaluated.replica}.`) };
    }
    for (const evaluated of last) {
      const { replica } = evaluated;
      const policy = policyIn(`${LAST}${replica}.`);
      this.latest[replica] = policy.size > 0 ? { evaluated, policy } : this.kept[replica];
    }
  }
}

/** The policies that a keeper holds: of those that are kept, the tensors are named by replica and state entry. */
export interface SavedPolicies {
  readonly evaluated: readonly Evaluated[];
  /** The last evaluations; their policies are among the tensors where they are not those that are kept. */
  readonly last: readonly Evaluated[];
  readonly tensors: ReadonlyMap<string, Values>;
}

const LAST = 'last.';

/**
 * Plays and scores the policy set of every replica, and offers each to the keeper.
 * @param counters of which the steps of evaluations are counted up, one entry for each replica
 */
export async function evaluateAll(
  evaluator: Evaluator,
  keeper: Keeper,
  { evaluationSteps }: { readonly evaluationSteps: number[] },
  progressOf: (replica: number) => Progress,
  watch?: Watch,
): Promise<Evaluated[]> {
  const scored = await evaluator.scoreEach([...evaluationSteps.keys()], watch);
  const evaluated = scored.map(({ steps, ...one }) => {
    evaluationSteps[one.replica] += steps;
    return { ...one, evaluationSteps: evaluationSteps[one.replica], ...progressOf(one.replica) };
  });
  for (const one of evaluated) await keeper.consider(one);
  return evaluated;
}

/** What the updates of a replica last reported. */
export function diagnosticsOf(learner: Pick<Learner, 'diagnostics'>, replica: number): Record<string, number> {
  return Object.fromEntries(Object.entries(learner.diagnostics()).map(([name, values]) => [name, values[replica]]));
}
