import { checkSomePoints, type Points } from './points.js';
import { nonDominated } from './non-dominated.js';

/** Between which values the objectives of a front lie. */
export interface IdealAndNadir {
  /** The largest value of each objective. No point needs to have them all. */
  readonly ideal: readonly number[];
  /** The smallest value of each objective among the points that no other dominates. */
  readonly nadir: readonly number[];
}

/** The ideal and the nadir point of the front of some points. */
export function idealAndNadir(points: Points): IdealAndNadir {
  const objectives = checkSomePoints('points', points);
  const front = nonDominated(points);
  const over = (best: (...values: number[]) => number) =>
    Array.from({ length: objectives }, (_, k) => front.map((point) => point[k]).reduce((a, b) => best(a, b)));
  return { ideal: over(Math.max), nadir: over(Math.min) };
}
