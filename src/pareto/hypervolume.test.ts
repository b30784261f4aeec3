import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hypervolume } from './index.js';

const rows = (...points: number[][]) => points;

type Rows = readonly (readonly number[])[];

/** Ground truth 1: cut space along every coordinate that occurs and add up the cells that some point covers. */
function byGrid(points: Rows, reference: readonly number[]): number {
  const cuts = reference.map((r, k) => {
    const values = points.map((point) => point[k]).filter((value) => value > r);
    return [r, ...new Set(values)].sort((a, b) => a - b);
  });
  const cellsFrom = (k: number, corner: readonly number[], size: number): number => {
    if (k === reference.length) return points.some((point) => point.every((x, i) => x >= corner[i])) ? size : 0;
    let sum = 0;
    for (let i = 1; i < cuts[k].length; i++) {
      sum += cellsFrom(k + 1, [...corner, cuts[k][i]], size * (cuts[k][i] - cuts[k][i - 1]));
    }
    return sum;
  };
  return cellsFrom(0, [], 1);
}

/** Ground truth 2: inclusion and exclusion of the boxes of all subsets. */
function bySubsets(points: Rows, reference: readonly number[]): number {
  let sum = 0;
  for (let subset = 1; subset < 2 ** points.length; subset++) {
    const members = points.filter((_, i) => (subset >> i) & 1);
    const sides = reference.map((r, k) => Math.max(0, Math.min(...members.map((point) => point[k])) - r));
    sum -= (-1) ** members.length * sides.reduce((product, side) => product * side, 1);
  }
  return sum;
}

const origin = (m: number) => new Array<number>(m).fill(0);

function pointsOf(value: fc.Arbitrary<number>, m: number, maxLength: number): fc.Arbitrary<number[][]> {
  return fc.array(fc.array(value, { minLength: m, maxLength: m }), { maxLength });
}

const objectives = (min: number, max: number) => fc.integer({ min, max });
// Thousandths: not exact in binary, yet far from the smallest numbers, where products lose their digits.
const real = fc.integer({ min: -1000, max: 9000 }).map((x) => x / 1000);
const small = fc.integer({ min: -1, max: 4 });

/** Points on the positive part of the unit sphere: all on the front. A fixed pattern, spread by irrational steps. */
function spherical(count: number, m: number): number[][] {
  return Array.from({ length: count }, (_, i) => {
    const point = Array.from({ length: m }, (_, k) => 0.01 + (((i + 1) * Math.sqrt([2, 3, 5, 7, 11, 13][k])) % 1));
    const length = Math.hypot(...point);
    return point.map((x) => x / length);
  });
}

