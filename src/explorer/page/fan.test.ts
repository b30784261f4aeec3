import { describe, expect, it } from 'vitest';
import { fanOf } from './fan.js';

/** On a line from (0, 10) to (10, 0), each at the preference that points the same way. */
const onLine = (...places: number[]) => ({
  preferences: places.map((place) => [place / 10, 1 - place / 10]),
  returns: places.map((place) => [place, 10 - place]),
});

describe('fanOf', () => {
  it('takes the ends of a front, then each time what is farthest from those before, from the first objective on', () => {
    expect(fanOf(onLine(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10), 3)).toEqual([
      [1, 0],
      [0.5, 0.5],
      [0, 1],
    ]);
    expect(fanOf(onLine(0, 7, 8, 9, 10), 3).map(([first]) => first)).toEqual([1, 0.7, 0]);
  });

  it('measures distances as shares of what each objective extends over', () => {
    const preferences = [
      [1, 0],
      [0.6, 0.4],
      [0.4, 0.6],
      [0, 1],
    ];
    const returns = [
      [1000, 0],
      [990, 0.9],
      [500, 0.95],
      [0, 1],
    ];
    expect(fanOf({ preferences, returns }, 3).map(([first]) => first)).toEqual([1, 0.6, 0]);
  });

  it('takes fronts of any size', () => {
    const points = Array.from({ length: 200_000 }, (_, i) => [i, 200_000 - i]);
    expect(fanOf({ preferences: points, returns: points }, 3)).toHaveLength(3);
  });

  it('has no more policies than returns that differ', () => {
    expect(fanOf(onLine(0, 10, 10, 0), 7)).toHaveLength(2);
    expect(fanOf({ preferences: [], returns: [] }, 7)).toEqual([]);
  });
});
