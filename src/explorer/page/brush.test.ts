import { describe, expect, it } from 'vitest';
import { isInside, rangeBetween, withEndMoved, withRange } from './brush.js';

describe('isInside', () => {
  it('is true of what is in all ranges, with their ends', () => {
    const ranges = { 0: [1, 2], 2: [-1, 0] } as const;
    expect(isInside([1, 99, 0], ranges)).toBe(true);
    expect(isInside([1, 99, 0.1], ranges)).toBe(false);
    expect(isInside([0, 99, 0], ranges)).toBe(false);
  });

  it('is true of everything where there are no ranges', () => {
    expect(isInside([NaN, 3], {})).toBe(true);
  });
});

describe('withRange', () => {
  it('sets the range of an axis, takes the place of another, and clears it', () => {
    const one = withRange({}, 3, [0, 1]);
    expect(withRange(one, 3, [5, 6])).toEqual({ 3: [5, 6] });
    expect(withRange(withRange(one, 1, [2, 3]), 3, undefined)).toEqual({ 1: [2, 3] });
  });
});

describe('rangeBetween', () => {
  it('is the values between two places, whichever comes first', () => {
    expect(rangeBetween(75, 25, [100, 0], [10, 20])).toEqual([12.5, 17.5]);
    expect(rangeBetween(25, 75, [100, 0], [10, 20])).toEqual([12.5, 17.5]);
  });

  it('ends where the axis ends', () => {
    expect(rangeBetween(-50, 500, [100, 0], [10, 20])).toEqual([10, 20]);
  });
});

describe('withEndMoved', () => {
  it('begins with the whole axis, and moves one end by a twentieth of it', () => {
    expect(withEndMoved(undefined, [0, 40], 'low', 1)).toEqual([2, 40]);
    expect(withEndMoved([2, 40], [0, 40], 'high', -3)).toEqual([2, 34]);
  });

  it('stops at the other end, and at the ends of the axis', () => {
    expect(withEndMoved([38, 39], [0, 40], 'low', 5)).toEqual([39, 39]);
    expect(withEndMoved([38, 39], [0, 40], 'high', -5)).toEqual([38, 38]);
    expect(withEndMoved([38, 39], [0, 40], 'high', 5)).toEqual([38, 40]);
  });

  it('is undefined of the whole axis', () => {
    expect(withEndMoved(undefined, [0, 40], 'low', -1)).toBeUndefined();
    expect(withEndMoved([2, 40], [0, 40], 'low', -1)).toBeUndefined();
  });
});
