import { describe, expect, it } from 'vitest';
import type { RunData } from './run-data.js';
import {
  budgetWords,
  discountWords,
  gapsLegend,
  gistOf,
  hypervolumeOf,
  keptWords,
  nameWith,
  protocolWords,
  statusOf,
} from './words.js';

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

describe('nameWith', () => {
  it('adds what the name of a run does not say already', () => {
    expect(nameWith('ant, third try', 'mo-ant-v2', 'psl-td3')).toBe('ant, third try · mo-ant-v2 · psl-td3');
    expect(nameWith('fruit-tree-d6-psl-ddqn-quick-seed1', 'fruit-tree-d6', 'psl-ddqn')).toBe(
      'fruit-tree-d6-psl-ddqn-quick-seed1',
    );
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
    // One that is stopped before its first evaluation has one of its end.
    for (const count of [0, 1]) {
      expect(keptWords(runOf({ metrics: runOf({}).metrics.slice(0, count) }))).toBe(
        'the only evaluation, after 12,000 steps',
      );
    }
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

describe('gistOf', () => {
  it('speaks of one network only where there is one', () => {
    expect(gistOf({ isFiniteSet: false })).toBe('One network, every preference: drag');
    expect(gistOf({ isFiniteSet: true })).toMatch(/^A set of policies/);
  });
});

describe('budgetWords', () => {
  it('says how many steps a run takes, and how far it is before its end', () => {
    const metrics = [{ envSteps: 4000, values: {} }];
    expect(budgetWords(runOf({ steps: 12_000, metrics }))).toBe('12,000 environment steps');
    expect(budgetWords(runOf({ steps: 12_000, metrics, isFinished: false }))).toBe(
      '12,000 environment steps, of which 4,000 are taken',
    );
    // It was stopped after its last evaluation.
    expect(budgetWords(runOf({ steps: 12_000, metrics, isStopped: true, modelSteps: 5000 }))).toBe(
      '12,000 environment steps, of which 5,000 are taken',
    );
  });
});

describe('protocolWords', () => {
  it('says what was played, how often, and what returns and hypervolume are measured by', () => {
    const evaluated = { preferences: [[1, 0], [0, 1]], returns: [[1, 0], [0, 1]] }; // oxfmt-ignore
    const run = runOf({ episodes: 1, kept: { envSteps: 1, values: {}, evaluated } });
    expect(protocolWords(run)).toBe('2 preferences, one episode each, returns as plain sums, hypervolume above (0, 0)');
    expect(protocolWords({ ...run, episodes: 3, returnDiscount: 0.99, isFiniteSet: true })).toBe(
      '2 policies of the set, 3 episodes each, returns discounted by 0.99 a step, hypervolume above (0, 0)',
    );
    expect(protocolWords({ ...run, kept: undefined })).toMatch(/^one episode each, /);
  });
});

describe('gapsLegend', () => {
  it('speaks of what is lost where something can be lost', () => {
    expect(gapsLegend(3, false)).toContain('much is lost');
    expect(gapsLegend(3, true)).not.toContain('lost');
  });
});
