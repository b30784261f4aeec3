/** What the leaves of a fruit tree are worth at a preference, and how to get to them. */
import type { ReturnsAt } from '../../fronts/front.js';
import type { Preference } from './messages.js';
import { nearestEvaluated } from './simplex.js';

export type Leaves = readonly (readonly number[])[];

export interface Harvest {
  readonly utility: number;
  /** The leaf that no other is worth more than, and what it is worth. */
  readonly best: number;
  readonly most: number;
  /** The share of that which is lost. */
  readonly regret: number;
}

/** What a leaf is worth at a preference, beside the best one. */
export function harvestOf(leaves: Leaves, leaf: number, preference: Preference): Harvest {
  const utilities = leaves.map((fruit) => fruit.reduce((sum, amount, k) => sum + amount * preference[k], 0));
  const most = Math.max(...utilities);
  const utility = utilities[leaf];
  // Of equal ones the leaf itself, so that nothing else is called better.
  const best = utility === most ? leaf : utilities.indexOf(most);
  return { utility, best, most, regret: most === 0 ? 0 : (most - utility) / Math.abs(most) };
}

/** Of a fruit, for numbers that were rounded when they were added up. */
const CLOSE = 1e-4;

/**
 * The preference most like this one whose policy was evaluated to walk to a leaf; undefined where none does.
 * @param discount of a step
 */
export function preferenceFor(
  { preferences, returns }: ReturnsAt,
  leaves: Leaves,
  leaf: number,
  discount: number,
  preference: Preference,
): Preference | undefined {
  // The fruit is the reward of the last step.
  const factor = discount ** (Math.log2(leaves.length) - 1);
  const leads = returns.map((row) =>
    row.every((value, k) => Math.abs(value - factor * leaves[leaf][k]) <= CLOSE * (1 + Math.abs(value))),
  );
  const found = {
    preferences: preferences.filter((_, i) => leads[i]),
    returns: returns.filter((_, i) => leads[i]),
  };
  return nearestEvaluated(found, preference)?.preference;
}
