import { checkPoints, checkSameObjectives, flatten, type Points } from './points.js';

/** How many points of a set another set makes needless. */
export interface SetCoverage {
  /** Points that one of the others dominates. */
  readonly dominated: number;
  /** Points that one of the others dominates or equals. */
  readonly covered: number;
}

/**
 * What of the points is no better than the best of others, counted: `covered` over the number of points is the C-metric,
 * or set coverage, of Zitzler and Thiele ("Multiobjective evolutionary algorithms: a comparative case study and the
 * strength Pareto approach", IEEE Transactions on Evolutionary Computation, 1999).
 *
 * It has two directions that do not add up to anything, so ask for both. It says how often one set is better, never by
 * how much: a point that is missed by a hair counts like one that is missed by far.
 */
export function setCoverage(points: Points, others: Points): SetCoverage {
  const objectives = checkPoints('points', points);
  const othersObjectives = checkPoints('others', others);
  if (points.length === 0 || others.length === 0) return { dominated: 0, covered: 0 };
  checkSameObjectives('others', othersObjectives, 'points', objectives);
  const rows = flatten(others, objectives);
  let [dominated, covered] = [0, 0];
  for (const point of points) {
    const { isDominated, isEqualled } = fate(point, rows, objectives);
    if (isDominated) dominated++;
    if (isDominated || isEqualled) covered++;
  }
  return { dominated, covered };
}

/** A point that is dominated may be equalled too, which is then not looked for. */
function fate(point: Points[number], rows: Float64Array, objectives: number) {
  let isEqualled = false;
  for (let start = 0; start < rows.length; start += objectives) {
    let isBetter = false;
    let k = 0;
    for (; k < objectives && rows[start + k] >= point[k]; k++) isBetter ||= rows[start + k] > point[k];
    if (k < objectives) continue;
    if (isBetter) return { isDominated: true, isEqualled };
    isEqualled = true;
  }
  return { isDominated: false, isEqualled };
}
