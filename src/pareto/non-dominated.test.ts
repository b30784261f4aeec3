import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dominates, nonDominated, nonDominatedIndices } from './index.js';

const rows = (...points: number[][]) => points;

/** The definition, word for word. */
function slowIndices(points: readonly (readonly number[])[], keepDuplicates: boolean): number[] {
  return points.flatMap((point, i) => {
    const isDominated = points.some((other) => dominates(other, point));
    const isRepeated = points.slice(0, i).some((other) => other.join() === point.join());
    return isDominated || (isRepeated && !keepDuplicates) ? [] : [i];
  });
}

// Few values, so that ties and duplicates are the rule.
const anyPoints = fc
  .integer({ min: 1, max: 5 })
  .chain((m) => fc.array(fc.array(fc.integer({ min: -2, max: 2 }), { minLength: m, maxLength: m }), { maxLength: 30 }));

describe('nonDominated', () => {
  test('keeps the front in the order in which it came', () => {
    const points = [
      [1, 3],
      [0, 0],
      [3, 1],
      [2, 2],
      [1, 2],
    ];
    expect(nonDominated(points)).toEqual([
      [1, 3],
      [3, 1],
      [2, 2],
    ]);
    expect(nonDominatedIndices(points)).toEqual([0, 2, 3]);
  });

  test('gives back the very objects that it got', () => {
    const points = [new Float32Array([1, 2, 3]), new Float32Array([3, 2, 1])];
    expect(nonDominated(points)[1]).toBe(points[1]);
  });

  test('keeps the first of equal points, or all of them', () => {
    const points = [
      [1, 1],
      [2, 2],
      [2, 2],
      [1, 1],
    ];
    expect(nonDominatedIndices(points)).toEqual([1]);
    expect(nonDominatedIndices(points, { keepDuplicates: true })).toEqual([1, 2]);
  });

  test('gives the maximum where there is one objective', () => {
    expect(nonDominatedIndices([[1], [5], [3], [5]])).toEqual([1]);
    expect(nonDominatedIndices([[1], [5], [3], [5]], { keepDuplicates: true })).toEqual([1, 3]);
  });

  test('takes zero and minus zero for equal', () => {
    expect(nonDominatedIndices(rows([0, 1, -0], [-0, 1, 0]))).toEqual([0]);
  });

  test('gives nothing where there are no points', () => {
    expect(nonDominated([])).toEqual([]);
  });

  test('agrees with the definition', () => {
    fc.assert(
      fc.property(anyPoints, fc.boolean(), (points, keepDuplicates) => {
        expect(nonDominatedIndices(points, { keepDuplicates })).toEqual(slowIndices(points, keepDuplicates));
      }),
    );
  });

  // An order by the sum would put the dominated point first here: 1e16 + 1 is 1e16 in floating point.
  test('is exact where the sum of the objectives is not', () => {
    expect(nonDominatedIndices(rows([1e16, 0, 0], [1e16, 1, 0]))).toEqual([1]);
  });

  test('refuses ragged rows and values that are not finite', () => {
    expect(() => nonDominated(rows([1, 2], [1, 2, 3]))).toThrow(
      new RangeError('points[1] holds 3 numbers, but must hold 2 like points[0].'),
    );
    expect(() => nonDominated([[1, NaN]])).toThrow(new RangeError('points[0][1] is NaN, but must be a finite number.'));
    expect(() => nonDominated([[]])).toThrow(new RangeError('points[0] is [], but must hold at least one number.'));
  });
});
