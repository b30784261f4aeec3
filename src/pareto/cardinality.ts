import { nonDominatedIndices } from './non-dominated.js';
import type { Points } from './points.js';

/**
 * The number of distinct non-dominated points (overall non-dominated vector generation, Van Veldhuizen 1999).
 *
 * On continuous or noisy tasks it counts evaluations more than policies: nearly every return differs in its last
 * digits.
 */
export function cardinality(points: Points): number {
  return nonDominatedIndices(points).length;
}
