import { describe, expect, it } from 'vitest';
import { preferenceRegret, preferenceRegrets } from './preference-regret.js';

const preferences = [
  [1, 0],
  [0.5, 0.5],
  [0, 1],
];

describe('preferenceRegret', () => {
  it('is zero where every preference is answered by the best policy for it', () => {
    const returns = [
      [10, 0],
      [8, 8],
      [0, 10],
    ];
    expect(preferenceRegret(returns, preferences, [0, 0])).toEqual({ mean: 0, worst: 0, below80: 0 });
  });

  it('takes more preferences than a function takes arguments', () => {
    const many = Array.from({ length: 200_000 }, (_, i) => preferences[i % 3]);
    const returns = many.map((_, i) => (i === 150_000 ? [2, 4] : [8, 8]));
    expect(preferenceRegret(returns, many, [0, 0]).worst).toBe(0.75);
  });

  it('counts what a preference loses by its own policy, as a share of the best utility at it', () => {
    // At (1, 0) the policy earns 2 of 8, at (0, 1) 7 of 8.
    const returns = [
      [2, 0],
      [8, 8],
      [0, 7],
    ];
    const { mean, worst, below80 } = preferenceRegret(returns, preferences, [0, 0]);
    expect(worst).toBe(0.75);
    expect(mean).toBeCloseTo((0.75 + 0 + 0.125) / 3, 12);
    expect(below80).toBeCloseTo(1 / 3, 12);
    expect(preferenceRegrets(returns, preferences, [0, 0])).toEqual([0.75, 0, 0.125]);
  });

  it('measures utilities from the reference point', () => {
    const returns = [
      [-90, -100],
      [-92, -92],
      [-100, -90],
    ];
    expect(preferenceRegret(returns, preferences, [-100, -100])).toEqual({ mean: 0, worst: 0, below80: 0 });
    expect(preferenceRegret([...returns.slice(0, 2), [-92, -92]], preferences, [-100, -100]).worst).toBe(0);
  });

  it('is zero at a preference where nothing is above the reference point', () => {
    const returns = [
      [-1, -1],
      [-2, -2],
      [-3, -3],
    ];
    expect(preferenceRegret(returns, preferences, [0, 0])).toEqual({ mean: 0, worst: 0, below80: 0 });
  });

  it('refuses returns that do not belong to the preferences', () => {
    expect(() => preferenceRegret([[1, 2]], preferences, [0, 0])).toThrow(
      'returns has 1 points, but must have one for each of 3 preferences.',
    );
  });
});
