import { checkPoint, type Point } from './points.js';

/** Whether `a` is at least as good as `b` in every objective and better in one (larger is better). */
export function dominates(a: Point, b: Point): boolean {
  checkPoint('a', a, a.length);
  checkPoint('b', b, a.length);
  let better = false;
  for (let k = 0; k < a.length; k++) {
    if (a[k] < b[k]) return false;
    if (a[k] > b[k]) better = true;
  }
  return better;
}
