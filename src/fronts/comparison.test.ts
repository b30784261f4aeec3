import { describe, expect, it } from 'vitest';
import { bestEntries, compareFronts, type Contender } from './comparison.js';
import type { Origin } from './method.js';

const by = {
  referencePoint: [0, 0],
  discount: 1,
  preferences: [
    [0, 1],
    [0.5, 0.5],
    [1, 0],
  ],
};
const wide: Contender = {
  name: 'wide',
  returns: [
    [1, 3],
    [3, 1],
    [3, 1],
  ],
};
const single: Contender = { name: 'single', returns: [[2, 2]] };

const origin: Origin = {
  env: 'sea',
  algorithm: 'psl-ddqn',
  preset: 'quick',
  settings: { alpha: '0.1', hidden: '64,64' },
  envOptions: { encoding: 'one-hot' },
  seed: 1,
  envSteps: 1000,
  gradientSteps: 10,
  stopped: false,
};
const runOf = (name: string, returns: Contender['returns'], own: Partial<Origin>): Contender => ({
  name,
  returns,
  origin: { ...origin, ...own },
});
const labels = (contenders: readonly Contender[], each?: boolean) =>
  compareFronts(contenders, by, each).entries.map(({ label }) => label);

describe('compareFronts', () => {
  it('measures all fronts alike', () => {
    const { isEach, entries } = compareFronts([wide, single], by);
    expect(isEach).toBe(true);
    expect(entries.map(({ hypervolume }) => hypervolume.mean)).toEqual([5, 4]);
    expect(entries[0].sparsity).toMatchObject({ distinct: { mean: 8 }, published: { mean: 4 } });
    expect(entries[1].sparsity).toMatchObject({ distinct: null, published: { mean: 0 } });
    expect(entries.map(({ expectedUtility }) => expectedUtility.mean)).toEqual([(3 + 2 + 3) / 3, 2]);
    expect(entries.map(({ points }) => points.mean)).toEqual([2, 1]);
    // As many points as preferences, but nobody says that they belong together.
    expect(entries.map(({ regret }) => regret)).toEqual([null, null]);
    expect(entries[0].runs[0]).toMatchObject({ name: 'wide', seed: null, envSteps: null, stopped: null });
    expect(entries[0].runs[0].front).toEqual(wide.returns.slice(0, 2));
  });

  it('takes the hypervolume from the reference point that it is given', () => {
    const { entries } = compareFronts([wide, single], { ...by, referencePoint: [0, -1] });
    // As (1, 4) and (3, 2), and (2, 3), from the origin.
    expect(entries.map(({ hypervolume }) => hypervolume.mean)).toEqual([4 + 2 * 2, 6]);
    expect(entries[1].runs[0].front).toEqual([[2, 2]]);
  });

  it('measures regret where it is known at which preference a return was played', () => {
    // At (0, 1) the policy earns 1 of 4, at the others the best.
    const regretful = { ...runOf('a', [[4, 1], [2, 4], [4, 1]], { seed: 1 }), preferences: by.preferences }; // oxfmt-ignore
    const perfect = { ...runOf('b', [[2, 4], [2, 4], [4, 1]], { seed: 2 }), preferences: by.preferences }; // oxfmt-ignore
    const [both, file] = compareFronts([regretful, perfect, wide], by).entries;
    expect(both.runs.map(({ regret }) => regret)).toEqual([
      { mean: 0.25, worst: 0.75, below80: 1 / 3 },
      { mean: 0, worst: 0, below80: 0 },
    ]);
    expect(both.regret).toMatchObject({ mean: { mean: 0.125 }, worst: { mean: 0.375 }, below80: { mean: 1 / 6 } });
    expect(file.regret).toBeNull();
    const { regret } = bestEntries(compareFronts([regretful, perfect], by, true).entries);
    expect([...regret]).toEqual(['b']);
  });

  it('says how many points of each the other dominates or covers', () => {
    const better: Contender = { name: 'better', returns: [[1, 3], [4, 2]] }; // oxfmt-ignore
    const { pairs } = compareFronts([wide, better, single], by);
    expect(pairs.map(({ of, by: other }) => `${of} by ${other}`)).toEqual([
      'wide by better',
      'wide by single',
      'better by wide',
      'better by single',
      'single by wide',
      'single by better',
    ]);
    expect(pairs[0]).toMatchObject({ pairs: 1, points: 2, dominated: 1, covered: 2, dominatedShare: 0.5 });
    expect(pairs[2]).toMatchObject({ dominated: 0, covered: 1, coveredShare: 0.5 });
    expect(pairs[5]).toMatchObject({ points: 1, dominated: 1, covered: 1, coveredShare: 1 });
  });

  it('says what all reach together, and what of it each reaches, and alone', () => {
    expect(compareFronts([wide, single], by).union).toEqual({
      hypervolume: 6,
      points: 3,
      entries: [
        { label: 'wide', share: 5 / 6, alone: 2 / 6 },
        { label: 'single', share: 4 / 6, alone: 1 / 6 },
      ],
    });
    const nothing = compareFronts([wide, single], { ...by, referencePoint: [9, 9] }).union;
    expect(nothing).toMatchObject({ hypervolume: 0, entries: [{ share: null, alone: null }, { label: 'single' }] });
  });

  it('takes the seeds of a method together, with their means and all pairs of their runs', () => {
    const seeds = [
      runOf('a', [[1, 1]], { seed: 1 }),
      runOf('b', [[3, 1]], { seed: 2 }),
      runOf('c', [[2, 2], [3, 0.5]], { algorithm: 'pd-ddqn' }), // oxfmt-ignore
    ];
    const { isEach, entries, pairs, union } = compareFronts(seeds, by);
    expect(isEach).toBe(false);
    expect(entries.map(({ label, runs }) => [label, runs.map(({ seed }) => seed)])).toEqual([
      ['psl-ddqn quick', [1, 2]],
      ['pd-ddqn quick', [1]],
    ]);
    expect(entries[0].hypervolume).toMatchObject({ count: 2, mean: 2, standardDeviation: Math.SQRT2, min: 1, max: 3 });
    expect(entries[0].sparsity.distinct).toBeNull();
    expect(entries[0].envSteps).toMatchObject({ mean: 1000, standardDeviation: 0 });
    // (2, 2) dominates (1, 1) and not (3, 1), which dominates (3, 0.5).
    expect(pairs[0]).toMatchObject({ pairs: 2, points: 2, dominated: 1, dominatedShare: 0.5 });
    expect(pairs[1]).toMatchObject({ pairs: 2, points: 4, dominated: 1, dominatedShare: 0.25 });
    // (2, 2) and (3, 1) together, of which both seeds in the mean reach 2 and pd-ddqn 4.5.
    expect(union).toMatchObject({ hypervolume: 5, points: 2, entries: [{ share: 2 / 5 }, { share: 4.5 / 5 }] });
    expect(labels(seeds, true)).toEqual(['a', 'b', 'c']);
  });

  it('counts each seed of a method once, and of a seed rather what was not stopped', () => {
    const [a, b] = [runOf('a', [[1, 1]], { seed: 1 }), runOf('b', [[3, 1]], { seed: 2 })];
    const cut = runOf('cut', [[9, 9]], { seed: 2, stopped: true });
    const [entry] = compareFronts([a, cut, { ...a, name: 'copy of a' }, b], by).entries;
    expect(entry.runs.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(entry.hypervolume).toMatchObject({ count: 2, mean: 2, standardDeviation: Math.SQRT2 });
    expect(entry.repeats).toEqual([
      { name: 'cut', seed: 2 },
      { name: 'copy of a', seed: 1 },
    ]);
    const [alone] = compareFronts([a, { ...a, name: 'copy of a' }], by).entries;
    expect(alone.hypervolume).toMatchObject({ count: 1, standardDeviation: null });
  });

  it('lists copies of a run where each is asked for', () => {
    const a = runOf('a', [[1, 1]], {});
    expect(labels([a, { ...a, name: 'copy of a' }], true)).toEqual(['a', 'copy of a']);
  });

  it('never takes runs with other settings for seeds, and names what they differ in', () => {
    const seeds = [
      runOf('a', [[1, 1]], { seed: 1 }),
      runOf('b', [[1, 1]], { seed: 2 }),
      runOf('c', [[1, 1]], { seed: 2, settings: { alpha: '0.5', hidden: '64,64' } }),
      runOf('d', [[1, 1]], { seed: 3, preset: 'paper' }),
    ];
    expect(labels(seeds)).toEqual(['psl-ddqn quick alpha=0.1', 'psl-ddqn quick alpha=0.5', 'psl-ddqn paper']);
    const encodings = [
      runOf('a', [[1, 1]], {}),
      runOf('b', [[1, 1]], { envOptions: { encoding: 'row-column' } }),
      runOf('c', [[1, 1]], { seed: 2 }),
    ];
    expect(labels(encodings)).toEqual(['psl-ddqn quick encoding=one-hot', 'psl-ddqn quick encoding=row-column']);
  });

  it('refuses numbers whose squares are beyond all numbers', () => {
    const far: Contender = { name: 'far', returns: [[-1e200, 1], [1, -1e200]] }; // oxfmt-ignore
    expect(() => compareFronts([far, single], by)).toThrow(
      new RangeError('far has numbers too large to be squared, but must be scaled so that its metrics are finite.'),
    );
  });
});

describe('bestEntries', () => {
  const best = (...contenders: Contender[]) =>
    Object.fromEntries(
      Object.entries(bestEntries(compareFronts(contenders, by).entries)).map(([name, found]) => [name, [...found]]),
    );

  it('is the largest, of sparsity the smallest among fronts that have gaps', () => {
    const dense: Contender = { name: 'dense', returns: [[1, 2], [2, 1]] }; // oxfmt-ignore
    expect(best(wide, single, dense)).toEqual({
      hypervolume: ['wide'],
      sparsity: ['dense'],
      publishedSparsity: ['dense'],
      expectedUtility: ['wide'],
      regret: [],
      // Both have two.
      points: ['wide', 'dense'],
    });
  });

  it('is no method of which a seed found but one point, in the sparsity that calls this 0', () => {
    const dense = [[1, 2], [2, 1]]; // oxfmt-ignore
    const seeds = [runOf('a', dense, { seed: 1 }), runOf('b', [[2, 2]], { seed: 2 })];
    const others = [wide, { ...wide, name: 'wider', returns: [[0, 9], [9, 0]] }]; // oxfmt-ignore
    expect(best(...seeds, ...others)).toMatchObject({ sparsity: ['psl-ddqn quick'], publishedSparsity: ['wide'] });
  });

  it('is nobody where all are alike, or where there is nothing to compare with', () => {
    expect(best(single, { ...single, name: 'other' })).toMatchObject({ hypervolume: [], points: [], sparsity: [] });
    expect(best(wide, single)).toMatchObject({ sparsity: [], publishedSparsity: [] });
  });
});
