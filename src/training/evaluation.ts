import { replicaPart } from '../algorithms/index.js';
import type { OffPolicyLearner } from '../algorithms/index.js';
import { envInfo } from '../envs/index.js';
import { evaluate } from '../rollout/index.js';
import type { EnvPool, Evaluation, Workers } from '../rollout/index.js';
import type { Values } from '../tensor/index.js';
import { discountOf, evaluationPreferences, returnDiscountOf } from './definition.js';
import type { Evaluated, LoopConfig, Plan, Progress } from './definition.js';
import { score } from './score.js';

/** Rows that are evaluated at once. */
const EVALUATION_ROWS = 256;
export const EVALUATION_SEED = 0;
/** Above this the critic's expectation has nothing to do with what is earned: no learner that recovered was beyond 5. */
export const DIVERGED = 10;

/** Plays policy sets, in environments of its own that are made once. */
export class Evaluator {
  private constructor(
    private readonly plan: Plan,
    private readonly learner: OffPolicyLearner,
    private readonly pool: EnvPool,
    private readonly preferences: readonly (readonly number[])[],
  ) {}

  /** @param preferences those of the plan's evaluation grid unless others are given */
  static async open(
    plan: Plan,
    learner: OffPolicyLearner,
    workers: Workers,
    preferences: readonly (readonly number[])[] = evaluationPreferences(plan),
  ): Promise<Evaluator> {
    const rows = Math.min(EVALUATION_ROWS, preferences.length);
    const seeds = new Array<number>(rows).fill(EVALUATION_SEED);
    const pool = await workers.open({ env: plan.env, options: plan.envOptions, seeds });
    return new Evaluator(plan, learner, pool, preferences);
  }

  /** Plays a replica's policy at every preference. */
  async play(replica: number, episodes = this.plan.config.episodes): Promise<Evaluation> {
    const policy = policyOf(this.learner, replica, this.plan.replicas);
    return evaluate(policy, this.pool, this.preferences, {
      discount: returnDiscountOf(this.plan),
      criticDiscount: discountOf(this.plan),
      seed: EVALUATION_SEED,
      episodes,
    });
  }

  /** Plays a replica's policy set and scores it. */
  async score(replica: number): Promise<Omit<Evaluated, keyof Progress>> {
    const { plan, learner, preferences } = this;
    const played = await this.play(replica);
    const diagnostics = Object.entries(learner.diagnostics()).map(([name, values]) => [name, values[replica]] as const);
    return {
      replica,
      score: score(envInfo(plan.env), returnDiscountOf(plan), preferences, played.returns),
      returns: played.returns,
      diagnostics: {
        ...Object.fromEntries(diagnostics),
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
    replica: number,
    { first: { starts, returns } }: Evaluation,
  ): Promise<Readonly<Record<string, number>>> {
    const { learner, preferences } = this;
    if (learner.expected === undefined) return {};
    const expected = learner.expected.bind(learner);
    const ask = shared((s, w) => expected(s, w), replica, this.plan.replicas);
    const rows = Math.min(EVALUATION_ROWS, preferences.length);
    const width = starts.length / preferences.length;
    let [sum, earned] = [0, 0];
    for (let from = 0; from < preferences.length; from += rows) {
      // The last rows again where they do not fill a whole request.
      const first = Math.min(from, preferences.length - rows);
      const w = Float32Array.from(preferences.slice(first, first + rows).flat());
      const worth = await ask(starts.slice(first * width, (first + rows) * width), w);
      for (let i = from; i < Math.min(from + rows, preferences.length); i++) {
        sum += Math.abs(worth[i - first]);
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

type Ask = (observations: Float32Array, preferences: Float32Array) => Promise<Values>;

/** One replica's share of a learner that answers for all of them: the others are asked the same. */
function shared(ask: Ask, replica: number, replicas: number): Ask {
  if (replicas === 1) return ask;
  return async (observations, preferences) => {
    const all = await ask(repeat(observations, replicas), repeat(preferences, replicas));
    return replicaPart(all, replica, replicas);
  };
}

function policyOf(learner: OffPolicyLearner, replica: number, replicas: number): Ask {
  return shared((s, w) => learner.act(s, w), replica, replicas);
}

function repeat(values: Float32Array, times: number): Float32Array {
  const out = new Float32Array(values.length * times);
  for (let i = 0; i < times; i++) out.set(values, i * values.length);
  return out;
}

/** Holds on to the policy set that each replica ends with. */
export class Keeper {
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
      for (const name of names) policy.set(name, replicaPart(await state.read(name), replica, this.replicas).slice());
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

  /** The policies are named by replica and state entry. */
  save(): { readonly evaluated: readonly Evaluated[]; readonly tensors: ReadonlyMap<string, Values> } {
    const tensors = new Map<string, Values>();
    for (const { evaluated, policy } of this.kept) {
      for (const [name, values] of policy) tensors.set(`${evaluated.replica}.${name}`, values);
    }
    return { evaluated: this.kept.map(({ evaluated }) => evaluated), tensors };
  }

  load(kept: readonly Evaluated[], tensors: ReadonlyMap<string, Values>): void {
    for (const evaluated of kept) {
      const prefix = `${evaluated.replica}.`;
      const own = [...tensors].filter(([name]) => name.startsWith(prefix));
      const policy = new Map(own.map(([name, values]) => [name.slice(prefix.length), values]));
      this.kept[evaluated.replica] = { evaluated, policy };
    }
  }
}
