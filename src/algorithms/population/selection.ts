/**
 * What population methods have in common: in every generation a few tasks, each a policy to continue from and a weight to
 * train it for, run side by side. The methods differ in how they choose the next tasks.
 */
import type { Random } from '../../random/index.js';
import type { SavedReplica } from '../learner.js';

/** A policy that was evaluated. Others refer to it by its index in the history, its place. */
export interface HistoryEntry {
  /** The policy that it was trained from, by its place; null for one that training began with. */
  readonly parent: number | null;
  /** The weight that it was trained for; sums to 1. */
  readonly weight: readonly number[];
  /** Its return less the reference point, so that the origin is the worst of interest. */
  readonly objectives: readonly number[];
}

/** A policy to continue from, and the weight to train it for. */
export interface Task {
  /** Its place in the history, or the meta-policy. */
  readonly from: number | 'meta';
  /** Sums to 1. */
  readonly weight: readonly number[];
}

/** How the iterations of a training are divided; all counts are iterations of one task. */
export interface Schedule {
  /** Of the whole training. */
  readonly iterations: number;
  /** Of the first generation. */
  readonly warmup: number;
  /** Of every later one. */
  readonly generation: number;
}

/** What there is to choose from, after a generation. */
export interface Situation {
  readonly schedule: Schedule;
  /** Iterations that are done. */
  readonly done: number;
  /** Weights that the tasks began with, evenly spread. */
  readonly weights: readonly (readonly number[])[];
  readonly history: readonly HistoryEntry[];
  /** Where each task ended, by place in the history. */
  readonly latest: readonly number[];
  /** The policies that tasks may continue from, by place in the history; never empty. */
  readonly population: readonly number[];
  /** Objectives of all non-dominated policies so far. */
  readonly archive: readonly (readonly number[])[];
  readonly random: Random;
}

/** How a method plans its generations. */
export interface SelectionRule {
  /** Iterations of the generation that begins after so many. */
  length(done: number, schedule: Schedule): number;
  /** How far the learning rate has decayed after so many iterations: from 0 to 1. */
  progress(done: number, schedule: Schedule): number;
  /** The tasks of the generation that follows. */
  next(situation: Situation): Task[];
  /** Only where tasks begin from a meta-policy. */
  readonly meta?: MetaRule;
}

/** How a meta-policy comes about. The training begins with one that has learned nothing. */
export interface MetaRule {
  /** Weights of the first tasks. */
  first(situation: Pick<Situation, 'schedule' | 'weights' | 'random'>): (readonly number[])[];
  /** The meta-policy after a generation of tasks that began from it; undefined where it is finished. */
  update(
    meta: SavedReplica,
    trained: readonly SavedReplica[],
    done: number,
    schedule: Schedule,
  ): SavedReplica | undefined;
}

/** What nearly all methods do: a long first generation, equal ones after it, and a rate that falls over all of it. */
export const generational: Pick<SelectionRule, 'length' | 'progress'> = {
  length: (done, { warmup, generation }) => (done === 0 ? warmup : generation),
  progress: (done, { iterations }) => done / iterations,
};

export function scalarised(weight: ArrayLike<number>, point: ArrayLike<number>): number {
  let sum = 0;
  for (let k = 0; k < point.length; k++) sum += weight[k] * point[k];
  return sum;
}

/** The first of the items that has the largest value. */
export function bestOf<T>(items: readonly T[], value: (item: T) => number): T {
  let best = items[0];
  let most = value(best);
  for (const item of items.slice(1)) {
    const current = value(item);
    if (current > most) [best, most] = [item, current];
  }
  return best;
}
