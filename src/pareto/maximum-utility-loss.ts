import { checkSameObjectives, checkSomePoints, flatten, type Points } from './points.js';
import { bestUtilities, checkWeights } from './utility.js';

/**
 * The most that any of these weights loses by choosing among the points instead of the reference front (Zintgraf et
 * al., Benelearn 2015). It is negative when the points are better than the reference for every weight.
 *
 * One weight decides it, so it says how bad the worst gap is and not how many there are; as a weighted sum it sees only
 * the convex hull.
 */
export function maximumUtilityLoss(points: Points, referenceFront: Points, weights: Points): number {
  const objectives = checkSomePoints('points', points);
  checkSameObjectives('referenceFront', checkSomePoints('referenceFront', referenceFront), 'points', objectives);
  checkWeights(weights, objectives);
  const reached = bestUtilities(flatten(points, objectives), weights);
  const possible = bestUtilities(flatten(referenceFront, objectives), weights);
  return possible.reduce((worst, utility, i) => Math.max(worst, utility - reached[i]), -Infinity);
}
