/** The filter for non-dominated points, on which most metrics of fronts are built. */
import { checkPoints, flatten, type Point, type Points } from './points.js';

export interface NonDominatedOptions {
  /** Keep every copy of a point that occurs more than once, instead of the first copy alone; false by default. */
  readonly keepDuplicates?: boolean;
}

/** The points that no other point dominates, in the order in which they came. */
export function nonDominated<P extends Point>(points: readonly P[], options: NonDominatedOptions = {}): P[] {
  return nonDominatedIndices(points, options).map((index) => points[index]);
}

/**
 * The indices of the points that no other point dominates, ascending. O(n log n) in two objectives; above that a sweep
 * in lexicographic order (Kung, Luccio and Preparata, JACM 1975, sort the same way) that compares each point with the
 * front found so far, so n times the size of the front at worst.
 */
export function nonDominatedIndices(points: Points, { keepDuplicates = false }: NonDominatedOptions = {}): number[] {
  const objectives = checkPoints('points', points);
  return nonDominatedRows(flatten(points, objectives), objectives, keepDuplicates).sort((a, b) => a - b);
}

/** The numbers of the rows that no other row dominates, in lexicographic order. */
export function nonDominatedRows(rows: Float64Array, objectives: number, keepDuplicates: boolean): number[] {
  const order = lexicographicOrder(rows, objectives);
  return objectives === 2 ? sweepPairs(rows, order, keepDuplicates) : sweep(rows, objectives, order, keepDuplicates);
}

/**
 * Row numbers, best first objective first, ties by the next objective, equal rows by number. A row can be dominated
 * only by one that comes before it; unlike an order by the sum of the objectives, this holds in floating point too.
 */
export function lexicographicOrder(rows: Float64Array, objectives: number): Uint32Array {
  const order = new Uint32Array(objectives === 0 ? 0 : rows.length / objectives);
  for (let i = 0; i < order.length; i++) order[i] = i;
  return order.sort((a, b) => {
    for (let k = 0; k < objectives; k++) {
      const difference = rows[b * objectives + k] - rows[a * objectives + k];
      if (difference !== 0) return difference;
    }
    return a - b;
  });
}

function sweepPairs(rows: Float64Array, order: Uint32Array, keepDuplicates: boolean): number[] {
  const kept: number[] = [];
  let [x, y] = [-Infinity, -Infinity];
  for (const row of order) {
    if (rows[2 * row + 1] > y) {
      x = rows[2 * row];
      y = rows[2 * row + 1];
      kept.push(row);
    } else if (keepDuplicates && rows[2 * row] === x && rows[2 * row + 1] === y) {
      kept.push(row);
    }
  }
  return kept;
}

function sweep(rows: Float64Array, objectives: number, order: Uint32Array, keepDuplicates: boolean): number[] {
  const kept: number[] = [];
  const front = new Float64Array(rows.length);
  let size = 0;
  let previous = -1;
  let previousKept = false;
  for (const row of order) {
    // Equal rows are neighbours in this order and share their fate.
    if (previous >= 0 && equalRows(rows, objectives, previous, row)) {
      if (keepDuplicates && previousKept) kept.push(row);
      continue;
    }
    previous = row;
    previousKept = !isCovered(front, size, objectives, rows, row * objectives);
    if (!previousKept) continue;
    for (let k = 0; k < objectives; k++) front[size * objectives + k] = rows[row * objectives + k];
    size++;
    kept.push(row);
  }
  return kept;
}

function equalRows(rows: Float64Array, objectives: number, a: number, b: number): boolean {
  for (let k = 0; k < objectives; k++) if (rows[a * objectives + k] !== rows[b * objectives + k]) return false;
  return true;
}

/** Whether one of the first `size` rows of `front` is at least as good as the row at `offset` in every objective. */
function isCovered(front: Float64Array, size: number, objectives: number, rows: Float64Array, offset: number): boolean {
  for (let start = 0; start < size * objectives; start += objectives) {
    let k = 0;
    while (k < objectives && front[start + k] >= rows[offset + k]) k++;
    if (k === objectives) return true;
  }
  return false;
}
