import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chebyshev, dominates, idealAndNadir } from './index.js';

/** The middle point lies in a concave part: no weighted sum of the objectives is largest there. */
const concave = [
  [10, 0],
  [4, 4],
  [0, 10],
];

describe('chebyshev', () => {
  test('is the largest weighted shortfall from the ideal, negated', () => {
    const utility = chebyshev([0.5, 0.5], { ideal: [10, 10], augmentation: 0 });
    expect(concave.map(utility)).toEqual([-5, -3, -5]);
    expect(concave.map(chebyshev([0.25, 0.75], { ideal: [10, 10], augmentation: 0 }))).toEqual([-7.5, -4.5, -2.5]);
  });

  test('adds a share of the sum of all shortfalls', () => {
    expect(chebyshev([0.5, 0.5], { ideal: [10, 10], augmentation: 0.01 })([4, 4])).toBeCloseTo(-3.12, 12);
  });

  test('measures in shares of what lies between nadir and ideal, and in units where they are equal', () => {
    const options = { ideal: [100, 0, 7], nadir: [0, -10, 7], augmentation: 0 };
    const utility = chebyshev([0.5, 0.25, 0.25], options);
    expect(utility([60, -4, 7])).toBeCloseTo(-0.2, 12);
    expect(utility([60, -10, 7])).toBeCloseTo(-0.25, 12);
    expect(utility([100, 0, 5])).toBeCloseTo(-0.5, 12);
  });

  test('goes on rising beyond an ideal that can be reached, also with a weight of 0', () => {
    const utility = chebyshev([1, 0], { ideal: [1, 1], augmentation: 0 });
    expect([0, 1, 3].map((x) => utility([x, 0]))).toEqual([-1, 0, 2]);
  });

  test('is larger at a point than at those that it dominates', () => {
    const value = fc.integer({ min: -9, max: 9 });
    const point = fc.tuple(value, value, value);
    const weight = fc.integer({ min: 0, max: 9 });
    const weights = fc.tuple(weight, weight, weight).filter((some) => some.some((one) => one > 0));
    fc.assert(
      fc.property(weights, point, point, point, (some, ideal, a, b) => {
        fc.pre(dominates(a, b));
        const utility = chebyshev(some, { ideal });
        expect(utility(a)).toBeGreaterThan(utility(b));
      }),
    );
  });

  test.each([
    [[0, 0], { ideal: [1, 1] }, 'weights is [0, 0], but must have an entry above 0.'],
    [[0.5, -1], { ideal: [1, 1] }, 'weights[1] is -1, but must be at least 0.'],
    [[0.5, 0.5], { ideal: [1] }, 'ideal holds 1 number, but must hold 2, one per objective.'],
    [[0.5, 0.5], { ideal: [1, 1], nadir: [0, 2] }, 'nadir[1] is 2, but must be at most ideal[1], 1.'],
    [[0.5, 0.5], { ideal: [1, 1], augmentation: -1 }, 'augmentation is -1, but must be a finite number of at least 0.'],
  ])('refuses %j with %j', (weights, options, sentence) => {
    expect(() => chebyshev(weights, options)).toThrow(new RangeError(sentence));
  });
});

test('idealAndNadir takes the nadir over the front, not over all points', () => {
  expect(idealAndNadir([...concave, [-3, -3]])).toEqual({ ideal: [10, 10], nadir: [0, 0] });
});
