import { expect, test } from 'vitest';
import { coverage } from './index.js';

const rows = (...points: number[][]) => points;

const front = rows([0, 4], [2, 2], [4, 0], [9, 9]);

test('precision counts points, recall counts the front', () => {
  // Two of three points lie near the front, and they reach one of its four.
  const { precision, recall, f1 } = coverage(rows([2, 2], [2.1, 2.1], [1, 1]), front, 0.5);
  expect(precision).toBe(2 / 3);
  expect(recall).toBe(1 / 4);
  expect(f1).toBeCloseTo((2 * (2 / 3) * (1 / 4)) / (2 / 3 + 1 / 4), 15);
});

test('the distance of coverage is L1 and must stay below the tolerance', () => {
  expect(coverage([[2.25, 2.25]], [[2, 2]], 0.5).recall).toBe(0);
  expect(coverage([[2.25, 2.125]], [[2, 2]], 0.5).recall).toBe(1);
  expect(coverage([[2.4, 2.4]], [[2, 2]], 0.6).recall).toBe(0);
});

test('coverage scores the whole front 1 and nothing 0', () => {
  expect(coverage(front, front, 0.5)).toEqual({ precision: 1, recall: 1, f1: 1 });
  expect(coverage([[-50, -50]], front, 0.5)).toEqual({ precision: 0, recall: 0, f1: 0 });
  expect(coverage([], front, 0.5)).toEqual({ precision: 0, recall: 0, f1: 0 });
});

test('coverage refuses an empty front, other objectives and a tolerance that nothing can meet', () => {
  expect(() => coverage(front, [], 0.5)).toThrow(new RangeError('front is [], but must hold at least one point.'));
  expect(() => coverage([[1]], front, 0.5)).toThrow(
    new RangeError('points has rows of 1 number, but must have rows of 2 like front.'),
  );
  for (const tolerance of [0, -1, NaN, Infinity]) {
    expect(() => coverage(front, front, tolerance)).toThrow(
      new RangeError(`tolerance is ${tolerance}, but must be a finite number above 0.`),
    );
  }
});
