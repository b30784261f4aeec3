/** Spaces of observations and actions, and the check of an action against its space. */
import type { Action, ActionOf, Continuous, Discrete, Space } from './contract.js';

export function discrete(n: number): Discrete {
  return { kind: 'discrete', n };
}

/** A vector space with bounds for each entry. */
export function continuous(low: readonly number[], high: readonly number[]): Continuous {
  if (low.length !== high.length) {
    throw new RangeError(`low has ${low.length} entries, but must have as many as high, which has ${high.length}.`);
  }
  return { kind: 'continuous', shape: [low.length], low, high };
}

/** A vector space with the same bounds for every entry. */
export function cube(size: number, low: number, high: number): Continuous {
  return continuous(new Array<number>(size).fill(low), new Array<number>(size).fill(high));
}

/** The number of entries of an element of a continuous space. */
export function dimensions(space: Continuous): number {
  return space.shape.reduce((product, extent) => product * extent, 1);
}

/**
 * Returns the action if it can be taken. An action outside the bounds of a continuous space can: robots clip it themselves, each in
 * its published way. `where` completes the sentence of an error, as in "at step 3 of fruit-tree-d6".
 */
export function checkAction<S extends Space>(space: S, action: Action, where: () => string): ActionOf<S> {
  // Callers without types can pass anything.
  const given: unknown = action;
  if (space.kind === 'discrete') {
    if (typeof given !== 'number' || !Number.isInteger(given) || given < 0 || given >= space.n) {
      throw new RangeError(`action is ${shown(given)} ${where()}, but must be an integer from 0 to ${space.n - 1}.`);
    }
  } else {
    const size = dimensions(space);
    if (!isArrayOf(size, given)) {
      const allowed = `an array of ${size} ${size === 1 ? 'number' : 'numbers'}`;
      throw new RangeError(`action is ${shown(given)} ${where()}, but must be ${allowed}.`);
    }
    for (let i = 0; i < size; i++) {
      const entry = given[i];
      if (typeof entry !== 'number' || Number.isNaN(entry)) {
        throw new RangeError(`action[${i}] is ${shown(entry)} ${where()}, but must be a number.`);
      }
    }
  }
  return action as ActionOf<S>;
}

function isArrayOf(size: number, value: unknown): value is ArrayLike<unknown> {
  return typeof value === 'object' && value !== null && 'length' in value && value.length === size;
}

/** A value as it appears in a sentence. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return String(value);
  return 'length' in value ? `an array of length ${String(value.length)}` : 'an object';
}
