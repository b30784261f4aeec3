/** Describes the values of a quantity over several runs. */
import { checkSomeValues } from './values.js';

/** Several values of one quantity. */
export interface Statistics {
  readonly count: number;
  readonly mean: number;
  /** Of the sample (n - 1); null for a single value. */
  readonly standardDeviation: number | null;
  readonly median: number;
  readonly interquartileMean: number;
  readonly min: number;
  readonly max: number;
}

/** Null for no values at all. */
export function statistics(values: readonly number[]): Statistics | null {
  const count = values.length;
  if (count === 0) return null;
  const mean = meanOf(values);
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const standardDeviation = count === 1 ? null : Math.sqrt(squares / (count - 1));
  return {
    count,
    mean,
    standardDeviation,
    median: quantile(values, 0.5),
    interquartileMean: interquartileMean(values),
    min: smallestOf(values),
    max: largestOf(values),
  };
}

/** Between the smallest value and the largest also where rounding would put it beside them: equal values have no spread. */
export function meanOf(values: readonly number[]): number {
  checkSomeValues('values', values);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.min(Math.max(mean, smallestOf(values)), largestOf(values));
}

/** Math.min(...values) overflows the stack where they are many. */
function smallestOf(values: readonly number[]): number {
  return values.reduce((least, value) => Math.min(least, value));
}

function largestOf(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value));
}

/**
 * The value below which a share of the values lies, with straight lines between neighbours (type 7 of Hyndman and Fan,
 * "Sample quantiles in statistical packages", 1996).
 */
export function quantile(values: readonly number[], share: number): number {
  checkSomeValues('values', values);
  if (!(share >= 0 && share <= 1)) throw new RangeError(`share is ${share}, but must be a number from 0 to 1.`);
  const sorted = [...values].sort((a, b) => a - b);
  const position = share * (sorted.length - 1);
  const below = Math.floor(position);
  // The gap to the next can overflow, and 0 times Infinity is NaN.
  if (position === below) return sorted[below];
  return sorted[below] + (position - below) * (sorted[below + 1] - sorted[below]);
}

/**
 * The mean of the middle half of the values: a quarter of them is left out at each end, and of a value at the border of
 * that quarter the part that lies within counts. It feels outliers less than the mean, and wastes less than the median.
 */
export function interquartileMean(values: readonly number[]): number {
  checkSomeValues('values', values);
  const sorted = [...values].sort((a, b) => a - b);
  const [from, to] = [sorted.length / 4, (3 * sorted.length) / 4];
  const weights = sorted.map((_, i) => Math.max(0, Math.min(i + 1, to) - Math.max(i, from)));
  const sum = sorted.reduce((total, value, i) => total + weights[i] * value, 0);
  const middle = sorted.filter((_, i) => weights[i] > 0);
  return Math.min(Math.max(sum / (to - from), middle[0]), middle[middle.length - 1]);
}
