import { checkSameObjectives, checkSomePoints, flatten, type Points } from './points.js';

/**
 * The mean over the reference front of the distance to the nearest point.
 * @param gap what one objective adds to the distance, before it is squared: of the point's value less the reference's
 */
export function meanDistance(points: Points, referenceFront: Points, gap: (difference: number) => number): number {
  const objectives = checkSomePoints('points', points);
  checkSameObjectives('referenceFront', checkSomePoints('referenceFront', referenceFront), 'points', objectives);
  const rows = flatten(points, objectives);
  let sum = 0;
  for (const target of referenceFront) {
    let nearest = Infinity;
    for (let start = 0; start < rows.length; start += objectives) {
      let squared = 0;
      for (let k = 0; k < objectives; k++) squared += gap(rows[start + k] - target[k]) ** 2;
      if (squared < nearest) nearest = squared;
    }
    sum += Math.sqrt(nearest);
  }
  return sum / referenceFront.length;
}
