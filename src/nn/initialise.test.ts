import { describe, expect, it } from 'vitest';

import { Random } from '../random/index.js';
import { orthogonal, xavierNormal } from './initialise.js';

describe('xavierNormal', () => {
  it('has mean zero and variance 2 / (fanIn + fanOut)', () => {
    const values = xavierNormal(new Random(1), 300, 100);
    const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
    const variance = values.reduce((sum, x) => sum + x * x, 0) / values.length;
    expect(mean).toBeCloseTo(0, 2);
    expect(variance / (2 / 400)).toBeCloseTo(1, 1);
  });

  it('depends on the seed alone', () => {
    expect(xavierNormal(new Random(1), 3, 4)).toEqual(xavierNormal(new Random(1), 3, 4));
    expect(xavierNormal(new Random(1), 3, 4)).not.toEqual(xavierNormal(new Random(2), 3, 4));
  });
});

describe('orthogonal', () => {
  it.each([
    [6, 3],
    [3, 6],
    [64, 64],
  ])('has %i by %i orthonormal rows or columns, times the gain', (rows, columns) => {
    const gain = Math.SQRT2;
    const q = orthogonal(new Random(4), rows, columns, gain);
    const count = Math.min(rows, columns);
    const vectors = Array.from({ length: count }, (_, i) =>
      rows >= columns
        ? Array.from({ length: rows }, (_, k) => q[k * columns + i])
        : Array.from({ length: columns }, (_, k) => q[i * columns + k]),
    );
    for (let i = 0; i < count; i++) {
      for (let j = 0; j < count; j++) {
        const product = vectors[i].reduce((sum, x, k) => sum + x * vectors[j][k], 0);
        expect(product).toBeCloseTo(i === j ? gain * gain : 0, 5);
      }
    }
  });
});
