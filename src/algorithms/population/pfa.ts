/**
 * PFA, Pareto front adaptation (Parisi et al., "Policy gradient approaches for multi-objective sequential decision
 * making", IJCNN 2014), as PG-MORL's authors have it: after a warm-up the weight of every task slides towards that of its
 * neighbour, and the policies on the way trace the front. For two objectives.
 */
import { generational, type SelectionRule } from './selection.js';

export const pfa: SelectionRule = {
  ...generational,
  next({ schedule: { iterations, warmup, generation }, done, latest, weights }) {
    const way = Math.min(1, (done + generation - warmup) / (iterations - warmup));
    const gap = 1 / (weights.length - 1);
    return latest.map((from, i) => {
      const first = Math.min(1, weights[i][0] + way * gap);
      return { from, weight: [first, 1 - first] };
    });
  },
};
