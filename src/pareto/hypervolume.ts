import { hypervolume2d } from './hypervolume-2d.js';
import { hypervolume3d } from './hypervolume-3d.js';
import { hypervolumeWfg } from './hypervolume-wfg.js';
import { nonDominatedRows } from './non-dominated.js';
import { checkPoint, checkPoints, type Point, type Points } from './points.js';

/**
 * The volume of what the points dominate above the reference point: the S-metric of Zitzler and Thiele (PPSN 1998),
 * exact in any number of objectives. A point that is not better than the reference in every objective adds nothing.
 * The same set of points gives the same bits in whatever order, and however often, they are listed.
 *
 * It says nothing without its reference point and the units of its objectives: moving the reference away from the front
 * makes the extremes count for more, and an objective with large numbers outweighs the others. Two hypervolumes compare
 * only when both were taken against the same reference.
 */
export function hypervolume(points: Points, reference: Point): number {
  const objectives = checkPoints('points', points);
  checkPoint('reference', reference, objectives === 0 ? reference.length : objectives);
  const volume = volumeOf(gainsOver(points, reference), objectives);
  if (!Number.isFinite(volume)) {
    const limit = `the largest number, ${Number.MAX_VALUE}`;
    throw new RangeError(`points has a hypervolume beyond ${limit}, but must be scaled so that it stays below.`);
  }
  return volume;
}

function volumeOf(gains: Float64Array, objectives: number): number {
  if (gains.length === 0) return 0;
  if (objectives === 1) return gains.reduce((best, gain) => Math.max(best, gain));
  if (objectives === 2) return hypervolume2d(gains);
  if (objectives === 3) return hypervolume3d(gains);
  return hypervolumeWfg(frontRows(gains, objectives), objectives);
}

/** The rows, one after the other, of the points that are better than the reference everywhere, less the reference. */
function gainsOver(points: Points, reference: Point): Float64Array {
  const objectives = reference.length;
  const gains = new Float64Array(points.length * objectives);
  let size = 0;
  for (const point of points) {
    let k = 0;
    for (; k < objectives && point[k] > reference[k]; k++) gains[size + k] = point[k] - reference[k];
    if (k === objectives) size += objectives;
  }
  return gains.subarray(0, size);
}

/** The distinct rows that no other one dominates, in lexicographic order: one array for one set of points. */
function frontRows(rows: Float64Array, objectives: number): Float64Array {
  const front = new Float64Array(rows.length);
  let size = 0;
  for (const row of nonDominatedRows(rows, objectives, false)) {
    front.set(rows.subarray(row * objectives, (row + 1) * objectives), size);
    size += objectives;
  }
  return front.subarray(0, size);
}
