import { describe, expect, it } from 'vitest';
import { surplus } from './snapshots.js';

/** What is kept of evaluations that come one after the other. */
function keptOf(evaluations: readonly number[], most: number): number[] {
  return evaluations.reduce<number[]>((kept, steps) => {
    const all = [...kept, steps];
    const dropped = surplus(all, most);
    return all.filter((one) => !dropped.includes(one));
  }, []);
}

describe('surplus', () => {
  it('is nothing as long as there are no more than that many', () => {
    expect(surplus([], 1)).toEqual([]);
    expect(surplus([10, 20, 30], 3)).toEqual([]);
  });

  it('leaves the last one where one may be kept, and the first and the last of two', () => {
    expect(keptOf([10, 20, 30, 40], 1)).toEqual([40]);
    expect(keptOf([10, 20, 30, 40], 2)).toEqual([10, 40]);
  });

  it('leaves those that are spread over the run', () => {
    const kept = keptOf(
      Array.from({ length: 20 }, (_, i) => 100 * (i + 1)),
      5,
    );
    expect(kept.length).toBe(5);
    expect([kept[0], kept[4]]).toEqual([100, 2000]);
    const gaps = kept.slice(1).map((steps, i) => steps - kept[i]);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(1000);
  });
});
