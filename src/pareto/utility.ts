/** Linear utilities, the weighted sums of objectives that utility-based metrics are made of. */
import { checkSameObjectives, checkSomePoints, type Points } from './points.js';

/** Checks that there are weights, one number per objective of the points, none negative. */
export function checkWeights(weights: Points, objectives: number): void {
  checkSameObjectives('weights', checkSomePoints('weights', weights), 'points', objectives);
  for (let i = 0; i < weights.length; i++) {
    for (let k = 0; k < objectives; k++) {
      if (weights[i][k] < 0) throw new RangeError(`weights[${i}][${k}] is ${weights[i][k]}, but must be at least 0.`);
    }
  }
}

/**
 * For each weight vector, the largest inner product with a row.
 * @param rows the points one after the other
 */
export function bestUtilities(rows: Float64Array, weights: Points): Float64Array {
  return Float64Array.from(weights, (weight) => {
    const objectives = weight.length;
    let best = -Infinity;
    for (let start = 0; start < rows.length; start += objectives) {
      let utility = 0;
      for (let k = 0; k < objectives; k++) utility += weight[k] * rows[start + k];
      if (utility > best) best = utility;
    }
    return best;
  });
}
