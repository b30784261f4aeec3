import { describe, expect, it } from 'vitest';
import { Random } from '../../random/index.js';
import { shuffledRows } from './minibatches.js';

const sizes = { environments: 3, horizon: 8 };

describe('shuffledRows', () => {
  it.each([1, 2, 4, 8])('has every row once, in groups of %i rows of one environment', (together) => {
    const rows = [...shuffledRows(new Random(1), { ...sizes, together })];
    expect([...rows].sort((a, b) => a - b)).toEqual(Array.from({ length: 24 }, (_, row) => row));
    for (let from = 0; from < rows.length; from += together) {
      const group = rows.slice(from, from + together).map((row) => Math.floor(row / sizes.horizon));
      expect(new Set(group).size).toBe(1);
    }
  });

  it('mixes the steps of an environment and the environments', () => {
    const random = new Random(2);
    const orders = Array.from({ length: 200 }, () => shuffledRows(random, { ...sizes, together: 4 }));
    // Each of 24 rows comes first about as often: 8.3 times, give or take 2.8.
    const first = new Map<number, number>();
    for (const [row] of orders) first.set(row, (first.get(row) ?? 0) + 1);
    expect(first.size).toBe(24);
    expect(Math.max(...first.values())).toBeLessThan(22);
  });
});