describe('hypervolume', () => {
  test('of a staircase is what was counted by hand', () => {
    expect(hypervolume(rows([1, 3], [2, 2], [3, 1]), [0, 0])).toBe(6);
    expect(hypervolume(rows([1, 3], [2, 2], [3, 1]), [-1, -1])).toBe(6 + 3 + 3 + 1);
  });

  test('of two overlapping boxes in three and four objectives counts once what they share', () => {
    expect(hypervolume(rows([3, 2, 1], [1, 2, 3]), [0, 0, 0])).toBe(6 + 6 - 2);
    expect(hypervolume(rows([3, 2, 1, 2], [1, 2, 3, 2]), [0, 0, 0, 0])).toBe(12 + 12 - 4);
  });

  test('with one objective is the distance of the best', () => {
    expect(hypervolume([[3], [7], [5]], [2])).toBe(5);
  });

  test('of nothing is nothing', () => {
    expect(hypervolume([], [0, 0])).toBe(0);
  });

  test('takes typed arrays too', () => {
    expect(hypervolume([new Float32Array([2, 3])], new Float64Array([1, 1]))).toBe(2);
  });

  test('leaves out points that are not better than the reference in every objective', () => {
    expect(hypervolume(rows([0, 5], [100, -1], [1, 1]), [0, 0])).toBe(1);
    expect(hypervolume([[5, 5, 0]], [0, 0, 0])).toBe(0);
    expect(hypervolume(rows([5, 5, 5, 5, -1], [1, 1, 1, 1, 1]), [0, 0, 0, 0, 0])).toBe(1);
  });

  test('of whole numbers is the count of cells, exactly', () => {
    const run = objectives(1, 5).chain((m) => fc.tuple(pointsOf(small, m, 12), fc.constant(origin(m))));
    fc.assert(
      fc.property(run, ([points, reference]) => {
        expect(hypervolume(points, reference)).toBe(byGrid(points, reference));
      }),
    );
  });

  test('agrees with the sum over grid cells', () => {
    const run = objectives(2, 4).chain((m) => fc.tuple(pointsOf(real, m, 10), fc.constant(origin(m))));
    fc.assert(
      fc.property(run, ([points, reference]) => {
        const truth = byGrid(points, reference);
        expect(Math.abs(hypervolume(points, reference) - truth)).toBeLessThanOrEqual(1e-12 * truth);
      }),
    );
  });

  test('agrees with inclusion and exclusion', () => {
    const run = objectives(2, 8).chain((m) => fc.tuple(pointsOf(real, m, 7), pointsOf(real, m, 1)));
    fc.assert(
      fc.property(run, ([points, [reference = origin(points[0]?.length ?? 2)]]) => {
        const truth = bySubsets(points, reference);
        // The truth cancels: its error is measured by the boxes that it adds and subtracts.
        const scale = 2 ** points.length * 10 ** reference.length;
        expect(Math.abs(hypervolume(points, reference) - truth)).toBeLessThanOrEqual(1e-14 * scale);
      }),
    );
  });

  test.each([2, 3, 4, 5])(
    'of a large front with %d objectives is unchanged by a further objective that is all 1',
    (m) => {
      const points = spherical(m === 5 ? 60 : 150, m);
      const volume = hypervolume(points, origin(m));
      const first = points.map((point) => [1, ...point]);
      const last = points.map((point) => [...point, 1]);
      expect(hypervolume(first, origin(m + 1)) / volume).toBeCloseTo(1, 12);
      expect(hypervolume(last, origin(m + 1)) / volume).toBeCloseTo(1, 12);
    },
  );

  test('of a large front is the same from every side: objectives can be listed in any order', () => {
    const points = spherical(100, 6);
    const volume = hypervolume(points, origin(6));
    for (let turn = 1; turn < 6; turn++) {
      const turned = points.map((point) => [...point.slice(turn), ...point.slice(0, turn)]);
      expect(hypervolume(turned, origin(6)) / volume).toBeCloseTo(1, 12);
    }
  });

  const somePoints = objectives(1, 6).chain((m) => fc.tuple(pointsOf(real, m, 15), fc.constant(origin(m))));

  test('does not depend on order or repetition, to the last bit', () => {
    const reordered = somePoints.chain(([points, reference]) =>
      fc.tuple(
        fc.constant(points),
        fc.shuffledSubarray([...points, ...points], { minLength: 2 * points.length }),
        fc.constant(reference),
      ),
    );
    fc.assert(
      fc.property(reordered, ([points, twice, reference]) => {
        expect(hypervolume(twice, reference)).toBe(hypervolume(points, reference));
      }),
    );
  });

  test('does not fall when a point is added', () => {
    const more = somePoints.chain(([points, reference]) =>
      fc.tuple(fc.constant(points), pointsOf(real, reference.length, 1), fc.constant(reference)),
    );
    fc.assert(
      fc.property(more, ([points, extra, reference]) => {
        const before = hypervolume(points, reference);
        expect(hypervolume([...points, ...extra], reference)).toBeGreaterThanOrEqual(before * (1 - 1e-12));
      }),
    );
  });

  test('moves with its reference and scales with each objective', () => {
    fc.assert(
      fc.property(somePoints, fc.integer({ min: -8, max: 8 }), ([points, reference], exponent) => {
        const volume = hypervolume(points, reference);
        const scaled = points.map(([x, ...rest]) => [x * 2 ** exponent, ...rest]);
        expect(hypervolume(scaled, reference)).toBe(volume * 2 ** exponent);
        const moved = points.map((point) => point.map((x) => x + exponent));
        const movedReference = reference.map((r) => r + exponent);
        expect(Math.abs(hypervolume(moved, movedReference) - volume)).toBeLessThanOrEqual(
          1e-13 * 10 ** reference.length,
        );
      }),
    );
  });

  test.each<[string, Rows, readonly number[], string]>([
    [
      'a reference that is too long',
      [[1, 2]],
      [0, 0, 0],
      'reference holds 3 numbers, but must hold 2, one per objective.',
    ],
    ['a reference with NaN', [[1, 2]], [0, NaN], 'reference[1] is NaN, but must be a finite number.'],
    [
      'NaN in a point',
      [
        [1, 2],
        [NaN, 1],
      ],
      [0, 0],
      'points[1][0] is NaN, but must be a finite number.',
    ],
    ['an infinite point', [[1, -Infinity]], [0, 0], 'points[0][1] is -Infinity, but must be a finite number.'],
    ['ragged rows', [[1, 2], [1]], [0, 0], 'points[1] holds 1 number, but must hold 2 like points[0].'],
    [
      'a volume that no number holds',
      [[1e200, 1e200]],
      [0, 0],
      'points has a hypervolume beyond the largest number, 1.7976931348623157e+308, but must be scaled so that it stays below.',
    ],
  ])('refuses %s', (_, points, reference, message) => {
    expect(() => hypervolume(points, reference)).toThrow(new RangeError(message));
  });
});
