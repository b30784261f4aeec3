/** By whose policies preferences would best be answered, and what that is worth. */
import { preferenceRegret, preferenceRegrets, type PreferenceRegret } from '../pareto/index.js';
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
    const utilities = front.returns.map((point) => point.reduce((sum, value, k) => sum + weights[k] * value, 0));
    return front.preferences[utilities.indexOf(utilities.reduce((a, b) => Math.max(a, b)))];
  });
}

/**
 * What preferences lose by their own policies and as they are answered, both against the best of all policies: of those that no
 * preference is answered by any more too, which a set that is compared with itself has forgotten.
 * @param own the return of each preference's own policy
 * @param answered the return of the policy that answers it
 */
export function regretOfAnswers(
  own: ReturnsAt,
  answered: ReturnsAt,
  referencePoint: readonly number[],
): { readonly own: PreferenceRegret; readonly answered: PreferenceRegret } {
  const all = [...own.returns, ...answered.returns];
  const regret = ({ preferences, returns }: ReturnsAt) => preferenceRegret(returns, preferences, referencePoint, all);
  return { own: regret(own), answered: regret(answered) };
}
