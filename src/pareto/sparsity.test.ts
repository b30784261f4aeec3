import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nonDominated, sparsity } from './index.js';

const rows = (...points: number[][]) => points;

test('the sparsity of a front in two objectives is the mean squared distance of neighbours', () => {
  const front = rows([0, 4], [1, 2], [3, 1]);
  expect(sparsity(front)).toEqual({ distinct: (1 + 4 + 4 + 1) / 2, published: 5 });
});

test('sparsity sorts each objective by itself', () => {
  const front = rows([0, 2, 1], [1, 0, 2], [2, 1, 0]);
  expect(sparsity(front).distinct).toBe(6 / 2);
});

test('a duplicate lowers the published form of sparsity and not the distinct one', () => {
  const front = rows([0, 4], [1, 2], [3, 1], [3, 1], [3, 1]);
  expect(sparsity(front)).toEqual({ distinct: 5, published: 10 / 4 });
});

test('dominated points do not count for sparsity, duplicates of them neither', () => {
  const front = rows([0, 0], [0, 4], [0, 0], [1, 2], [3, 1]);
  expect(sparsity(front)).toEqual({ distinct: 5, published: 5 });
});

test('the sparsity of a single point is not defined; published code prints 0', () => {
  expect(sparsity([[1, 2]])).toEqual({ distinct: null, published: 0 });
  expect(sparsity(rows([1, 2], [1, 2], [0, 0]))).toEqual({ distinct: null, published: 0 });
  expect(sparsity([])).toEqual({ distinct: null, published: 0 });
});

test('both forms of sparsity agree on distinct points, and order does not matter', () => {
  const value = fc.integer({ min: 0, max: 9 });
  const points = fc.uniqueArray(fc.tuple(value, value, value), { selector: String, maxLength: 20 });
  fc.assert(
    fc.property(points, (all) => {
      const { distinct, published } = sparsity(all);
      expect(distinct ?? 0).toBe(published);
      expect(sparsity(nonDominated(all).reverse()).distinct).toBe(distinct);
    }),
  );
});

test('sparsity refuses NaN', () => {
  expect(() => sparsity([[1, NaN]])).toThrow(new RangeError('points[0][1] is NaN, but must be a finite number.'));
});
