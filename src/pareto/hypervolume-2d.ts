/** Exact hypervolume in two objectives, as the area under a staircase. */

/**
 * The area under a staircase in O(n log n), for rows (x, y) of positive numbers above a reference at the origin.
 *
 * Typed arrays sort without a comparison function several times as fast as with one, so only the x are sorted; each row
 * then finds its place by bisection and leaves its y there if it is the highest with that x.
 */
export function hypervolume2d(rows: Float64Array): number {
  const n = rows.length / 2;
  const xs = new Float64Array(n);
  for (let i = 0; i < n; i++) xs[i] = rows[2 * i];
  xs.sort();

  const tops = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    const place = firstAtLeast(xs, n, rows[2 * i]);
    tops[place] = Math.max(tops[place], rows[2 * i + 1]);
  }

  let area = 0;
  let height = 0;
  for (let i = n - 1; i >= 0; i--) {
    if (tops[i] <= height) continue;
    area += xs[i] * (tops[i] - height);
    height = tops[i];
  }
  return area;
}

/** The first of the `n` ascending `values` that is not below `x`; `n` if there is none. */
export function firstAtLeast(values: Float64Array, n: number, x: number): number {
  let low = 0;
  let high = n;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] < x) low = middle + 1;
    else high = middle;
  }
  return low;
}
