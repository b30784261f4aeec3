import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dominates, setCoverage } from './index.js';

const rows = (...points: number[][]) => points;

test('setCoverage counts the points that others dominate, and those that they equal besides', () => {
  const points = rows([1, 4], [2, 2], [4, 1], [0, 0]);
  // (2, 2) is equalled, (4, 1) and (0, 0) are dominated by (5, 1) and (2, 2), (1, 4) stands.
  expect(setCoverage(points, rows([2, 2], [5, 1]))).toEqual({ dominated: 2, covered: 3 });
  expect(setCoverage(rows([2, 2], [5, 1]), points)).toEqual({ dominated: 0, covered: 1 });
});

test('a point that is equalled by one and dominated by another counts once', () => {
  expect(setCoverage(rows([1, 1]), rows([1, 1], [1, 2]))).toEqual({ dominated: 1, covered: 1 });
});

test('nothing is covered by nothing, and of nothing nothing is', () => {
  expect(setCoverage(rows([1, 1]), [])).toEqual({ dominated: 0, covered: 0 });
  expect(setCoverage([], rows([1, 1]))).toEqual({ dominated: 0, covered: 0 });
});

test('setCoverage agrees with the definition', () => {
  const value = fc.integer({ min: 0, max: 3 });
  const sets = fc
    .integer({ min: 1, max: 4 })
    .map((objectives) => fc.array(fc.array(value, { minLength: objectives, maxLength: objectives }), { maxLength: 8 }))
    .chain((set) => fc.tuple(set, set));
  fc.assert(
    fc.property(sets, ([points, others]) => {
      const dominated = points.filter((point) => others.some((other) => dominates(other, point)));
      const equalled = points.filter((point) => others.some((other) => other.join() === point.join()));
      const covered = new Set([...dominated, ...equalled]);
      expect(setCoverage(points, others)).toEqual({ dominated: dominated.length, covered: covered.size });
    }),
  );
});

test('setCoverage refuses other objectives and what is no number', () => {
  expect(() => setCoverage(rows([1, 1]), rows([1]))).toThrow(
    new RangeError('others has rows of 1 number, but must have rows of 2 like points.'),
  );
  expect(() => setCoverage(rows([1, NaN]), rows([1, 1]))).toThrow('points[0][1] is NaN, but must be a finite number.');
});
