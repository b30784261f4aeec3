import fc from 'fast-check';
import { expect, test } from 'vitest';
import { igd, igdPlus } from './index.js';

const rows = (...points: number[][]) => points;

const front = rows([0, 4], [4, 0]);

test('igd is the mean distance from the front to the nearest point', () => {
  // (0, 4) is 5 away from (3, 8) and (4, 0) is 3 away from (4, -3).
  expect(igd(rows([3, 8], [4, -3]), front)).toBe(4);
  // (3, 8) has all that (0, 4) asks for, and lacks 1 of (4, 0).
  expect(igdPlus(rows([3, 8], [4, -3]), front)).toBe(0.5);
});

test('igd and igdPlus are zero when the whole front is reached, whatever else there is', () => {
  expect(igd([...front, [1, 1]], front)).toBe(0);
  expect(igdPlus([...front, [1, 1]], front)).toBe(0);
});

test('igd punishes a point that is better than the front, igdPlus does not', () => {
  expect(igd([[9, 9]], front)).toBeGreaterThan(igd([[4, 4]], front));
  expect(igdPlus([[9, 9]], front)).toBe(0);
});

test('igdPlus never exceeds igd, and never rises when a point improves', () => {
  const value = fc.integer({ min: 0, max: 9 });
  const points = fc.array(fc.tuple(value, value, value), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(points, points, value, (some, reference, step) => {
      expect(igdPlus(some, reference)).toBeLessThanOrEqual(igd(some, reference));
      const better = some.map(([x, y, z]) => [x + step, y, z]);
      expect(igdPlus(better, reference)).toBeLessThanOrEqual(igdPlus(some, reference));
    }),
  );
});

test('igd and igdPlus refuse missing points and fronts', () => {
  expect(() => igd([], front)).toThrow(new RangeError('points is [], but must hold at least one point.'));
  expect(() => igdPlus(front, [])).toThrow(new RangeError('referenceFront is [], but must hold at least one point.'));
  expect(() => igd(front, [[1, 2, 3]])).toThrow(
    new RangeError('referenceFront has rows of 3 numbers, but must have rows of 2 like points.'),
  );
  expect(() => igd([[0, NaN]], front)).toThrow(new RangeError('points[0][1] is NaN, but must be a finite number.'));
});
