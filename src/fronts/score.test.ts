import { expect, it } from 'vitest';
import { ceilingOf, score } from './score.js';

const env = {
  referencePoint: [0, 0],
  coverageTolerance: 0.1,
  /** Known without discount alone. */
  knownFront: (discount: number) =>
    discount === 1
      ? [
          [2, 1],
          [1, 2],
        ]
      : [],
};
const preferences = [[0.5, 0.5]];

it('a policy set is scored against the known front', () => {
  expect(ceilingOf(env, 1)).toBe(3);
  expect(score(env, 1, preferences, [[2, 1]]).coverageF1).toBeCloseTo(2 / 3, 12);
});

it('a policy set has no ceiling and no coverage where the front is unknown, under this discount or any', () => {
  const { referencePoint, coverageTolerance } = env;
  for (const [known, discount] of [
    [env, 0.9],
    [{ referencePoint, coverageTolerance }, 1],
  ] as const) {
    expect(ceilingOf(known, discount)).toBeNull();
    const { hypervolume, coverageF1 } = score(known, discount, preferences, [[2, 1]]);
    expect({ hypervolume, coverageF1 }).toEqual({ hypervolume: 2, coverageF1: null });
  }
});
