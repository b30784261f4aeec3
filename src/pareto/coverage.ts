import { checkPoints, checkSameObjectives, checkSomePoints, flatten, type Points } from './points.js';

export interface Coverage {
  /** The share of the points that lie near the front; 0 for no points. */
  readonly precision: number;
  /** The share of the front that lies near a point. */
  readonly recall: number;
  /** The harmonic mean of both, 0 when both are 0. */
  readonly f1: number;
}

/**
 * How much of a known front the points reach, and how many of them reach it: the coverage ratio of Yang, Sun and
 * Narasimhan ("A generalized algorithm for multi-objective reinforcement learning and policy adaptation", NeurIPS
 * 2019). Near means an L1 distance below the tolerance; published are 0.5 for fruit tree navigation, 0.3 for deep sea
 * treasure.
 *
 * Pass one point per evaluated preference, duplicates and all: precision is a share of preferences. Where every outcome
 * is Pareto-optimal, as in fruit tree navigation, precision is 1 whatever was learned and f1 is recall in disguise.
 */
export function coverage(points: Points, front: Points, tolerance: number): Coverage {
  const objectives = checkSomePoints('front', front);
  if (points.length > 0) checkSameObjectives('points', checkPoints('points', points), 'front', objectives);
  if (!Number.isFinite(tolerance) || tolerance <= 0) {
    throw new RangeError(`tolerance is ${tolerance}, but must be a finite number above 0.`);
  }
  const precision = points.length === 0 ? 0 : countNear(points, front, tolerance) / points.length;
  const recall = countNear(front, points, tolerance) / front.length;
  return { precision, recall, f1: precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall) };
}

/** How many of `from` have one of `targets` within the tolerance. */
function countNear(from: Points, targets: Points, tolerance: number): number {
  const objectives = from.length === 0 ? 0 : from[0].length;
  const rows = flatten(targets, objectives);
  const isNear = (point: Points[number]) => {
    for (let start = 0; start < rows.length; start += objectives) {
      let distance = 0;
      for (let k = 0; k < objectives; k++) distance += Math.abs(rows[start + k] - point[k]);
      if (distance < tolerance) return true;
    }
    return false;
  };
  return from.filter(isNear).length;
}
