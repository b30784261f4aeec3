import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectedUtility, maximumUtilityLoss } from './index.js';

const rows = (...points: number[][]) => points;

const corners = rows([1, 0], [0.5, 0.5], [0, 1]);
const value = fc.integer({ min: -5, max: 5 });
const points = fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 8 });

describe('expectedUtility', () => {
  test('is the mean of the best weighted sums', () => {
    // (1, 0) gets 4, (1/2, 1/2) gets 3 from the middle point, (0, 1) gets 4.
    expect(expectedUtility(rows([4, 0], [3, 3], [0, 4]), corners)).toBe(11 / 3);
  });

  test('does not see a point inside the convex hull', () => {
    const hull = rows([4, 0], [0, 4]);
    expect(expectedUtility([...hull, [1.5, 1.5]], corners)).toBe(expectedUtility(hull, corners));
  });

  test('can be negative', () => {
    expect(expectedUtility([[-1, -2]], rows([1, 0], [0, 1]))).toBe(-1.5);
  });

  test('does not fall when a point is added', () => {
    fc.assert(
      fc.property(points, fc.tuple(value, value), (some, one) => {
        expect(expectedUtility([...some, one], corners)).toBeGreaterThanOrEqual(expectedUtility(some, corners));
      }),
    );
  });
});

describe('maximumUtilityLoss', () => {
  test('is the largest difference over the weights', () => {
    // Losses 0 at (1, 0), 1 at (1/2, 1/2), 4 at (0, 1).
    expect(maximumUtilityLoss([[4, 0]], rows([4, 0], [3, 3], [0, 4]), corners)).toBe(4);
    expect(maximumUtilityLoss(rows([4, 0], [0, 4]), rows([4, 0], [3, 3], [0, 4]), corners)).toBe(1);
  });

  test('is zero for the reference itself, and negative when everything is better', () => {
    expect(maximumUtilityLoss([[1, 2]], [[1, 2]], corners)).toBe(0);
    expect(maximumUtilityLoss([[3, 3]], [[1, 2]], corners)).toBe(-1);
  });

  test('does not rise when a point is added', () => {
    fc.assert(
      fc.property(points, fc.tuple(value, value), points, (some, one, reference) => {
        const before = maximumUtilityLoss(some, reference, corners);
        expect(maximumUtilityLoss([...some, one], reference, corners)).toBeLessThanOrEqual(before);
      }),
    );
  });
});

test.each<[string, () => number, string]>([
  ['no points', () => expectedUtility([], corners), 'points is [], but must hold at least one point.'],
  ['no weights', () => expectedUtility([[1, 2]], []), 'weights is [], but must hold at least one point.'],
  [
    'weights for another number of objectives',
    () => expectedUtility([[1, 2, 3]], corners),
    'weights has rows of 2 numbers, but must have rows of 3 like points.',
  ],
  [
    'a negative weight',
    () => expectedUtility([[1, 2]], [[1.5, -0.5]]),
    'weights[0][1] is -0.5, but must be at least 0.',
  ],
  [
    'NaN in a weight',
    () => maximumUtilityLoss([[1, 2]], [[1, 2]], [[NaN, 1]]),
    'weights[0][0] is NaN, but must be a finite number.',
  ],
  [
    'an empty reference front',
    () => maximumUtilityLoss([[1, 2]], [], corners),
    'referenceFront is [], but must hold at least one point.',
  ],
  [
    'a reference front of another size',
    () => maximumUtilityLoss([[1, 2]], [[1]], corners),
    'referenceFront has rows of 1 number, but must have rows of 2 like points.',
  ],
])('metrics of utility refuse %s', (_, metric, message) => {
  expect(metric).toThrow(new RangeError(message));
});
