/** Which entries of a table are ranked. */
import type { TrainingPlan } from '../training/index.js';
import type { Published } from './case.js';
import type { Method } from './job.js';
import { isBelowRange } from './working-range.js';

/** Why an entry has no rank. */
export type Unranked = 'not in the paper' | 'its tuned settings are ranked' | 'below its range';

/**
 * Why an entry has no rank; null where it has one.
 * @param methods of the whole table
 */
export function unrankedBy(
  method: Method,
  methods: readonly Method[],
  plan: TrainingPlan,
  published: Published | null,
): Unranked | null {
  if (published === null) return 'not in the paper';
  if (hasTuned(method, methods)) return 'its tuned settings are ranked';
  return isBelowRange(plan) ? 'below its range' : null;
}

/** Whether a method is as published, and the same one is in the table with tuned settings. */
export function hasTuned({ preset, algorithm }: Method, methods: readonly Method[]): boolean {
  return preset === 'paper' && methods.some((other) => other.algorithm === algorithm && other.preset !== 'paper');
}
