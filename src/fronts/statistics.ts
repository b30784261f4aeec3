/** Mean, standard deviation and range of a quantity over several runs. */

/** Several values of one quantity. */
export interface Statistics {
  readonly count: number;
  readonly mean: number;
  /** Of the sample (n - 1); null for a single value. */
  readonly standardDeviation: number | null;
  readonly min: number;
  readonly max: number;
}

/** Null for no values at all. */
export function statistics(values: readonly number[]): Statistics | null {
  const count = values.length;
  if (count === 0) return null;
  const [min, max] = [Math.min(...values), Math.max(...values)];
  // Rounding would put the mean of equal values beside them, and give them a spread.
  if (min === max) return { count, mean: min, standardDeviation: count === 1 ? null : 0, min, max };
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { count, mean, standardDeviation: Math.sqrt(squares / (count - 1)), min, max };
}
