/** Which preference to act with for a user whose utility is no weighted sum. */
import type { Utility } from '../pareto/index.js';
import { frontOf, type ReturnsAt } from './front.js';

export interface Chosen {
  /** To act with: the one whose policy has the best return. */
  readonly preference: readonly number[];
  readonly return: readonly number[];
  /** The utility of that return. */
  readonly utility: number;
}

/**
 * The preference whose return is the best by a monotone utility, such as `chebyshev`, among those of an evaluation that no
 * other dominates; the first of equally good ones. Where several preferences lead to that return, it is the middle one.
 *
 * It chooses among policies that were learned for weighted sums. They leave out what lies in concave parts of the front that
 * is possible, and so does the choice. The utility is that of expected returns, not the expected utility of an episode.
 */
export function bestPreference(evaluated: ReturnsAt, utility: Utility): Chosen {
  const { preferences, returns } = frontOf(evaluated);
  if (returns.length === 0) throw new RangeError('returns is [], but must hold at least one point.');
  const utilities = returns.map((point, i) => {
    const value = utility(point);
    if (!Number.isNaN(value)) return value;
    throw new RangeError(`utility of [${returns[i].join(', ')}] is NaN, but must be a number.`);
  });
  const best = utilities.indexOf(utilities.reduce((a, b) => Math.max(a, b)));
  return { preference: preferences[best], return: returns[best], utility: utilities[best] };
}
