import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { permutationTest, probabilityOfImprovement, stratifiedPermutationTest } from './improvement.js';

const X = [12.1, 9.8, 14.2, 11.5, 13.3, 10.7, 12.9, 15, 11.1, 13.8, 12.4, 10.2];
const Y = [10.9, 9.1, 11.8, 10.3, 12, 9.7, 11.2, 12.6, 8.9, 11.5, 10, 9.4];

describe('probabilityOfImprovement', () => {
  it('is the U of Mann and Whitney over the number of pairs', () => {
    // scipy.stats.mannwhitneyu(X, Y).statistic / 144; X and Y have a value in common.
    expect(probabilityOfImprovement([X], [Y])).toBeCloseTo(0.78125, 12);
  });

  it('counts ties half, and is the mean over tasks', () => {
    expect(probabilityOfImprovement([[1, 2]], [[1, 2]])).toBe(0.5);
    expect(probabilityOfImprovement([[7, 7]], [[7]])).toBe(0.5);
    // X wins all pairs of the first task, and one of two of the second.
    expect(probabilityOfImprovement([[5, 6], [0, 2]], [[1, 2], [1]])).toBe(0.75); // oxfmt-ignore
  });

  it('of Y over X is what remains', () => {
    const scores = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(scores, scores, (x, y) => {
        const sum = probabilityOfImprovement([x], [y]) + probabilityOfImprovement([y], [x]);
        expect(sum).toBeCloseTo(1, 12);
      }),
    );
  });

  it('refuses values that are not finite, tasks without values, and methods of other tasks', () => {
    expect(() => probabilityOfImprovement([[1, NaN]], [[2]])).toThrow(
      new RangeError('x[0][1] is NaN, but must be a finite number.'),
    );
    expect(() => probabilityOfImprovement([[1], [2]], [[2], []])).toThrow(
      new RangeError('y[1] is [], but must hold at least one number.'),
    );
    expect(() => probabilityOfImprovement([], [])).toThrow(
      new RangeError('x is [], but must hold the scores of at least one task.'),
    );
    expect(() => probabilityOfImprovement([[1], [2]], [[1], [2], [3]])).toThrow(
      new RangeError('y holds scores of 3 tasks, but must hold those of 2 like x.'),
    );
  });
});

describe('permutationTest', () => {
  it('tries every arrangement where there are few', () => {
    // Of the 20 ways to split 1 to 6 in halves, this one and its mirror image are the farthest apart.
    expect(permutationTest([1, 2, 3], [4, 5, 6])).toEqual({ p: 0.1, smallest: 0.1, arrangements: 20, isExact: true });
    // scipy.stats.permutation_test over the absolute difference of means: 4 of 35.
    expect(permutationTest([37, 49, 55, 57], [23, 31, 46])).toEqual({
      p: 4 / 35,
      smallest: 1 / 35,
      arrangements: 35,
      isExact: true,
    });
  });

  it('finds nothing in equal values, equal means and single seeds', () => {
    expect(permutationTest([0.1, 0.1, 0.1], [0.1, 0.1, 0.1])!.p).toBe(1);
    expect(permutationTest([1, 3, 5, 7], [2, 4, 6])!.p).toBe(1);
    expect(permutationTest([1], [2])).toEqual({ p: 1, smallest: 1, arrangements: 2, isExact: true });
  });

  it('is nothing where a method has no values', () => {
    expect(permutationTest([], [1])).toBeNull();
    expect(permutationTest([1], [])).toBeNull();
  });

  it('refuses values that have no finite difference', () => {
    expect(() => permutationTest([1, NaN, 2, 3], [10, 11, 12, 13])).toThrow(
      new RangeError('x[1] is NaN, but must be a finite number.'),
    );
    expect(() => permutationTest([1, 2], [Infinity, 3])).toThrow(
      new RangeError('y[0] is Infinity, but must be a finite number.'),
    );
    expect(() => permutationTest([1e308, 1e308], [-1e308, 1])).toThrow(
      /^x and y have magnitudes that sum to more than the largest number, .* must be scaled so that they do not\.$/,
    );
  });

  it('draws arrangements where there are many, and never says that p is 0', () => {
    // 2,704,156 arrangements; two million draws with SciPy give 0.01265.
    const { p, isExact, arrangements } = permutationTest(X, Y)!;
    expect({ isExact, arrangements }).toEqual({ isExact: false, arrangements: 20_000 });
    expect(Math.abs(p - 0.01265)).toBeLessThan(0.003);
    expect(permutationTest(X, Y)).toEqual(permutationTest(X, Y));
    const apart = permutationTest(
      X,
      Y.map((value) => value - 100),
    )!;
    expect(apart.p).toBe(1 / 20_001);
    expect(apart.p).toBe(apart.smallest);
  });

  it('does not depend on the order, the unit or which method is which', () => {
    const scores = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(scores, scores, (x, y) => {
        const { p } = permutationTest(x, y)!;
        expect(p).toBeGreaterThanOrEqual(permutationTest(x, y)!.smallest);
        expect(p).toBeLessThanOrEqual(1);
        expect(permutationTest(y, x)!.p).toBe(p);
        expect(permutationTest([...x].reverse(), y)!.p).toBe(p);
        const scaled = (values: readonly number[]) => values.map((value) => 1e4 * value + 3e6);
        expect(permutationTest(scaled(x), scaled(y))!.p).toBe(p);
      }),
    );
  });
});

describe('stratifiedPermutationTest', () => {
  const [x, y] = [[[5, 6], [5, 6]], [[1, 2], [1, 2]]]; // oxfmt-ignore

  it('deals values out within each task', () => {
    // Of the 6 x 6 ways to deal them out two are as far apart: one method wins all pairs of both tasks.
    const { p, smallest, isExact } = stratifiedPermutationTest(x, y)!;
    expect(Math.abs(p - 2 / 36)).toBeLessThan(0.005);
    expect({ smallest, isExact }).toEqual({ smallest: 2 / 36, isExact: false });
  });

  it('does not depend on the unit of a task, or on which method is which', () => {
    const scaled = ([first, ...rest]: number[][]) => [first.map((value) => 1e6 * value), ...rest];
    expect(stratifiedPermutationTest(scaled(x), scaled(y))).toEqual(stratifiedPermutationTest(x, y));
    expect(Math.abs(stratifiedPermutationTest(y, x)!.p - 2 / 36)).toBeLessThan(0.005);
  });

  it('finds nothing where one task says the opposite of another, or all values are equal', () => {
    expect(stratifiedPermutationTest(x, [y[0], [7, 8]])!.p).toBe(1);
    expect(stratifiedPermutationTest([[1], [1]], [[1], [1]])).toMatchObject({ p: 1, smallest: 0.5 });
  });

  it('is nothing where a method has no values of a task', () => {
    expect(stratifiedPermutationTest([[1], []], [[1], [2]])).toBeNull();
  });
});
