import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dominates } from './index.js';

test('a point dominates another that is nowhere better and somewhere worse', () => {
  expect(dominates([2, 2], [1, 2])).toBe(true);
  expect(dominates([2, 2], [1, 1])).toBe(true);
});

test('a point does not dominate itself, a better one, or one that is better somewhere', () => {
  expect(dominates([2, 2], [2, 2])).toBe(false);
  expect(dominates([1, 2], [2, 2])).toBe(false);
  expect(dominates([3, 1], [1, 3])).toBe(false);
});

test('typed arrays are points too', () => {
  expect(dominates(new Float32Array([1, 2]), new Float64Array([1, 1]))).toBe(true);
});

test('dominance is a strict partial order', () => {
  const point = fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 3, maxLength: 3 });
  fc.assert(
    fc.property(point, point, point, (a, b, c) => {
      if (dominates(a, b)) expect(dominates(b, a)).toBe(false);
      if (dominates(a, b) && dominates(b, c)) expect(dominates(a, c)).toBe(true);
    }),
  );
});

test('dominates refuses points of different lengths and values that are not finite', () => {
  expect(() => dominates([1, 2], [1])).toThrow(new RangeError('b holds 1 number, but must hold 2, one per objective.'));
  expect(() => dominates([1, NaN], [1, 2])).toThrow(new RangeError('a[1] is NaN, but must be a finite number.'));
  expect(() => dominates([1, 2], [1, Infinity])).toThrow('b[1] is Infinity');
});
