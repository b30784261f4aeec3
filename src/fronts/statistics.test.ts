import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { interquartileMean, meanOf, quantile, statistics } from './statistics.js';

const values = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 12 });

describe('statistics', () => {
  it('are mean, standard deviation of the sample, median, interquartile mean and the ends', () => {
    // Mean 5; squares 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32; 32 / 7. The middle half is 4, 4, 5, 5.
    expect(statistics([2, 4, 4, 4, 5, 5, 7, 9])).toEqual({
      count: 8,
      mean: 5,
      standardDeviation: Math.sqrt(32 / 7),
      median: 4.5,
      interquartileMean: 4.5,
      min: 2,
      max: 9,
    });
  });

  it('have no spread for one value, and none at all for equal ones', () => {
    const equal = { mean: 0.1, median: 0.1, interquartileMean: 0.1, min: 0.1, max: 0.1 };
    expect(statistics([0.1])).toEqual({ count: 1, standardDeviation: null, ...equal });
    expect(statistics([0.1, 0.1, 0.1])).toEqual({ count: 3, standardDeviation: 0, ...equal });
  });

  it('of no values are nothing', () => {
    expect(statistics([])).toBeNull();
  });

  it('are found of more values than a function takes arguments', () => {
    const many = Array.from({ length: 150_000 }, (_, i) => i);
    expect(statistics(many)).toMatchObject({ count: 150_000, mean: 74_999.5, median: 74_999.5, min: 0, max: 149_999 });
  });
});

describe('quantile', () => {
  it('agrees with NumPy', () => {
    const sample = [12.1, 9.8, 14.2, 11.5, 13.3, 10.7, 12.9, 15, 11.1, 13.8, 12.4, 10.2];
    expect(quantile(sample, 0.25)).toBeCloseTo(11, 12);
    expect(quantile(sample, 0.5)).toBeCloseTo(12.25, 12);
    expect(quantile(sample, 0.9)).toBeCloseTo(14.16, 12);
  });

  it('is the one value there is', () => {
    expect(quantile([3], 0.975)).toBe(3);
  });

  it('is a value itself where it lies at one, however far its neighbour is', () => {
    expect(quantile([-1e308, 0, 1e308], 0.5)).toBe(0);
    expect(quantile([-1e308, 1e308], 0)).toBe(-1e308);
    expect(quantile([-1e308, 1e308], 1)).toBe(1e308);
  });

  it('refuses a share that is none', () => {
    expect(() => quantile([1, 2], 2)).toThrow(new RangeError('share is 2, but must be a number from 0 to 1.'));
    expect(() => quantile([1, 2], -0.1)).toThrow('share is -0.1,');
    expect(() => quantile([1, 2], NaN)).toThrow('share is NaN,');
  });
});

describe('interquartileMean', () => {
  it('leaves a quarter of the values out at each end', () => {
    // scipy.stats.trim_mean(..., 0.25)
    expect(interquartileMean([12.1, 9.8, 14.2, 11.5, 13.3, 10.7, 12.9, 15, 11.1, 13.8, 12.4, 10.2])).toBeCloseTo(
      12.216666666666667,
      12,
    );
    expect(interquartileMean([5, 8, 4, 38, 8, 6, 9, 7, 7, 3, 1, 6])).toBe(6.5);
  });

  it('counts the part of a value that lies within where quarters are not whole', () => {
    // 0.75 of 5 and 13, and 7, 9, 11: 40.5 / 4.5.
    expect(interquartileMean([1, 3, 5, 7, 9, 11, 13, 15, 17])).toBe(9);
    // A quarter of 1 and 9, and 2: 4.5 / 1.5.
    expect(interquartileMean([9, 1, 2])).toBe(3);
    expect(interquartileMean([1, 2])).toBe(1.5);
  });

  it('lies between the smallest and the largest value, and is not moved by the most extreme of four or more', () => {
    fc.assert(
      fc.property(values, (sample) => {
        const mean = interquartileMean(sample);
        expect(mean).toBeGreaterThanOrEqual(Math.min(...sample));
        expect(mean).toBeLessThanOrEqual(Math.max(...sample));
        if (sample.length < 4) return;
        const sorted = [...sample].sort((a, b) => a - b);
        expect(interquartileMean([...sorted.slice(0, -1), 1e9])).toBe(interquartileMean(sorted));
      }),
    );
  });
});

describe('a value that is not finite', () => {
  it.each([
    ['statistics', statistics],
    ['meanOf', meanOf],
    ['quantile', (sample: readonly number[]) => quantile(sample, 0.5)],
    ['interquartileMean', interquartileMean],
  ])('is refused by %s', (_, of) => {
    expect(() => of([1, NaN])).toThrow(new RangeError('values[1] is NaN, but must be a finite number.'));
    expect(() => of([-Infinity, 1])).toThrow(new RangeError('values[0] is -Infinity, but must be a finite number.'));
  });
});

describe('a sample without values', () => {
  it.each([
    ['meanOf', meanOf],
    ['quantile', (sample: readonly number[]) => quantile(sample, 0.5)],
    ['interquartileMean', interquartileMean],
  ])('is refused by %s', (_, of) => {
    expect(() => of([])).toThrow(new RangeError('values is [], but must hold at least one number.'));
  });
});
