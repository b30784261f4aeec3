/** Stratified bootstrap: how far a statistic of a few seeds would move if they were drawn again. */
import { Random } from '../random/index.js';
import { quantile } from './statistics.js';
import { checkValues } from './values.js';

/** The scores of a method: for each task those of its seeds. */
export type TaskScores = readonly (readonly number[])[];

export interface Interval {
  readonly low: number;
  readonly high: number;
}

export interface BootstrapOptions {
  /** 2000 by default. */
  readonly resamples?: number;
  /** Share of the resamples that the interval holds; 0.95 by default. */
  readonly confidence?: number;
  /** 1 by default. */
  readonly seed?: number;
}

/**
 * The percentile interval of a statistic. Seeds are drawn again within each task, never across tasks, and independently
 * for each method (Agarwal and others, "Deep reinforcement learning at the edge of the statistical precipice", 2021).
 * Null where a task has a single seed, or none: drawing it again says nothing.
 */
export function bootstrapInterval(
  methods: readonly TaskScores[],
  statistic: (methods: readonly TaskScores[]) => number,
  { resamples = 2000, confidence = 0.95, seed = 1 }: BootstrapOptions = {},
): Interval | null {
  if (!Number.isSafeInteger(resamples) || resamples < 1) {
    throw new RangeError(`resamples is ${resamples}, but must be an integer of at least 1.`);
  }
  if (!(confidence > 0 && confidence <= 1)) {
    throw new RangeError(`confidence is ${confidence}, but must be more than 0 and at most 1.`);
  }
  methods.forEach((tasks, i) => tasks.forEach((scores, task) => checkValues(`methods[${i}][${task}]`, scores)));
  if (methods.some((tasks) => tasks.length === 0 || tasks.some((scores) => scores.length < 2))) return null;
  const random = new Random(seed);
  const drawn = Array.from({ length: resamples }, () => {
    const value = statistic(
      methods.map((tasks) => tasks.map((scores) => scores.map(() => scores[random.integer(scores.length)]))),
    );
    if (Number.isFinite(value)) return value;
    throw new RangeError(`statistic of a resample is ${value}, but must be a finite number.`);
  });
  const tail = (1 - confidence) / 2;
  return { low: quantile(drawn, tail), high: quantile(drawn, 1 - tail) };
}
