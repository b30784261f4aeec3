/** Whether one method is better than another, judged by a few seeds of each. */
import { Random } from '../random/index.js';
import type { TaskScores } from './bootstrap.js';
import { ranksOf } from './ranks.js';
import { meanOf } from './statistics.js';
import { checkSomeValues, checkValues } from './values.js';

/**
 * The probability that a run of X scores more than a run of Y on the same task, ties counted half: the share of pairs of
 * seeds that X wins (the U of Mann and Whitney over the number of pairs), in the mean over the tasks.
 */
export function probabilityOfImprovement(x: TaskScores, y: TaskScores): number {
  checkTasks('x', x);
  checkTasks('y', y);
  if (y.length !== x.length) {
    throw new RangeError(`y holds scores of ${y.length} tasks, but must hold those of ${x.length} like x.`);
  }
  return meanOf(x.map((xs, task) => winsOf(xs, y[task]) / (xs.length * y[task].length)));
}

function checkTasks(name: string, tasks: TaskScores): void {
  if (tasks.length === 0) throw new RangeError(`${name} is [], but must hold the scores of at least one task.`);
  tasks.forEach((scores, task) => checkSomeValues(`${name}[${task}]`, scores));
}

function winsOf(xs: readonly number[], ys: readonly number[]): number {
  let wins = 0;
  for (const a of xs) for (const b of ys) wins += a > b ? 1 : a === b ? 0.5 : 0;
  return wins;
}

export interface PermutationTest {
  /** The share of arrangements whose difference is at least as large as the one that was seen. */
  readonly p: number;
  /** The smallest that the test can give with so many seeds, whatever their values are. */
  readonly smallest: number;
  readonly arrangements: number;
  /** Whether every arrangement was tried; otherwise as many were drawn. */
  readonly isExact: boolean;
}

export interface PermutationOptions {
  /** Up to so many arrangements all are tried; beyond, so many are drawn. 20,000 by default. */
  readonly most?: number;
  /** Of the draws; 1 by default. */
  readonly seed?: number;
}

/**
 * The two-sided permutation test of two means (Fisher, Pitman): if both methods were the same, every way to deal the
 * values out to them would be as likely as the one that was seen. Null where one of them has no values.
 */
export function permutationTest(
  x: readonly number[],
  y: readonly number[],
  { most = 20_000, seed = 1 }: PermutationOptions = {},
): PermutationTest | null {
  checkValues('x', x);
  checkValues('y', y);
  if (x.length === 0 || y.length === 0) return null;
  const all = [...x, ...y];
  const magnitudes = all.map(Math.abs);
  // No arrangement has a larger sum.
  if (!Number.isFinite(magnitudes.reduce((sum, value) => sum + value, 0))) {
    const limit = `the largest number, ${Number.MAX_VALUE}`;
    throw new RangeError(
      `x and y have magnitudes that sum to more than ${limit}, but must be scaled so that they do not.`,
    );
  }
  const total = all.reduce((sum, value) => sum + value, 0);
  const difference = (sumOfX: number) => Math.abs(sumOfX / x.length - (total - sumOfX) / y.length);
  const seen = difference(x.reduce((sum, value) => sum + value, 0));
  // Sums in another order differ in their last digits.
  const tolerance = 1e-12 * magnitudes.reduce((most, value) => Math.max(most, value));
  const isAsLarge = (sumOfX: number) => difference(sumOfX) >= seen - tolerance;

  const count = arrangementsOf(all.length, x.length);
  if (count <= most) {
    let extreme = 0;
    forEachSum(all, x.length, (sum) => {
      if (isAsLarge(sum)) extreme++;
    });
    // With as many seeds of both, exchanging them changes nothing but the sign.
    const smallest = (x.length === y.length ? 2 : 1) / count;
    return { p: extreme / count, smallest, arrangements: count, isExact: true };
  }
  const random = new Random(seed);
  const draws = Array.from({ length: most }, () => {
    const dealt = random.shuffle([...all]);
    return isAsLarge(dealt.slice(0, x.length).reduce((sum, value) => sum + value, 0));
  });
  // The arrangement that was seen is one of them, so that p is never 0 (Phipson and Smyth, 2010).
  const p = (draws.filter(Boolean).length + 1) / (most + 1);
  return { p, smallest: 1 / (most + 1), arrangements: most, isExact: false };
}

/**
 * The two-sided permutation test of the probability of improvement over several tasks: values are dealt out anew within each
 * task, never across. Arrangements are drawn. Null where a method has no values of a task.
 */
export function stratifiedPermutationTest(
  x: TaskScores,
  y: TaskScores,
  { most = 20_000, seed = 1 }: PermutationOptions = {},
): PermutationTest | null {
  if ([...x, ...y].some((scores) => scores.length === 0)) return null;
  checkTasks('x', x);
  checkTasks('y', y);
  // The pairs that X wins are the sum of its ranks among all values, less those among its own (Mann and Whitney, 1947).
  const winsOfRanks = (ranks: readonly number[], own: number) =>
    ranks.slice(0, own).reduce((sum, rank) => sum + rank, 0) - (own * (own + 1)) / 2;
  const difference = (dealt: TaskScores) =>
    Math.abs(meanOf(dealt.map((ranks, task) => winsOfRanks(ranks, x[task].length) / pairs[task])) - 0.5);
  const pairs = x.map((xs, task) => xs.length * y[task].length);
  const ranked = x.map((xs, task) => ranksOf([...xs, ...y[task]], false));
  // Means in another order differ in their last digits.
  const seen = difference(ranked) - 1e-12;
  const random = new Random(seed);
  let extreme = 1;
  for (let draw = 0; draw < most; draw++) {
    if (difference(ranked.map((ranks) => random.shuffle([...ranks]))) >= seen) extreme++;
  }
  const count = x.reduce((product, xs, task) => product * arrangementsOf(xs.length + y[task].length, xs.length), 1);
  return {
    p: extreme / (most + 1),
    // That of winning all pairs of all tasks, which either method can.
    smallest: Math.max(Math.min(1, 2 / count), 1 / (most + 1)),
    arrangements: most,
    isExact: false,
  };
}

/** In how many ways `chosen` of `all` can be chosen. */
function arrangementsOf(all: number, chosen: number): number {
  let count = 1;
  for (let k = 1; k <= chosen; k++) count = (count * (all - chosen + k)) / k;
  return Math.round(count);
}

/** Calls with the sum of every choice of `count` values. */
function forEachSum(values: readonly number[], count: number, visit: (sum: number) => void): void {
  const choose = (from: number, left: number, sum: number): void => {
    if (left === 0) {
      visit(sum);
      return;
    }
    for (let i = from; i <= values.length - left; i++) choose(i + 1, left - 1, sum + values[i]);
  };
  choose(0, count, 0);
}
