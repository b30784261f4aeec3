// Metrics of fronts that are known exactly. The numbers were computed by a separate program from the published tables;
// 6920.58 and 9302.38 are also the best hypervolumes that papers report for depths 5 and 6.

import { expect, test } from 'vitest';
import { envInfo } from '../src/envs/index.js';
import { cardinality, coverage, hypervolume, igd, maximumUtilityLoss, sparsity } from '../src/pareto/index.js';
import { simplexGrid } from '../src/preferences/index.js';

/** The known front of an environment under its published discount. */
function knownFront(id: string): number[][] {
  const info = envInfo(id);
  return info.knownFront!(info.discount);
}

const fruitTrees = [
  { depth: 5, volume: 6920.5820432, distinct: 0.93952037, published: 0.01134598 },
  { depth: 6, volume: 9302.3781734, distinct: 0.26863562, published: 0.00659293 },
  { depth: 7, volume: 12302.3375594, distinct: 0.07403279, published: 0.00366271 },
];

test.each(fruitTrees)(
  'all leaves of the fruit tree of depth $depth have the metrics that another program computed',
  ({ depth, volume, distinct }) => {
    const front = knownFront(`fruit-tree-d${depth}`);
    expect(cardinality(front)).toBe(2 ** depth);
    expect(hypervolume(front, [0, 0, 0, 0, 0, 0])).toBeCloseTo(volume, 6);
    expect(sparsity(front).distinct).toBeCloseTo(distinct, 7);
  },
);

test.each(fruitTrees)(
  'the best leaves of the fruit tree of depth $depth at the published preferences have the metrics of all leaves',
  ({ depth, volume, distinct, published }) => {
    const front = knownFront(`fruit-tree-d${depth}`);
    const preferences = simplexGrid(6, 0.1, { floatExact: true });
    expect(preferences).toHaveLength(2568);
    const returns = preferences.map((preference) => bestOf(front, preference));

    // Every leaf is the best for one of these preferences, most for many: the copies are what the two forms differ in.
    expect(cardinality(returns)).toBe(2 ** depth);
    expect(hypervolume(returns, [0, 0, 0, 0, 0, 0])).toBeCloseTo(volume, 6);
    expect(sparsity(returns).distinct).toBeCloseTo(distinct, 7);
    expect(sparsity(returns).published).toBeCloseTo(published, 7);
    expect(coverage(returns, front, 0.5)).toEqual({ precision: 1, recall: 1, f1: 1 });
    expect(maximumUtilityLoss(returns, front, preferences)).toBe(0);
    expect(igd(returns, front)).toBe(0);
  },
);

test('the convex front of deep sea treasure has the metrics that another program computed', () => {
  const front = knownFront('deep-sea-treasure');
  expect(cardinality(front)).toBe(10);
  expect(hypervolume(front, envInfo('deep-sea-treasure').referencePoint)).toBeCloseTo(241.7330895, 6);
  expect(sparsity(front).distinct).toBeCloseTo(12.6193664, 6);
});

function bestOf(front: readonly number[][], preference: readonly number[]): number[] {
  const utility = (point: readonly number[]) => point.reduce((sum, value, k) => sum + preference[k] * value, 0);
  return front.reduce((best, point) => (utility(point) > utility(best) ? point : best));
}
