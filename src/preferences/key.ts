/** The key preferences at which PD-MORL's interpolator has its nodes. */
import { assertObjectives } from './check.js';
import { simplexGrid } from './grid.js';

/** Each objective alone, in order, and then all alike: where PD-MORL's interpolator for discrete tasks has its nodes. */
export function keyPreferences(objectives: number): number[][] {
  assertObjectives(objectives);
  const all = Array.from({ length: objectives }, (_, i) => i);
  return [...all.map((i) => all.map((j) => (i === j ? 1 : 0))), all.map(() => 1 / objectives)];
}

/**
 * Evenly spaced preferences over two objectives from [0, 1] to [1, 0]. Three of them, [0, 1], [0.5, 0.5] and [1, 0], are
 * PD-MORL's key preferences for its continuous tasks; six are the initial weights of PG-MORL and its siblings.
 */
export function sweepPreferences(count = 3): number[][] {
  if (!Number.isSafeInteger(count) || count < 2) {
    throw new RangeError(`count is ${count}, but must be an integer of at least 2.`);
  }
  return simplexGrid(2, count - 1);
}
