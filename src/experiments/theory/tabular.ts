/**
 * Tabular multi-objective MDPs, and the operators of Theorem 1 on their Q-tables. An operator works at each preference by
 * itself, so a Q-table here is that of one preference, and the supremum over preferences is taken by the caller.
 */
import type { Random } from '../../random/index.js';
import { dot, norm } from './finding.js';

/** A vector for each action of each state. */
export type QTable = readonly (readonly (readonly number[])[])[];

export interface TabularMdp {
  /** Expected reward vectors. */
  readonly rewards: QTable;
  /** For each state and action the probability of every next state. */
  readonly next: QTable;
  readonly discount: number;
}

/** How the next action is chosen: the one whose vector has the highest score. */
export type Score = (q: readonly number[]) => number;

/** w.Q, the scalarised optimality operator's. */
export function utilityScore(w: ArrayLike<number>): Score {
  return (q) => dot(w, q);
}

/** S_c(I(w), Q) w.Q with the cosine in [0, 0.9999], as PD-MORL computes it. */
export function similarityScore(w: ArrayLike<number>, direction: ArrayLike<number>): Score {
  const length = norm(direction);
  return (q) => {
    const cosine = dot(direction, q) / Math.max(1e-16, length * norm(q));
    return Math.min(0.9999, Math.max(0, cosine)) * dot(w, q);
  };
}

/** r(s, a) + gamma E[Q(s', a*)] with the a* of the highest score; of equal ones the first. */
export function applyOperator({ rewards, next, discount }: TabularMdp, q: QTable, score: Score): QTable {
  const values = q.map((actions) => actions.reduce((best, other) => (score(other) > score(best) ? other : best)));
  return rewards.map((actions, s) =>
    actions.map((reward, a) =>
      reward.map((r, k) => r + discount * next[s][a].reduce((sum, p, s2) => sum + p * values[s2][k], 0)),
    ),
  );
}

/** The paper's distance at one preference: the largest |w.(Q - Q')| over states and actions. */
export function distanceAt(w: ArrayLike<number>, q: QTable, other: QTable): number {
  return Math.max(...q.flatMap((actions, s) => actions.map((x, a) => Math.abs(dot(w, x) - dot(w, other[s][a])))));
}

/** The fixed point of a contraction, to the given number of iterations. */
export function iterate(mdp: TabularMdp, score: Score, iterations: number): QTable {
  let q = mdp.rewards;
  for (let i = 0; i < iterations; i++) q = applyOperator(mdp, q, score);
  return q;
}

export interface MdpSize {
  readonly states: number;
  readonly actions: number;
  readonly objectives: number;
}

/** Rewards uniform in [0, 1], transitions uniform among distributions with two next states. */
export function randomMdp(random: Random, { states, actions, objectives }: MdpSize, discount: number): TabularMdp {
  const transition = () => {
    const row = new Array<number>(states).fill(0);
    const p = random.uniform();
    row[random.integer(states)] += p;
    row[random.integer(states)] += 1 - p;
    return row;
  };
  return {
    rewards: randomTable(random, { states, actions, objectives }, 1),
    next: Array.from({ length: states }, () => Array.from({ length: actions }, transition)),
    discount,
  };
}

/** Entries uniform in [0, scale]. */
export function randomTable(random: Random, { states, actions, objectives }: MdpSize, scale: number): QTable {
  const vector = () => Array.from({ length: objectives }, () => scale * random.uniform());
  return Array.from({ length: states }, () => Array.from({ length: actions }, vector));
}
