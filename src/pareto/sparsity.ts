import { nonDominatedIndices } from './non-dominated.js';
import { checkPoints, type Points } from './points.js';

export interface Sparsity {
  /** Over the distinct non-dominated points; null where fewer than two leave no gap to measure. */
  readonly distinct: number | null;
  /** Over the non-dominated points with every copy of each, as published code counts; 0 for fewer than two. */
  readonly published: number;
}

/**
 * How far apart neighbours on the front are: each objective sorted by itself, the squared gaps added up over all
 * objectives and divided by the number of gaps in one (Xu et al., "Prediction-guided multi-objective reinforcement
 * learning for continuous robot control", ICML 2020). Smaller means denser.
 *
 * The code behind published tables keeps a point once for every preference that led to it. Each copy adds a gap of
 * zero, so the same front scores lower the more preferences are evaluated: compare `published` only over equal
 * preferences, and `distinct` otherwise. Either form rewards a front for being small in extent, and depends on the
 * objectives' units; read it only beside a hypervolume. Points that differ in their last bits are distinct here.
 */
export function sparsity(points: Points): Sparsity {
  const objectives = checkPoints('points', points);
  const all = nonDominatedIndices(points, { keepDuplicates: true });
  const distinct = nonDominatedIndices(points);
  return {
    distinct: distinct.length < 2 ? null : meanSquaredGaps(points, distinct, objectives),
    published: all.length < 2 ? 0 : meanSquaredGaps(points, all, objectives),
  };
}

function meanSquaredGaps(points: Points, indices: readonly number[], objectives: number): number {
  let sum = 0;
  for (let k = 0; k < objectives; k++) {
    const values = Float64Array.from(indices, (index) => points[index][k]).sort();
    for (let i = 1; i < values.length; i++) sum += (values[i] - values[i - 1]) ** 2;
  }
  return sum / (indices.length - 1);
}
