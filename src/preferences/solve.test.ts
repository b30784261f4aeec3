import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { solveInPlace } from './solve.js';

const rows = (matrix: readonly number[][]) => matrix.map((row) => Float64Array.from(row));

describe('solveInPlace', () => {
  it('solves a system worked out by hand, for two right-hand sides at once', () => {
    const b = rows([
      [3, 1],
      [5, 0],
    ]);
    // 2x + y = 3, x + 3y = 5 at (0.8, 1.4); and at (0.6, -0.2) for (1, 0).
    expect(
      solveInPlace(
        rows([
          [2, 1],
          [1, 3],
        ]),
        b,
      ),
    ).toBe(true);
    expect(b[0][0]).toBeCloseTo(0.8, 15);
    expect(b[1][0]).toBeCloseTo(1.4, 15);
    expect(b[0][1]).toBeCloseTo(0.6, 15);
    expect(b[1][1]).toBeCloseTo(-0.2, 15);
  });

  it('exchanges rows when a pivot is zero', () => {
    const b = rows([[2], [3]]);
    expect(
      solveInPlace(
        rows([
          [0, 1],
          [1, 0],
        ]),
        b,
      ),
    ).toBe(true);
    expect(b.map(([x]) => x)).toEqual([3, 2]);
  });

  it('says when there is no solution', () => {
    const singular = rows([
      [1, 2],
      [2, 4],
    ]);
    expect(solveInPlace(singular, rows([[1], [1]]))).toBe(false);
  });

  it('finds what was multiplied', () => {
    const n = 5;
    const entry = fc.double({ min: -1, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.array(entry, { minLength: n * n, maxLength: n * n }), (values) => {
        // The diagonal dominates, so the system is well conditioned.
        const a = Array.from({ length: n }, (_, i) =>
          Float64Array.from({ length: n }, (_, j) => values[i * n + j] + (i === j ? 2 * n : 0)),
        );
        const b = a.map((row) => Float64Array.of(row.reduce((sum, value, j) => sum + value * (j - 1), 0)));
        expect(solveInPlace(a, b)).toBe(true);
        b.forEach(([x], j) => expect(x).toBeCloseTo(j - 1, 12));
      }),
    );
  });
});
