/**
 * RA, the radial algorithm (Parisi et al., "Policy gradient approaches for multi-objective sequential decision making",
 * IJCNN 2014): every task trains its own policy for its own weight, from beginning to end.
 */
import { generational, type SelectionRule } from './selection.js';

export const ra: SelectionRule = {
  ...generational,
  next: ({ latest, weights }) => latest.map((from, i) => ({ from, weight: weights[i] })),
};
