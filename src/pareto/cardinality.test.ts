import { expect, test } from 'vitest';
import { cardinality } from './index.js';

const rows = (...points: number[][]) => points;

test('cardinality counts distinct non-dominated points', () => {
  expect(cardinality(rows([1, 3], [3, 1], [1, 3], [0, 0]))).toBe(2);
  expect(cardinality([])).toBe(0);
});
