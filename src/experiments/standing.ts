/** Which entries of a table are ranked. */
import type { PresetName, TrainingPlan } from '../training/index.js';
import type { Published } from './case.js';
import type { Method } from './job.js';
import { isBelowRange } from './working-range.js';

/** Why an entry has no rank. */
export type Unranked = 'not in the paper' | 'its tuned settings are ranked' | 'others are tuned' | 'below its range';

/**
 * Why an entry has no rank; null where it has one.
 * @param methods of the whole table
 * @param preset of the budget
 */
export function unrankedBy(
  method: Method,
  methods: readonly Method[],
  preset: PresetName,
  plan: TrainingPlan,
  published: Published | null,
): Unranked | null {
  if (published === null) return 'not in the paper';
  if (method.preset === 'paper') {
    const tuned = tunedAmong(methods, preset);
    if (tuned.some(({ algorithm }) => algorithm === method.algorithm)) return 'its tuned settings are ranked';
    if (tuned.length > 0) return 'others are tuned';
  }
  return isBelowRange(plan) ? 'below its range' : null;
}

/** Whether a method is as published in a table whose budget, or some of whose methods, are not. */
export function isApart({ preset }: Method, methods: readonly Method[], ofBudget: PresetName): boolean {
  return preset === 'paper' && (ofBudget !== 'paper' || tunedAmong(methods, ofBudget).length > 0);
}

function tunedAmong(methods: readonly Method[], ofBudget: PresetName): readonly Method[] {
  return methods.filter(({ preset = ofBudget }) => preset !== 'paper');
}
