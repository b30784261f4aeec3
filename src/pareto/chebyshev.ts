import { checkPoint, type Point } from './points.js';

/** What a return is worth to a user; larger is better. Monotone where more of an objective is never worth less. */
export type Utility = (point: Point) => number;

export interface ChebyshevOptions {
  /** Where shortfalls are measured from: the best that there is of each objective, or any point that is aspired to. */
  readonly ideal: Point;
  /**
   * With it shortfalls are shares of what lies between the two points, so that units do not matter; without it, and where
   * the two are equal, they are in the units of the objective.
   */
  readonly nadir?: Point;
  /** Weight of the sum of all shortfalls beside the worst one. Above 0, a point is worth less than those that dominate it. */
  readonly augmentation?: number;
}

/**
 * The augmented weighted Chebyshev utility (Steuer & Choo, "An interactive weighted Tchebycheff procedure for multiple
 * objective programming", Mathematical Programming 26, 1983): how little the objective is missed that is missed most,
 * min_k w_k d_k + augmentation * sum_k d_k with d_k = (point_k - ideal_k) / (ideal_k - nadir_k).
 *
 * With an augmentation that is small enough every point of a front is the best one for some weights, also in its concave
 * parts, which no weighted sum sees.
 * Differences keep their sign, so that it stays monotone beyond an ideal that can be reached. It is not additive over the
 * steps of an episode: it values returns, and is nothing to learn from step by step.
 * @param weights how much a shortfall of each objective counts; those of weight 0 count in the sum alone
 */
export function chebyshev(weights: Point, { ideal, nadir, augmentation = 1e-3 }: ChebyshevOptions): Utility {
  const objectives = weights.length;
  checkPoint('weights', weights, objectives);
  const negative = Array.from(weights).findIndex((weight) => weight < 0);
  if (negative >= 0) throw new RangeError(`weights[${negative}] is ${weights[negative]}, but must be at least 0.`);
  const counted = Array.from({ length: objectives }, (_, k) => k).filter((k) => weights[k] > 0);
  if (counted.length === 0) {
    throw new RangeError(`weights is [${Array.from(weights).join(', ')}], but must have an entry above 0.`);
  }
  checkPoint('ideal', ideal, objectives);
  if (nadir !== undefined) checkPoint('nadir', nadir, objectives);
  const ranges = Array.from({ length: objectives }, (_, k) => {
    const range = nadir === undefined ? 0 : ideal[k] - nadir[k];
    if (range < 0) throw new RangeError(`nadir[${k}] is ${nadir![k]}, but must be at most ideal[${k}], ${ideal[k]}.`);
    return range === 0 ? 1 : range;
  });
  if (!(augmentation >= 0 && augmentation < Infinity)) {
    throw new RangeError(`augmentation is ${augmentation}, but must be a finite number of at least 0.`);
  }
  return (point) => {
    checkPoint('point', point, objectives);
    const differences = ranges.map((range, k) => (point[k] - ideal[k]) / range);
    const worst = Math.min(...counted.map((k) => weights[k] * differences[k]));
    return worst + augmentation * differences.reduce((sum, difference) => sum + difference, 0);
  };
}
