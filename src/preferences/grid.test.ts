import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  assertPreference,
  gridSize,
  keyPreferences,
  preferenceGrid,
  simplexGrid,
  subspaces,
  sweepPreferences,
} from './index.js';

function compare(a: readonly number[], b: readonly number[]): number {
  const i = a.findIndex((value, j) => value !== b[j]);
  return i < 0 ? 0 : a[i] - b[i];
}

describe('simplexGrid', () => {
  it('lists two objectives from the second to the first', () => {
    const expected = [
      [0, 1],
      [0.25, 0.75],
      [0.5, 0.5],
      [0.75, 0.25],
      [1, 0],
    ];
    expect(simplexGrid(2, 4)).toEqual(expected);
    expect(simplexGrid(2, 0.25)).toEqual(expected);
  });

  it('lists three objectives in lexicographic order', () => {
    expect(simplexGrid(3, 0.5)).toEqual([
      [0, 0, 1],
      [0, 0.5, 0.5],
      [0, 1, 0],
      [0.5, 0, 0.5],
      [0.5, 0.5, 0],
      [1, 0, 0],
    ]);
  });

  it('has only the corners when nothing is divided', () => {
    expect(simplexGrid(2, 1)).toEqual([
      [0, 1],
      [1, 0],
    ]);
  });

  it.each([
    [6, 0.1, 3003, 2568],
    [6, 0.05, 53_130, 43_856],
    [2, 0.01, 101, 101],
    [2, 0.005, 201, 201],
    [2, 0.001, 1001, 1001],
  ])(
    'has for %i objectives and step %d %i preferences, of which %i sum to 1 exactly',
    (objectives, step, all, exact) => {
      expect(simplexGrid(objectives, step)).toHaveLength(all);
      expect(simplexGrid(objectives, step, { floatExact: true })).toHaveLength(exact);
      expect(simplexGrid(objectives, Math.round(1 / step), { floatExact: true })).toHaveLength(exact);
    },
  );

  it('has the published entries, multiples of the step in floating point, when float-exact', () => {
    expect(simplexGrid(2, 0.1, { floatExact: true })[3]).toEqual([3 * 0.1, 7 * 0.1]);
    expect(simplexGrid(2, 0.1)[3]).toEqual([0.3, 0.7]);
    for (const w of simplexGrid(6, 0.1, { floatExact: true })) expect(w.reduce((a, b) => a + b)).toBe(1);
  });

  it('is sorted, unique and on the simplex', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 5 }), fc.integer({ min: 1, max: 8 }), fc.boolean(), (m, n, floatExact) => {
        const grid = simplexGrid(m, n, { floatExact });
        grid.forEach((w, i) => {
          assertPreference(w, m);
          if (i > 0) expect(compare(grid[i - 1], w)).toBeLessThan(0);
        });
      }),
    );
  });

  it('refuses what gives no grid', () => {
    expect(() => simplexGrid(1, 0.1)).toThrow('objectives is 1, but must be an integer of at least 2.');
    for (const spacing of [0, -0.1, 0.3, 2.5, NaN, Infinity]) {
      expect(() => simplexGrid(2, spacing)).toThrow(
        `spacing is ${spacing}, but must be a step that divides 1, such as 0.05, or a number of divisions, such as 20.`,
      );
    }
  });
});

describe('subspaces', () => {
  it('cuts a grid into contiguous slices, the longer ones first', () => {
    expect(subspaces([1, 2, 3, 4, 5, 6, 7], 3)).toEqual([
      [1, 2, 3],
      [4, 5],
      [6, 7],
    ]);
  });

  it('gives the first of ten children the 101 smallest first weights of 1001', () => {
    const slices = subspaces(simplexGrid(2, 0.001), 10);
    expect(slices.map((slice) => slice.length)).toEqual([101, 100, 100, 100, 100, 100, 100, 100, 100, 100]);
    expect(slices[0].at(-1)).toEqual([0.1, 0.9]);
    expect(slices[1].at(0)).toEqual([0.101, 0.899]);
  });

  it('loses nothing and is nearly even', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 60 }), (a, b) => {
        const grid = Array.from({ length: Math.max(a, b) }, (_, i) => i);
        const slices = subspaces(grid, Math.min(a, b));
        const lengths = slices.map((slice) => slice.length);
        expect(slices.flat()).toEqual(grid);
        expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('refuses to leave a child without preferences', () => {
    for (const children of [0, 4, 1.5, NaN]) {
      expect(() => subspaces([1, 2, 3], children)).toThrow(
        `children is ${children}, but must be an integer from 1 to 3, the number of preferences.`,
      );
    }
  });
});

describe('key preferences', () => {
  it('are the unit vectors and the uniform one for discrete tasks', () => {
    expect(keyPreferences(3)).toEqual([
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
      [1 / 3, 1 / 3, 1 / 3],
    ]);
    expect(keyPreferences(6)).toHaveLength(7);
    expect(() => keyPreferences(0)).toThrow('objectives is 0');
  });

  it('are the ends and the middle for two continuous objectives', () => {
    expect(sweepPreferences()).toEqual([
      [0, 1],
      [0.5, 0.5],
      [1, 0],
    ]);
    expect(sweepPreferences(6).map(([first]) => first)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
    expect(() => sweepPreferences(1)).toThrow('count is 1, but must be an integer of at least 2.');
  });
});

describe('gridSize', () => {
  it('counts the preferences of a grid without making them', () => {
    for (const [objectives, divisions] of [
      [2, 100],
      [3, 7],
      [6, 10],
    ]) {
      expect(gridSize(objectives, divisions)).toBe(simplexGrid(objectives, divisions).length);
    }
    expect(gridSize(6, 0)).toBe(1);
  });
});

describe('preferenceGrid', () => {
  it('has the preferences of PD-MORL where its grid is published, and all of them otherwise', () => {
    expect(preferenceGrid(6, 10)).toEqual(simplexGrid(6, 0.1, { floatExact: true }));
    expect(preferenceGrid(2, 100)).toEqual(simplexGrid(2, 0.01, { floatExact: true }));
    // With floating point's sums, 59 of 91 and 50 of 84 would be left, and of 50 preferences 24 without either end.
    for (const [objectives, divisions] of [
      [3, 12],
      [4, 6],
      [2, 49],
      [3, 10],
    ] as const) {
      // oxfmt-ignore
      expect(preferenceGrid(objectives, divisions)).toEqual(simplexGrid(objectives, divisions));
      expect(preferenceGrid(objectives, divisions)).toHaveLength(gridSize(objectives, divisions));
    }
  });
});
