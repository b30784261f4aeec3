/**
 * MOEA/D (Zhang and Li, "MOEA/D: a multiobjective evolutionary algorithm based on decomposition", IEEE TEVC 2007) over
 * policy gradients, as PG-MORL's authors have it: every weight continues from the policy with the highest utility for it,
 * whichever weight that one was trained for.
 */
import { bestOf, generational, scalarised, type SelectionRule } from './selection.js';

export const moead: SelectionRule = {
  ...generational,
  next: ({ weights, population, history }) =>
    weights.map((weight) => ({
      from: bestOf(population, (place) => scalarised(weight, history[place].objectives)),
      weight,
    })),
};
