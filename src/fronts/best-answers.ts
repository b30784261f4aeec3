/** By whose policies preferences would best be answered. */
import { preferenceRegrets } from '../pareto/index.js';
import { bestPreference } from './best-preference.js';
import { frontOf, type ReturnsAt } from './front.js';

/**
 * For each evaluated preference the one whose policy should answer it: itself, unless its own policy loses more than a share of the
 * best utility, and then the one whose return has the largest.
 * @param referencePoint what utilities are measured from
 */
export function bestAnswers(
  evaluated: ReturnsAt,
  referencePoint: readonly number[],
  tolerance: number,
): (readonly number[])[] {
  const { preferences, returns } = evaluated;
  const regrets = preferenceRegrets(returns, preferences, referencePoint);
  const front = frontOf(evaluated);
  return preferences.map((weights, i) => {
    if (regrets[i] <= tolerance) return weights;
    return bestPreference(front, (point) => weights.reduce((sum, weight, k) => sum + weight * point[k], 0)).preference;
  });
}
