import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../random/index.js';
import { fitInterpolator, keyPreferences, simplexGrid, sweepPreferences, uniformSimplex } from './index.js';

function expectClose(actual: ArrayLike<number>, expected: readonly number[], digits = 12): void {
  expect(actual).toHaveLength(expected.length);
  expected.forEach((value, i) => expect(actual[i]).toBeCloseTo(value, digits));
}

/** Vectors of positive numbers, one per node. */
const vectors = (nodes: number, objectives: number) =>
  fc.array(fc.array(fc.double({ min: 0.1, max: 100, noNaN: true }), { minLength: objectives, maxLength: objectives }), {
    minLength: nodes,
    maxLength: nodes,
  });

function divide(vector: readonly number[], length: number): number[] {
  return vector.map((value) => value / length);
}

describe('fitInterpolator', () => {
  it('is the line between two nodes', () => {
    const interpolate = fitInterpolator(sweepPreferences(2), [
      [0, 5],
      [3, 0],
    ]);
    expectClose(interpolate([0, 1], [0, 0]), [0, 1]);
    expectClose(interpolate([0.25, 0.75], [0, 0]), [0.25, 0.75]);
    expectClose(interpolate([1, 0], [0, 0]), [1, 0]);
  });

  it('agrees with a solution by hand for the corners and the centre of two objectives', () => {
    // The normalised vectors are (1, 0), (0, 1) and (0.6, 0.8); a quarter is in the middle of two neighbours.
    const interpolate = fitInterpolator(keyPreferences(2), [
      [2, 0],
      [0, 7],
      [3, 4],
    ]);
    expectClose(interpolate([0.75, 0.25], [0, 0]), [0.8, 0.4]);
    expectClose(interpolate([0.25, 0.75], [0, 0]), [0.3, 0.9]);
  });

  it('agrees with a solution by hand for the corners of three objectives', () => {
    // All nodes are s = sqrt 2 apart, so s c_i + d = x_i with weights c that sum to zero: d is the mean of the x_i. In the
    // middle of an edge two nodes are s / 2 away and the third sqrt 1.5.
    const corners = keyPreferences(3).slice(0, 3);
    const interpolate = fitInterpolator(corners, corners);
    expectClose(interpolate([1 / 3, 1 / 3, 1 / 3], [0, 0, 0]), [1 / 3, 1 / 3, 1 / 3]);
    const near = (1 + Math.sqrt(3)) / 6;
    expectClose(interpolate([0.5, 0.5, 0], [0, 0, 0]), [near, near, 1 - 2 * near]);
  });

  it("agrees with SciPy's RBFInterpolator (linear kernel) for the key preferences of three objectives", () => {
    const returns = [
      [9, 2, 1],
      [1, 8, 3],
      [2, 2, 7],
      [5, 6, 4],
    ];
    const l2 = fitInterpolator(keyPreferences(3), returns);
    expectClose(l2([0.2, 0.3, 0.5], [0, 0, 0]), [0.4605152624693794, 0.6015468901133582, 0.5719908191283186]);
    expectClose(l2([0.7, 0.3, 0], [0, 0, 0]), [0.7397886480817566, 0.4898941650103504, 0.22981227841506638]);
    const l1 = fitInterpolator(keyPreferences(3), returns, { norm: 'l1' });
    expectClose(l1([0.2, 0.3, 0.5], [0, 0, 0]), [0.2742094269599462, 0.36534188230794895, 0.3604486907321048]);
  });

  it('divides by the L2 norm unless told to take L1', () => {
    const nodes = sweepPreferences();
    const returns = [
      [0, 10],
      [3, 4],
      [6, -2],
    ];
    const [l2, l1] = [fitInterpolator(nodes, returns), fitInterpolator(nodes, returns, { norm: 'l1' })];
    expectClose(l2(nodes[1], [0, 0]), [0.6, 0.8]);
    expectClose(l1(nodes[1], [0, 0]), [3 / 7, 4 / 7]);
    expectClose(l2(nodes[2], [0, 0]), divide([6, -2], Math.sqrt(40)));
    expectClose(l1(nodes[2], [0, 0]), [0.75, -0.25]);
  });

  it('passes through every node', () => {
    fc.assert(
      fc.property(vectors(7, 6), (returns) => {
        const nodes = keyPreferences(6);
        const interpolate = fitInterpolator(nodes, returns);
        nodes.forEach((node, i) =>
          expectClose(interpolate(node, new Float64Array(6)), divide(returns[i], Math.hypot(...returns[i]))),
        );
      }),
    );
  });

  it('is linear between neighbouring nodes of two objectives', () => {
    const first = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(vectors(5, 2), first, (returns, w) => {
        const nodes = simplexGrid(2, 4);
        const unit = returns.map((vector) => divide(vector, Math.hypot(...vector)));
        const left = Math.min(3, Math.floor(w * 4));
        const share = w * 4 - left;
        const expected = [0, 1].map((j) => (1 - share) * unit[left][j] + share * unit[left + 1][j]);
        expectClose(fitInterpolator(nodes, returns)([w, 1 - w], [0, 0]), expected, 10);
      }),
    );
  });

  it('is constant beyond the outer nodes of two objectives', () => {
    const interpolate = fitInterpolator(
      [
        [0.25, 0.75],
        [0.75, 0.25],
      ],
      [
        [1, 0],
        [0, 1],
      ],
    );
    expectClose(interpolate([0, 1], [0, 0]), [1, 0]);
    expectClose(interpolate([1, 0], [0, 0]), [0, 1]);
  });

  it('is the one vector everywhere with one node', () => {
    expectClose(fitInterpolator([[0.5, 0.5]], [[3, 4]])([0, 1], [0, 0]), [0.6, 0.8]);
  });

  it('does not depend on the order of the nodes', () => {
    const random = new Random(1);
    const nodes = Array.from({ length: 6 }, () => uniformSimplex(random, [0, 0, 0]));
    const returns = nodes.map(() => [random.normal(), random.normal(), random.normal()]);
    const forward = fitInterpolator(nodes, returns);
    const backward = fitInterpolator([...nodes].reverse(), [...returns].reverse());
    for (const w of simplexGrid(3, 5)) expectClose(backward(w, [0, 0, 0]), forward(w, [0, 0, 0]), 10);
  });

  it('fills what it is given, keeps no hold of its nodes and can interpolate in place', () => {
    const nodes = sweepPreferences();
    const interpolate = fitInterpolator(nodes, nodes);
    nodes[0][0] = 99;
    const out = new Float32Array(2);
    expect(interpolate([0, 1], out)).toBe(out);
    expectClose(out, [0, 1], 6);
    const both = [1, 0];
    expectClose(interpolate(both, both), [1, 0]);
  });

  it.each([
    [[], [], 'preferences has 0 nodes, but must have at least 1.'],
    [[[0, 1]], [], 'vectors has 0 entries, but must have one for each of the 1 preferences.'],
    [[[0, 1]], [[0, 0]], 'vectors[0] is [0, 0], but must be finite and not zero.'],
    [[[0, 1]], [[1, NaN]], 'vectors[0] is [1, NaN], but must be finite and not zero.'],
    [[[0, 1], [1]], [[1], [1]], 'preferences[1] is [1], but must be 2 finite numbers, like the first.'],
    [[[0, NaN]], [[1]], 'preferences[0] is [0, NaN], but must be 2 finite numbers, like the first.'],
    [sweepPreferences(2), [[1, 0], [1]], 'vectors[1] has 1 entries, but must have 2 like the first.'],
    [
      [...sweepPreferences(2), [0, 1]],
      [
        [1, 0],
        [1, 0],
        [1, 0],
      ],
      'preferences[2] is equal to preferences[0], but nodes must be distinct.',
    ],
  ])('refuses preferences %j with vectors %j', (preferences, returns, message) => {
    expect(() => fitInterpolator(preferences, returns)).toThrow(new RangeError(message));
  });
});
