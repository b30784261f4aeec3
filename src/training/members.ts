/** Measures finite sets of policies, which trainings of a population end with: plays every member and scores the set. */
import { envInfo } from '../envs/index.js';
import { score } from '../fronts/score.js';
import { evaluate, type EnvPool, type Evaluation, type PolicySet, type Workers } from '../rollout/index.js';
import { discountOf, evaluationPreferences, evaluationSeedOf, returnDiscountOf } from './definition.js';
import type { Evaluated, Plan } from './definition.js';
import { episodesDone, type Watch } from './evaluation.js';
import { faultOf } from './non-finite.js';

/** Members that are played at once. */
const ROWS = 256;

/** Environments in which policies of a population are played, each by a policy of its own. */
export function openMemberPool(plan: Plan, workers: Workers, rows: number): Promise<EnvPool> {
  const { env, envOptions: options } = plan;
  return workers.open({ env, options, seeds: new Array<number>(rows).fill(evaluationSeedOf(plan)) });
}

/**
 * Plays policies, one in each environment of a pool from the first on.
 * @param act deterministic actions for as many rows of observations as the pool has environments
 * @param weights that the policies are for, by which faults are named: at most as many as the pool has environments
 */
export async function playEach(
  plan: Plan,
  pool: EnvPool,
  act: (observations: Float32Array, weights: Float32Array) => Promise<ArrayLike<number>>,
  weights: readonly (readonly number[])[],
  watch: Watch = () => undefined,
): Promise<Evaluation> {
  // With no more weights than environments each environment plays that of its own number, and then nothing.
  const played = evaluate(act, pool, weights, {
    discount: returnDiscountOf(plan),
    criticDiscount: discountOf(plan),
    seed: evaluationSeedOf(plan),
    episodes: plan.config.episodes,
    watch: (now) => watch(episodesDone(plan, now) / (weights.length * plan.config.episodes)),
  });
  return played.catch((error: unknown) => {
    throw faultOf(error, pool);
  });
}

/** Plays every member of a set, in the order of the members. */
export async function playMembers(
  plan: Plan,
  set: PolicySet,
  workers: Workers,
  watch?: Watch,
): Promise<{ readonly returns: number[][]; readonly steps: number }> {
  const rows = Math.min(ROWS, set.members);
  const pool = await openMemberPool(plan, workers, rows);
  const objectives = envInfo(plan.env).objectives.length;
  const returns: number[][] = [];
  let steps = 0;
  for (let first = 0; first < set.members; first += rows) {
    const members = Int32Array.from({ length: rows }, (_, i) => Math.min(first + i, set.members - 1));
    const count = Math.min(rows, set.members - first);
    const equal = Array.from({ length: count }, () => new Array<number>(objectives).fill(1 / objectives));
    const played = await playEach(
      plan,
      pool,
      (s) => set.actAs(s, members),
      equal,
      (share) => watch?.((first + count * share) / set.members),
    );
    returns.push(...played.returns);
    steps += played.steps;
  }
  return { returns, steps };
}

/** The score of a set: its members' returns are its front, and each preference has the utility of its best member. */
export function scoredMembers(
  plan: Plan,
  returns: readonly (readonly number[])[],
): Pick<Evaluated, 'score' | 'returns'> & { readonly preferences: readonly (readonly number[])[] } {
  const grid = evaluationPreferences(plan);
  return {
    // Each preference is answered by its best member, so there is nothing to regret.
    score: score(envInfo(plan.env), returnDiscountOf(plan), grid, returns),
    returns,
    preferences: memberPreferences(returns, grid),
  };
}

/**
 * For each member the preference of a grid that it is the answer to: of all at which it is the best, the middle one. Where
 * it is the best at none, the one at which the least is lost with it.
 */
export function memberPreferences(
  points: readonly (readonly number[])[],
  grid: readonly (readonly number[])[],
): (readonly number[])[] {
  const utility = (w: readonly number[], point: readonly number[]) =>
    w.reduce((sum, weight, k) => sum + weight * point[k], 0);
  const most = grid.map((w) => points.reduce((best, point) => Math.max(best, utility(w, point)), -Infinity));
  return points.map((point) => {
    const losses = grid.map((w, i) => most[i] - utility(w, point));
    const least = losses.reduce((one, other) => Math.min(one, other));
    const alike = grid.filter((_, i) => losses[i] === least);
    return middle(alike);
  });
}

/** Of some preferences the one that is nearest to their mean. */
function middle(preferences: readonly (readonly number[])[]): readonly number[] {
  const mean = preferences[0].map((_, k) => preferences.reduce((sum, w) => sum + w[k], 0) / preferences.length);
  const distance = (w: readonly number[]) => w.reduce((sum, value, k) => sum + (value - mean[k]) ** 2, 0);
  return preferences.reduce((best, w) => (distance(w) < distance(best) ? w : best));
}
