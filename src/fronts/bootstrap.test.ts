import { expect, it } from 'vitest';
import { bootstrapInterval } from './bootstrap.js';
import { probabilityOfImprovement } from './improvement.js';
import { interquartileMean, meanOf } from './statistics.js';

const ofAll = ([tasks]: readonly (readonly (readonly number[])[])[]) => interquartileMean(tasks.flat());

it('a bootstrap interval has the quantiles of all ways to draw the seeds again', () => {
  // Of the 256 ways to draw four of 1, 2, 4, 8, 5.1 % have the interquartile mean 1 and 11.7 % have 1.5; at the other
  // end 5.1 % have 8 and 11.7 % have 6.
  expect(bootstrapInterval([[[1, 2, 4, 8]]], ofAll)).toEqual({ low: 1, high: 8 });
  expect(bootstrapInterval([[[1, 2, 4, 8]]], ofAll, { confidence: 0.8 })).toEqual({ low: 1.5, high: 6 });
  // Three of 0, 0, 1: their mean is 1 in one of 27 ways, more than a fortieth and less than a twentieth.
  const mean = ([[scores]]: readonly (readonly (readonly number[])[])[]) => meanOf(scores);
  expect(bootstrapInterval([[[0, 0, 1]]], mean)).toEqual({ low: 0, high: 1 });
  expect(bootstrapInterval([[[0, 0, 1]]], mean, { confidence: 0.9 })).toEqual({ low: 0, high: 2 / 3 });
});

it('a bootstrap interval draws within tasks and never across', () => {
  const mean = ([tasks]: readonly (readonly (readonly number[])[])[]) => meanOf(tasks.flat());
  // The tasks give 0 or 1, and 10 or 12; drawn across them, the mean would go from 0 to 12.
  expect(bootstrapInterval([[[0, 1], [10, 12]]], mean, { confidence: 1 })).toEqual({ low: 5, high: 6.5 }); // oxfmt-ignore
});

it('a bootstrap interval is the same for the same seed, and nothing where all values are equal', () => {
  const scores = [[3, 1, 4, 1, 5], [9, 2, 6]]; // oxfmt-ignore
  expect(bootstrapInterval([scores], ofAll, { seed: 7 })).toEqual(bootstrapInterval([scores], ofAll, { seed: 7 }));
  expect(bootstrapInterval([[[0.1, 0.1, 0.1]]], ofAll)).toEqual({ low: 0.1, high: 0.1 });
});

it('one seed has no interval, and no seed has none', () => {
  expect(bootstrapInterval([[[5]]], ofAll)).toBeNull();
  expect(bootstrapInterval([[[5, 6], [7]]], ofAll)).toBeNull();
  expect(bootstrapInterval([[[]]], ofAll)).toBeNull();
  expect(bootstrapInterval([[]], ofAll)).toBeNull();
});

it('two methods are drawn independently', () => {
  const improvement = ([x, y]: readonly (readonly (readonly number[])[])[]) => probabilityOfImprovement(x, y);
  const same = [[1, 2, 3, 4]];
  const { low, high } = bootstrapInterval([same, same], improvement)!;
  // With common draws the probability would be a half in every resample.
  expect(low).toBeLessThan(0.25);
  expect(high).toBeGreaterThan(0.75);
  expect(bootstrapInterval([[[5, 6]], [[1, 2]]], improvement)).toEqual({ low: 1, high: 1 });
});

it('a bootstrap interval refuses scores, options and statistics that would give none', () => {
  const scores = [[[1, 2, 3]]];
  expect(() =>
    bootstrapInterval(
      [
        [
          [1, 2],
          [3, NaN],
        ],
      ],
      ofAll,
    ),
  ).toThrow(
    // oxfmt-ignore
    new RangeError('methods[0][1][1] is NaN, but must be a finite number.'),
  );
  expect(() => bootstrapInterval(scores, ofAll, { confidence: 95 })).toThrow(
    new RangeError('confidence is 95, but must be more than 0 and at most 1.'),
  );
  expect(() => bootstrapInterval(scores, ofAll, { confidence: 0 })).toThrow('confidence is 0,');
  expect(() => bootstrapInterval(scores, ofAll, { resamples: 0 })).toThrow(
    new RangeError('resamples is 0, but must be an integer of at least 1.'),
  );
  expect(() => bootstrapInterval(scores, ofAll, { resamples: 1.5 })).toThrow('resamples is 1.5,');
  expect(() => bootstrapInterval(scores, () => NaN)).toThrow(
    new RangeError('statistic of a resample is NaN, but must be a finite number.'),
  );
});
