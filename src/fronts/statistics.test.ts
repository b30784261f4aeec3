import { expect, it } from 'vitest';
import { statistics } from './statistics.js';

it('statistics are the mean, the standard deviation of the sample and the ends', () => {
  // Mean 5; squares 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32; 32 / 7.
  expect(statistics([2, 4, 4, 4, 5, 5, 7, 9])).toEqual({
    count: 8,
    mean: 5,
    standardDeviation: Math.sqrt(32 / 7),
    min: 2,
    max: 9,
  });
});

it('statistics have no spread for one value, and none at all for equal ones', () => {
  expect(statistics([0.1])).toEqual({ count: 1, mean: 0.1, standardDeviation: null, min: 0.1, max: 0.1 });
  expect(statistics([0.1, 0.1, 0.1])).toEqual({ count: 3, mean: 0.1, standardDeviation: 0, min: 0.1, max: 0.1 });
});

it('statistics of no values are nothing', () => {
  expect(statistics([])).toBeNull();
});
