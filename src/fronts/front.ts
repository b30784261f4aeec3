/** The front of an evaluation: its distinct non-dominated returns, each with a preference that leads to it. */
import { nonDominatedIndices } from '../pareto/index.js';

/** An evaluation: a return for each preference. */
export interface ReturnsAt {
  readonly preferences: readonly (readonly number[])[];
  readonly returns: readonly (readonly number[])[];
  /** What the own policy of each preference returns, where a model has answers by the policies of others. */
  readonly own?: readonly (readonly number[])[];
}

/** Of all evaluated preferences that lead to a point, the one nearest to their mean: it stands rounding best. */
export function frontOf({ preferences, returns }: ReturnsAt): ReturnsAt {
  const keyOf = (index: number) => returns[index].join();
  const alike = new Map<string, number[]>();
  returns.forEach((_, index) => {
    const key = keyOf(index);
    const group = alike.get(key);
    if (group === undefined) alike.set(key, [index]);
    else group.push(index);
  });
  const front = nonDominatedIndices(returns);
  const chosen = front.map((index) => middle(preferences, alike.get(keyOf(index))!));
  return { preferences: chosen.map((i) => preferences[i]), returns: front.map((i) => returns[i]) };
}

/** The index whose row is nearest to the mean of the rows at these indices. */
function middle(rows: readonly (readonly number[])[], indices: readonly number[]): number {
  const mean = rows[indices[0]].map((_, k) => indices.reduce((sum, i) => sum + rows[i][k], 0) / indices.length);
  const distance = (i: number) => rows[i].reduce((sum, value, k) => sum + (value - mean[k]) ** 2, 0);
  return indices.reduce((best, i) => (distance(i) < distance(best) ? i : best));
}
