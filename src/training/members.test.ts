import { describe, expect, it } from 'vitest';
import { simplexGrid } from '../preferences/index.js';
import { memberPreferences } from './members.js';

describe('memberPreferences', () => {
  it('gives each member the middle of the preferences that it is the best at', () => {
    const points = [
      [3.9, 0],
      [3, 3],
      [0, 3.5],
    ];
    // (3, 3) is utility 3 everywhere, so that the first is better from a weight of 10/13 on, the last below 1/7.
    const grid = simplexGrid(2, 20);
    expect(memberPreferences(points, grid)).toEqual([
      [0.9, 0.1],
      [0.45, 0.55],
      [0.05, 0.95],
    ]);
  });

  it('gives a member that is the best at none the preference at which it comes nearest', () => {
    const points = [
      [4, 0],
      [0, 4],
      [1.5, 1.5],
    ];
    expect(memberPreferences(points, simplexGrid(2, 4))[2]).toEqual([0.5, 0.5]);
  });
});
