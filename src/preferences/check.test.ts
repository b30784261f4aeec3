import { describe, expect, it } from 'vitest';
import { assertPreference } from './index.js';

describe('assertPreference', () => {
  it('accepts preferences, also in single precision', () => {
    for (const w of [[1, 0], [0.25, 0.75], new Float32Array([0.1, 0.9]), [0.5, 0.5 + 9e-7]]) assertPreference(w, 2);
    assertPreference(new Array<number>(6).fill(1 / 6), 6);
  });

  it.each([
    [[0.5, 0.6], 'preference is [0.5, 0.6], which sums to 1.1, but must sum to 1.'],
    [[0.5, 0.499], 'preference is [0.5, 0.499], which sums to 0.999, but must sum to 1.'],
    [[0, Infinity], 'preference is [0, Infinity], which sums to Infinity, but must sum to 1.'],
    [[-0.5, 1.5], 'preference is [-0.5, 1.5], but its entries must not be negative.'],
    [[NaN, 1], 'preference is [NaN, 1], but its entries must be numbers.'],
    [[1], 'preference is [1], but must have 2 entries, one per objective.'],
    [[0.2, 0.3, 0.5], 'preference is [0.2, 0.3, 0.5], but must have 2 entries, one per objective.'],
  ])('refuses %j', (preference, message) => {
    expect(() => assertPreference(preference, 2)).toThrow(new RangeError(message));
  });

  it('shows weights in single precision as they were typed', () => {
    expect(() => assertPreference(Float32Array.of(0.5, 0.9), 2)).toThrow(
      new RangeError('preference is [0.5, 0.9], which sums to 1.4, but must sum to 1.'),
    );
  });
});
