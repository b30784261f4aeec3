import { describe, expect, it } from 'vitest';
import { harvestOf, preferenceFor } from './tree.js';

const LEAVES = [
  [4, 0],
  [3, 3],
  [0, 5],
  [3, 3],
];

describe('harvestOf', () => {
  it('says what a leaf is worth, which one is worth most, and the share that is lost', () => {
    expect(harvestOf(LEAVES, 0, [0.5, 0.5])).toEqual({ utility: 2, best: 1, most: 3, regret: 1 / 3 });
    expect(harvestOf(LEAVES, 2, [0, 1])).toEqual({ utility: 5, best: 2, most: 5, regret: 0 });
  });

  it('calls no other leaf better that is worth as much', () => {
    expect(harvestOf(LEAVES, 3, [0.5, 0.5])).toMatchObject({ best: 3, regret: 0 });
  });

  it('has no regret where all is worth nothing', () => {
    expect(harvestOf([[0, 0]], 0, [1, 0]).regret).toBe(0);
  });
});

describe('preferenceFor', () => {
  const evaluated = {
    preferences: [
      [1, 0],
      [0.6, 0.4],
      [0.4, 0.6],
    ],
    // Of four leaves the fruit comes with the second step.
    returns: [
      [2, 0],
      [1.5, 1.5],
      [1.5, 1.5],
    ],
  };

  it('is the one most like this preference among those that lead to a leaf', () => {
    expect(preferenceFor(evaluated, LEAVES, 0, 0.5, [0, 1])).toEqual([1, 0]);
    expect(preferenceFor(evaluated, LEAVES, 1, 0.5, [0, 1])).toEqual([0.4, 0.6]);
    expect(preferenceFor(evaluated, LEAVES, 1, 0.5, [1, 0])).toEqual([0.6, 0.4]);
  });

  it('is none where no policy was evaluated to walk there', () => {
    expect(preferenceFor(evaluated, LEAVES, 2, 0.5, [0, 1])).toBeUndefined();
    expect(preferenceFor({ preferences: [], returns: [] }, LEAVES, 0, 0.5, [0, 1])).toBeUndefined();
  });
});
