/** Exact hypervolume in four and more objectives, by the WFG algorithm. */
import { Staircase, sweep3d } from './hypervolume-3d.js';

/**
 * The hypervolume of rows of four or more positive numbers above a reference at the origin, none dominated: the WFG
 * algorithm (While, Bradstreet and Barone, IEEE Transactions on Evolutionary Computation 16(1), 2012).
 *
 * What a row adds to those that are at least as good in the last objective is its own box less what they cover of it.
 * In the last objective they cover all of it, so that is a problem with one objective fewer, over the rows clipped to
 * the box. The recursion ends in the sweep for three objectives.
 */
export function hypervolumeWfg(rows: Float64Array, objectives: number): number {
  const count = rows.length / objectives;
  const levels: Level[] = [];
  for (let m = 3; m <= objectives; m++) {
    levels[m] = { rows: m === objectives ? rows : new Float64Array(count * m), order: new Uint32Array(count) };
  }
  return volume({ levels, stairs: new Staircase(count), clipped: new Float64Array(objectives) }, objectives, count);
}

/** The rows of one depth of the recursion. There is one call per depth at a time, so they are allocated once. */
interface Level {
  readonly rows: Float64Array;
  readonly order: Uint32Array;
}

interface Workspace {
  /** By number of objectives, from 3. */
  readonly levels: readonly Level[];
  readonly stairs: Staircase;
  /** Room for one row. */
  readonly clipped: Float64Array;
}

/** The hypervolume of the first `count` rows at level `m`. */
function volume(work: Workspace, m: number, count: number): number {
  const { rows, order } = work.levels[m];
  if (count === 1) return box(rows, 0, m);
  orderByLast(rows, m, order, count);
  if (m === 3) return sweep3d(rows, order, count, 2, work.stairs);
  let sum = 0;
  for (let i = 0; i < count; i++) {
    const row = order[i] * m;
    const left = clip(work, m, i);
    const covered = left === 0 ? 0 : volume(work, m - 1, left);
    sum += rows[row + m - 1] * (box(rows, row, m - 1) - covered);
  }
  return sum;
}

function box(rows: Float64Array, offset: number, m: number): number {
  let product = 1;
  for (let k = 0; k < m; k++) product *= rows[offset + k];
  return product;
}

/**
 * Clips the rows before place `i` in the order of level `m` to the box of the row at that place, drops their last
 * objective, and writes those that no other one covers to level `m - 1`. Returns how many these are.
 */
function clip({ levels, clipped }: Workspace, m: number, i: number): number {
  const { rows, order } = levels[m];
  const out = levels[m - 1].rows;
  const width = m - 1;
  const bound = order[i] * m;
  let size = 0;
  for (let j = 0; j < i; j++) {
    const row = order[j] * m;
    for (let k = 0; k < width; k++) clipped[k] = Math.min(rows[row + k], rows[bound + k]);
    let covered = false;
    for (let s = 0; s < size && !covered;) {
      const start = s * width;
      let k = 0;
      while (k < width && out[start + k] === clipped[k]) k++;
      if (k === width) {
        covered = true;
      } else if (out[start + k] > clipped[k]) {
        while (k < width && out[start + k] >= clipped[k]) k++;
        covered = k === width;
        s++;
      } else {
        while (k < width && out[start + k] <= clipped[k]) k++;
        if (k < width) s++;
        else out.copyWithin(start, --size * width, (size + 1) * width);
      }
    }
    if (!covered) out.set(clipped.subarray(0, width), size++ * width);
  }
  return size;
}

// Ciura's gaps for Shell's sort: in place, short, and quick for the few dozen rows that most calls have.
const GAPS = [1577, 701, 301, 132, 57, 23, 10, 4, 1];

/** Orders the first `count` rows by their last objective, best first. */
function orderByLast(rows: Float64Array, m: number, order: Uint32Array, count: number): void {
  const last = m - 1;
  for (let i = 0; i < count; i++) order[i] = i;
  for (const gap of GAPS) {
    for (let i = gap; i < count; i++) {
      const moved = order[i];
      const key = rows[moved * m + last];
      let place = i;
      for (; place >= gap && rows[order[place - gap] * m + last] < key; place -= gap) order[place] = order[place - gap];
      order[place] = moved;
    }
  }
}
