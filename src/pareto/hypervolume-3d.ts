/** Exact hypervolume in three objectives, by a sweep along the first one. */
import { firstAtLeast } from './hypervolume-2d.js';
import { lexicographicOrder } from './non-dominated.js';

/**
 * The volume under a front of rows (x, y, z) of positive numbers above a reference at the origin: a plane sweeps down
 * the first objective while the staircase of the rows already passed grows in the other two (Fonseca, Paquete and
 * López-Ibáñez, CEC 2006). The staircase is a sorted array and not a tree: O(n log n) comparisons, and moves of memory
 * that stay cheap up to tens of thousands of points.
 */
export function hypervolume3d(rows: Float64Array): number {
  const order = lexicographicOrder(rows, 3);
  return sweep3d(rows, order, order.length, 0, new Staircase(order.length));
}

/**
 * @param order row numbers, best in objective `axis` first
 * @param count how many of them there are
 * @param stairs room for `count` steps
 */
export function sweep3d(
  rows: Float64Array,
  order: Uint32Array,
  count: number,
  axis: number,
  stairs: Staircase,
): number {
  const a = axis === 0 ? 1 : 0;
  const b = axis === 2 ? 1 : 2;
  stairs.clear();
  let volume = 0;
  let area = 0;
  let level = 0;
  for (let i = 0; i < count; i++) {
    const row = 3 * order[i];
    volume += area * (level - rows[row + axis]);
    level = rows[row + axis];
    area += stairs.add(rows[row + a], rows[row + b]);
  }
  return volume + area * level;
}

/** The corners of a union of rectangles at the origin, x ascending and y descending. */
export class Staircase {
  readonly #x: Float64Array;
  readonly #y: Float64Array;
  #size = 0;

  constructor(capacity: number) {
    this.#x = new Float64Array(capacity);
    this.#y = new Float64Array(capacity);
  }

  clear(): void {
    this.#size = 0;
  }

  /** Adds the rectangle with corner (x, y) and returns the area that it covers alone. */
  add(x: number, y: number): number {
    const xs = this.#x;
    const ys = this.#y;
    const size = this.#size;
    const place = firstAtLeast(xs, size, x);
    if (place < size && ys[place] >= y) return 0;

    // Walk left over the steps that the new corner covers; under it, the old height between two corners is the right
    // one's.
    let gain = 0;
    let right = x;
    let height = place < size ? ys[place] : 0;
    let first = place;
    while (first > 0 && ys[first - 1] <= y) {
      first--;
      gain += (right - xs[first]) * (y - height);
      right = xs[first];
      height = ys[first];
    }
    gain += (right - (first > 0 ? xs[first - 1] : 0)) * (y - height);

    const next = place < size && xs[place] === x ? place + 1 : place;
    xs.copyWithin(first + 1, next, size);
    ys.copyWithin(first + 1, next, size);
    xs[first] = x;
    ys[first] = y;
    this.#size = size - (next - first) + 1;
    return gain;
  }
}
