import { hypervolume } from './hypervolume.js';
import { nonDominated } from './non-dominated.js';
import type { Point, Points } from './points.js';

/** What several fronts reach together, and what of it is lost without one of them. */
export interface HypervolumeShares {
  /** Hypervolume of all of them together. */
  readonly total: number;
  /** Distinct points of all of them that no other one dominates. */
  readonly points: number;
  /** For each front the hypervolume that no other one reaches. */
  readonly alone: readonly number[];
}

/** What is reached by several at once is in `total` and in no entry of `alone`, so the entries need not add up to it. */
export function hypervolumeShares(fronts: readonly Points[], reference: Point): HypervolumeShares {
  const together = nonDominated(fronts.flat());
  const total = hypervolume(together, reference);
  const alone = fronts.map((_, i) => {
    const others = nonDominated(fronts.flatMap((front, k) => (k === i ? [] : front)));
    // Less than nothing is rounding.
    return Math.max(0, total - hypervolume(others, reference));
  });
  return { total, points: together.length, alone };
}
