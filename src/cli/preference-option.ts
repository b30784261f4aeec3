import { assertPreference } from '../preferences/index.js';
import { InputError } from './errors.js';

/** Throws an InputError unless --preference is one of such an environment. */
export function checkPreference(preference: readonly number[], objectives: number): void {
  try {
    assertPreference(preference, objectives);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new InputError(error.message.replace(/^preference/, '--preference'), { cause: error });
  }
}
