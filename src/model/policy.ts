/** The interface of everything that acts at a preference, whether it is being trained or was loaded from a file. */
import { assertPreference } from '../preferences/index.js';

/** Acts at every preference: a learner, or a trained model on a device. */
export interface Policy {
  /**
   * The best actions for rows of observations, each with its preference. The array is overwritten by the next call.
   * Rejects with a RangeError unless each preference has a weight per objective, in sum 1, and with a TypeError where
   * JavaScript gives it other arrays.
   */
  act(observations: Float32Array, preferences: Float32Array): Promise<Float32Array | Int32Array>;
  /** Gives back what it holds on its device; it cannot act any more. */
  dispose(): Promise<void>;
}

/** How many rows there are. Throws unless each has an observation and a preference. */
export function countRows(
  observations: Float32Array,
  preferences: Float32Array,
  { observation, objectives }: { readonly observation: number; readonly objectives: number },
): number {
  for (const [name, values] of Object.entries({ observations, preferences })) {
    if (values instanceof Float32Array) continue;
    const kind = Object.prototype.toString.call(values).slice('[object '.length, -1);
    throw new TypeError(`${name} is of the kind ${kind}, but must be a Float32Array.`);
  }
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
