import { describe, expect, it } from 'vitest';
import type { RunData } from './run-data.js';
import { discountWords, hypervolumeOf, keptWords, statusOf } from './words.js';

const runOf = (own: Partial<RunData>) =>
  ({
    ...{ isFinished: true, isStopped: false, keepsBest: true, metrics: [{}, {}, {}], returnDiscount: 1 },
    ...{ env: {}, referencePoint: [0, 0] },
    kept: { envSteps: 12_000, values: { hypervolume: 3 } },
    ...own,
  }) as unknown as RunData;

describe('statusOf', () => {
  it.each<[string, Partial<RunData>]>([
    ['finished', { isFinished: true, isTraining: false }],
    ['stopped', { isFinished: true, isStopped: true, isTraining: false }],
    ['training', { isFinished: false, isTraining: true }],
    // It was stopped, and goes on.
    ['training', { isFinished: true, isStopped: true, isTraining: true }],
    // Its process is gone, such as one that was killed.
    ['interrupted', { isFinished: false, isTraining: false }],
    // In exported files nobody can tell.
    ['unfinished', { isFinished: false }],
  ])('calls a run %s that is %o', (status, run) => {
    expect(statusOf(runOf(run))).toBe(status);
  });
});

describe('hypervolumeOf', () => {
  it('is that of the policy set that is kept, with its share of the ceiling where there is one', () => {
    expect(hypervolumeOf(runOf({}))).toBe('3');
    const env = { knownFront: () => [[2, 2]] } as unknown as RunData['env'];
    expect(hypervolumeOf(runOf({ env }))).toBe('3 (75.00 % of the ceiling)');
  });

  it('is none before the first evaluation', () => {
    expect(hypervolumeOf(runOf({ kept: undefined }))).toBeUndefined();
  });
});

describe('keptWords', () => {
  it('says which evaluation a run keeps', () => {
    expect(keptWords(runOf({}))).toBe('the best of 3 evaluations, after 12,000 steps');
    expect(keptWords(runOf({ keepsBest: false }))).toBe('the last evaluation, after 12,000 steps');
    expect(keptWords(runOf({ isFinished: false, isTraining: true }))).toBe(
      'the best of 3 evaluations so far, after 12,000 steps',
    );
  });
});

describe('discountWords', () => {
  it('says by how much later rewards count less, where they do', () => {
    expect(discountWords({ returnDiscount: 0.99 })).toBe('discounted by 0.99 a step');
    expect(discountWords({ returnDiscount: 1 })).toBe('');
  });
});
