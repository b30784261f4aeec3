import { describe, expect, it } from 'vitest';
import { barsOfAction, endsOf } from './bars.js';

describe('barsOfAction', () => {
  it('shows a choice as the one bar that is up, and counts choices from one', () => {
    const { values, bounds, name } = barsOfAction({ kind: 'discrete', n: 3 }, 1);
    expect(values).toEqual([0, 1, 0]);
    expect(bounds).toEqual({ low: [0, 0, 0], high: [1, 1, 1] });
    expect(name).toBe('Action: choice 2 of 3');
  });

  it('shows the numbers of a continuous action between their own bounds', () => {
    const space = { kind: 'continuous', shape: [2], low: [-1, -2], high: [1, 2] } as const;
    const { values, bounds } = barsOfAction(space, Float32Array.of(0.5, -2));
    expect(values).toEqual([0.5, -2]);
    expect(bounds).toBe(space);
  });
});

describe('endsOf', () => {
  it('always has zero between its ends', () => {
    expect(endsOf([3, -3], { low: [2, -4], high: [5, -2] }, [])).toEqual([
      [0, 5],
      [-4, 0],
    ]);
  });

  it('goes as far as a value without bounds has ever been', () => {
    const farthest: number[] = [];
    const open = { low: [-Infinity], high: [Infinity] };
    expect(endsOf([2], open, farthest)).toEqual([[-2, 2]]);
    expect(endsOf([-7], open, farthest)).toEqual([[-7, 7]]);
    expect(endsOf([1], open, farthest)).toEqual([[-7, 7]]);
  });
});
