/** The interface of everything that acts at a preference, whether it is being trained or was loaded from a file. */
import { assertPreference } from '../preferences/index.js';

/** Acts at every preference: a learner, or a trained model on a device. */
export interface Policy {
  /**
   * The best actions for rows of observations, each with its preference. The array is overwritten by the next call.
   * Rejects with a RangeError unless each preference has a weight per objective, in sum 1.
   */
  act(observations: Float32Array, preferences: Float32Array): Promise<Float32Array | Int32Array>;
  /** Gives back what it holds on its device; it cannot act any more. */
  dispose(): Promise<void>;
}

/** Throws a RangeError unless there is an observation and a preference for each row, and returns how many there are. */
export function countRows(
  observations: Float32Array,
  preferences: Float32Array,
  { observation, objectives }: { readonly observation: number; readonly objectives: number },
): number {
  const rows = observations.length / observation;
  if (!Number.isInteger(rows) || rows === 0) {
    const has = `observations has ${observations.length} numbers`;
    throw new RangeError(`${has}, but must have ${observation} for each row.`);
  }
  const size = preferences.length / rows;
  if (!Number.isInteger(size)) {
    const has = `preferences has ${preferences.length} numbers for ${rows} observations`;
    throw new RangeError(`${has}, but must have ${objectives} for each.`);
  }
  for (let row = 0; row < rows; row++) {
    assertPreference(preferences.subarray(row * size, (row + 1) * size), objectives);
  }
  return rows;
}
