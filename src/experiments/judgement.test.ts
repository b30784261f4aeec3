import { describe, expect, it } from 'vitest';
import { statistics } from '../fronts/index.js';
import { comparable, intervalOf, judge, rankedSeeds, type JudgedEntry } from './judgement.js';

function entry(env: string, method: string, values: readonly number[], more: Partial<JudgedEntry> = {}): JudgedEntry {
  return {
    env,
    key: method,
    method,
    unranked: null,
    published: { hypervolume: 10, sparsity: 1 },
    hypervolume: statistics(values),
    seeds: values.map((hypervolume, i) => ({ seed: i + 1, hypervolume, sparsity: { distinct: 1 } })),
    ...more,
  };
}

const PSL = { subject: ['tuned', 'PSL'], pairs: [] };

describe('judge', () => {
  const entries = [
    entry('a', 'PSL', [9, 11, 10, 12]),
    entry('a', 'PD', [8, 8, 9, 10]),
    entry('b', 'PSL', [20, 20]),
    entry('b', 'PD', [20, 21]),
  ];

  it('compares the subject with each other method, in every case and in all', () => {
    const { duels } = judge(PSL, entries);
    expect(duels.map(({ rival, env }) => [rival, env])).toEqual([
      ['PD', 'a'],
      ['PD', 'b'],
      ['PD', null],
    ]);
    // 9 wins two pairs and ties one, 10 wins three and ties one, 11 and 12 win all: 2.5 + 4 + 3.5 + 4 of 16.
    expect(duels[0].probability).toBe(14 / 16);
    // In 10 of 70 ways to deal the eight values out, the sums are as far apart as 42 and 35.
    expect(duels[0].test).toEqual({ p: 10 / 70, smallest: 2 / 70, arrangements: 70, isExact: true });
    expect(duels[1].probability).toBe(0.25);
    expect(duels[2].probability).toBe((14 / 16 + 0.25) / 2);
    // Of both places together, with the seeds of each dealt out anew.
    expect(duels[2].test).toMatchObject({ smallest: 2 / (70 * 6), isExact: false });
    expect(duels[2].test!.p).toBeCloseTo(0.81, 1);
    expect(duels[0].interval!.low).toBeGreaterThan(0.4);
    expect(duels[0].interval!.high).toBe(1);
  });

  it('compares other pairs besides, where both are in the table', () => {
    const pairs = [
      ['PD', 'PSL'],
      ['PD', 'absent'],
    ] as const;
    const { subject, duels } = judge({ subject: ['absent'], pairs }, entries);
    expect(subject).toBeNull();
    expect(duels.map((duel) => [duel.subject, duel.rival, duel.env])).toEqual([
      ['PD', 'PSL', 'a'],
      ['PD', 'PSL', 'b'],
      ['PD', 'PSL', null],
    ]);
  });

  it("ranks neither what is below its range nor what is ranked otherwise, but the paper's number of the first", () => {
    const { averageRanks } = judge(PSL, [
      entry('a', 'PSL', [2]),
      entry('a', 'short', [3], { unranked: 'below its range', published: { hypervolume: 20, sparsity: 1 } }),
      entry('a', 'PSL, as published', [4], { unranked: 'its tuned settings are ranked' }),
    ]);
    expect(averageRanks.map(({ hypervolume }) => hypervolume)).toEqual([
      { published: 2, ours: 1, publishedAmongOurs: 1 },
      { published: 1, ours: null, publishedAmongOurs: null },
      { published: null, ours: null, publishedAmongOurs: null },
    ]);
  });

  it('ranks methods by the seeds that all of them have', () => {
    // Over all of its seeds the first has less.
    const unequal = [entry('a', 'PSL', [9, 9, 1]), entry('a', 'PD', [8, 8])];
    expect(judge(PSL, unequal).averageRanks.map(({ hypervolume }) => hypervolume.ours)).toEqual([1, 2]);
    const apart = [
      entry('a', 'PSL', [9]),
      { ...entry('a', 'PD', [8]), seeds: [{ seed: 2, hypervolume: 8, sparsity: { distinct: 1 } }] },
    ];
    expect(judge(PSL, apart).averageRanks.map(({ hypervolume }) => hypervolume.ours)).toEqual([null, null]);
    expect(rankedSeeds(unequal)).toEqual([{ env: 'a', seeds: [1, 2] }]);
    expect(rankedSeeds(apart)).toEqual([{ env: 'a', seeds: [] }]);
    expect(rankedSeeds(entries)).toEqual([]);
    // What has no rank takes no seed from the others.
    expect(rankedSeeds([unequal[0], { ...unequal[1], unranked: 'below its range' }])).toEqual([]);
  });

  it("gives hypervolumes of all cases as shares of the paper's", () => {
    const { scores } = judge(PSL, entries);
    expect(scores[0].share).toMatchObject({ count: 6, median: 1.15, min: 0.9, max: 2 });
    expect(scores[0].interval!.low).toBeLessThanOrEqual(scores[0].share!.interquartileMean);
    expect(scores[0].interval!.high).toBeGreaterThanOrEqual(scores[0].share!.interquartileMean);
  });

  it('says nothing of what is missing', () => {
    const { averageRanks, scores, duels } = judge(PSL, [
      entry('a', 'PSL', [1, 2]),
      entry('a', 'PD', []),
      entry('a', 'other', [1, 2], { published: null, unranked: 'not in the paper' }),
    ]);
    expect(duels.map(({ rival }) => rival)).toEqual(['other']);
    expect(averageRanks.map(({ hypervolume }) => hypervolume)).toEqual([
      { published: 1.5, ours: null, publishedAmongOurs: null },
      { published: 1.5, ours: null, publishedAmongOurs: null },
      { published: null, ours: null, publishedAmongOurs: null },
    ]);
    expect(scores[1]).toEqual({ method: 'PD', share: null, interval: null });
    expect(judge({ subject: ['absent'], pairs: [] }, entries)).toMatchObject({ subject: null, duels: [] });
  });

  it('has no interval for one seed', () => {
    expect(intervalOf([5])).toBeNull();
    expect(judge(PSL, [entry('a', 'PSL', [3]), entry('a', 'PD', [2])]).duels).toEqual([
      {
        subject: 'PSL',
        rival: 'PD',
        env: 'a',
        probability: 1,
        interval: null,
        test: { p: 1, smallest: 1, arrangements: 2, isExact: true },
      },
    ]);
  });
});

it('hypervolumes are comparable from 90 % of the best', () => {
  const methods = comparable([entry('a', 'best', [100]), entry('a', 'near', [90]), entry('a', 'far', [89])]);
  expect(methods.map(({ method }) => method)).toEqual(['best', 'near']);
});
