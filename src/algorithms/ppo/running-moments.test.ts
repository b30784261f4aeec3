import { describe, expect, it } from 'vitest';
import { Random } from '../../random/index.js';
import { RunningMoments } from './running-moments.js';

describe('RunningMoments', () => {
  it('begins with mean 0 and variance 1', () => {
    const moments = new RunningMoments(2);
    expect([...moments.mean, ...moments.variance]).toEqual([0, 0, 1, 1]);
    expect(moments.deviation(0)).toBe(Math.sqrt(1 + 1e-8));
  });

  it('weighs its start as a ten-thousandth of a row', () => {
    const moments = new RunningMoments(1);
    moments.observe([2, 4]);
    // Two rows with mean 3 and variance 1, and 0.0001 rows with mean 0 and variance 1.
    expect(moments.mean[0]).toBeCloseTo((2 * 3) / 2.0001, 12);
    expect(moments.variance[0]).toBeCloseTo((1e-4 + 2 + (9 * 1e-4 * 2) / 2.0001) / 2.0001, 12);
  });

  it('has the moments of all rows, however they come', () => {
    const random = new Random(4);
    const rows = Float64Array.from({ length: 3 * 60 }, (_, i) => 5 * (i % 3) + (1 + (i % 3)) * random.normal());
    const [atOnce, oneByOne] = [new RunningMoments(3), new RunningMoments(3)];
    atOnce.observe(rows);
    for (let i = 0; i < rows.length; i += 3) oneByOne.observe(rows.subarray(i, i + 3));
    for (let k = 0; k < 3; k++) {
      const own = rows.filter((_, i) => i % 3 === k);
      const mean = own.reduce((sum, x) => sum + x) / 60;
      const variance = own.reduce((sum, x) => sum + (x - mean) ** 2, 0) / 60;
      expect(atOnce.mean[k]).toBeCloseTo(mean, 3);
      // Far from 0 the start counts for (10 ** 2) * 1e-4 / 60 at most.
      expect(Math.abs(atOnce.variance[k] - variance)).toBeLessThan(5e-4);
      expect(oneByOne.mean[k]).toBeCloseTo(atOnce.mean[k], 10);
      expect(oneByOne.variance[k]).toBeCloseTo(atOnce.variance[k], 10);
    }
  });

  it('goes on exactly from what was saved, and forgets it when told to', () => {
    const [one, other] = [new RunningMoments(2), new RunningMoments(2)];
    one.observe([1, 2, 3, 4]);
    other.load(one.save());
    one.observe([0.1, 7]);
    other.observe([0.1, 7]);
    expect(other.save()).toEqual(one.save());
    other.reset();
    expect(other.save()).toEqual(new RunningMoments(2).save());
  });
});
