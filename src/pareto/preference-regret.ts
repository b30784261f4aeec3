import { checkSameObjectives, checkSomePoints, flatten, type Points } from './points.js';
import { nonDominated } from './non-dominated.js';
import { bestUtilities, checkWeights } from './utility.js';

export interface PreferenceRegret {
  /** Mean over the preferences, as a share of the best utility: 0 is perfect. */
  readonly mean: number;
  readonly worst: number;
  /** Share of the preferences whose own policy earns less than 80 % of the best utility. */
  readonly below80: number;
}

/**
 * What users lose by being answered with the policy of their own preference: at each preference w the utility w . R of
 * that policy, against the best utility at w among all policies of the set, both above the reference point. Hypervolume
 * does not see it, since one good policy covers for neighbours that fail.
 *
 * It compares a set with itself: a set whose policies are all equally bad has no regret, so read it beside the hypervolume.
 * A preference at which nothing is above the reference point counts as zero.
 * @param returns of the policy that answers each preference, in their order
 * @param among returns of the set that the best is looked for in, if that is another one
 */
export function preferenceRegret(
  returns: Points,
  preferences: Points,
  reference: readonly number[],
  among: Points = returns,
): PreferenceRegret {
  const regrets = preferenceRegrets(returns, preferences, reference, among);
  return {
    mean: regrets.reduce((sum, regret) => sum + regret, 0) / regrets.length,
    worst: regrets.reduce((worst, regret) => Math.max(worst, regret)),
    below80: regrets.filter((regret) => regret > 0.2).length / regrets.length,
  };
}

/** As preferenceRegret, at each preference by itself. */
export function preferenceRegrets(
  returns: Points,
  preferences: Points,
  reference: readonly number[],
  among: Points = returns,
): number[] {
  const objectives = checkSomePoints('returns', returns);
  checkWeights(preferences, objectives);
  checkSameObjectives('reference', reference.length, 'returns', objectives);
  if (returns.length !== preferences.length) {
    throw new RangeError(
      `returns has ${returns.length} points, but must have one for each of ${preferences.length} preferences.`,
    );
  }
  checkSameObjectives('among', checkSomePoints('among', among), 'returns', objectives);
  const aboveReference = (points: Points) =>
    Array.from(points, (row) => Array.from(reference, (least, k) => row[k] - least));
  const best = bestUtilities(flatten(nonDominated(aboveReference(among)), objectives), preferences);
  return aboveReference(returns).map((row, i) => {
    if (!(best[i] > 0)) return 0;
    let utility = 0;
    for (let k = 0; k < objectives; k++) utility += preferences[i][k] * row[k];
    // A dominated copy of the best can round to a little more than it.
    return Math.max(0, 1 - utility / best[i]);
  });
}
