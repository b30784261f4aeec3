/** Running mean and variance of vectors, updated with any number of rows at a time. */
import type { StateValue } from '../../envs/index.js';

/** Weight of the initial mean 0 and variance 1, in rows: negligible once anything was observed. */
const START = 1e-4;
/** Added to a variance before its root is taken, as published. */
const EPSILON = 1e-8;

/** Mean and variance of each column of all rows that were ever observed. */
export class RunningMoments {
  private count = START;
  readonly mean: Float64Array;
  readonly variance: Float64Array;

  constructor(readonly size: number) {
    this.mean = new Float64Array(size);
    this.variance = new Float64Array(size).fill(1);
  }

  /** Forgets everything. */
  reset(): void {
    this.count = START;
    this.mean.fill(0);
    this.variance.fill(1);
  }

  /** Lets all rows so far count for no more than a number of them. */
  countAtMost(rows: number): void {
    this.count = Math.min(this.count, rows);
  }

  deviation(column: number): number {
    return Math.sqrt(this.variance[column] + EPSILON);
  }

  /** Adds rows, which lie below each other: their moments are combined with those so far (Chan et al., 1979). */
  observe(rows: ArrayLike<number>): void {
    const { size, mean, variance } = this;
    const added = rows.length / size;
    const total = this.count + added;
    for (let column = 0; column < size; column++) {
      let sum = 0;
      for (let i = column; i < rows.length; i += size) sum += rows[i];
      const meanOfRows = sum / added;
      let squares = 0;
      for (let i = column; i < rows.length; i += size) squares += (rows[i] - meanOfRows) * (rows[i] - meanOfRows);
      const apart = meanOfRows - mean[column];
      mean[column] += (apart * added) / total;
      variance[column] =
        (variance[column] * this.count + squares + (apart * apart * this.count * added) / total) / total;
    }
    this.count = total;
  }

  save(): StateValue {
    return { count: this.count, mean: this.mean.slice(), variance: this.variance.slice() };
  }

  load(saved: StateValue): void {
    const { count, mean, variance } = saved as Readonly<{ count: number; mean: Float64Array; variance: Float64Array }>;
    this.count = count;
    this.mean.set(mean);
    this.variance.set(variance);
  }
}
