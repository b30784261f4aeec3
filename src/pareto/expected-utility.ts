import { checkSomePoints, flatten, type Points } from './points.js';
import { bestUtilities, checkWeights } from './utility.js';

/**
 * The mean over the weights of the best weighted sum among the points (Zintgraf et al., "Quality assessment of MORL
 * algorithms: a utility-based approach", Benelearn 2015): what a user with a random one of these preferences gets when
 * the right point is chosen for them.
 *
 * Weighted sums see only the convex hull of the front, and objectives in large units dominate them. The value depends
 * on the weights as much as on the points, so report both.
 */
export function expectedUtility(points: Points, weights: Points): number {
  const objectives = checkSomePoints('points', points);
  checkWeights(weights, objectives);
  const utilities = bestUtilities(flatten(points, objectives), weights);
  return utilities.reduce((sum, utility) => sum + utility, 0) / utilities.length;
}
