/** The grid of preferences over which the utility of a front is taken where no run says which. */
import { gridSize } from '../preferences/index.js';
import { UsageError } from './errors.js';

/** Steps of 0.01 to 1. Six objectives get 10, two get 100, as in published evaluations. */
const DIVISIONS = [100, 50, 20, 10, 5, 2, 1] as const;
const MOST_BY_DEFAULT = 6000;
const MOST_PREFERENCES = 1_000_000;

/** For help. */
export const DIVISIONS_BY_DEFAULT = '100 for up to 3 objectives, fewer for more';

export function divisionsFor(objectives: number, given: number | undefined): number {
  if (given === undefined) {
    return DIVISIONS.find((divisions) => gridSize(objectives, divisions) <= MOST_BY_DEFAULT) ?? 1;
  }
  if (gridSize(objectives, given) > MOST_PREFERENCES) {
    const allowed = `so small that ${objectives} objectives have at most ${MOST_PREFERENCES} preferences`;
    throw new UsageError('--divisions', given, allowed);
  }
  return given;
}
