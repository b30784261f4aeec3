import { expect, test } from 'vitest';
import { hypervolumeShares } from './index.js';

const rows = (...points: number[][]) => points;

test('hypervolumeShares gives the hypervolume of the union, and what each front adds to the others', () => {
  // Together 1 x 3 + 1 x 2 + 1 x 1.
  expect(hypervolumeShares([rows([1, 3], [2, 2]), rows([3, 1], [1, 1])], [0, 0])).toEqual({
    total: 6,
    points: 3,
    // Without the first (3, 1) reaches 3; without the second (1, 3) and (2, 2) reach 5.
    alone: [3, 1],
  });
});

test('a front that adds nothing has nothing alone, exactly', () => {
  const front = rows([0.1, 0.7], [0.3, 0.6], [0.2, 0.65]);
  const { total, alone } = hypervolumeShares([front, rows([0.3, 0.6], [0.1, 0.1])], [0, 0]);
  expect(alone[1]).toBe(0);
  expect(alone[0]).toBeLessThan(total);
  expect(hypervolumeShares([front, front], [0, 0]).alone).toEqual([0, 0]);
});

test('a single front has everything alone, and below the reference there is nothing', () => {
  expect(hypervolumeShares([rows([1, 2, 3])], [0, 0, 0])).toEqual({ total: 6, points: 1, alone: [6] });
  expect(hypervolumeShares([rows([1, 2]), rows([2, 1])], [5, 5])).toEqual({ total: 0, points: 2, alone: [0, 0] });
});
