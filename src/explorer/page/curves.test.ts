import { describe, expect, it } from 'vitest';
import { bandOf, curveOf, groupsOf, metricNames } from './curves.js';
import type { RunData } from './run-data.js';

const runOf = (algorithm: string, ...values: Record<string, number>[]) =>
  ({ algorithm, metrics: values.map((own, i) => ({ envSteps: 100 * (i + 1), values: own })) }) as unknown as RunData;

describe('groupsOf', () => {
  it('takes the runs of an algorithm together, each algorithm in a colour of its own', () => {
    const all = [runOf('psl-td3'), runOf('pg-morl'), runOf('psl-td3')];
    const groups = groupsOf(all);
    expect(groups.map(({ name, members }) => [name, members])).toEqual([
      ['psl-td3', [all[0], all[2]]],
      ['pg-morl', [all[1]]],
    ]);
    expect(groups[0].colour).not.toBe(groups[1].colour);
  });
});

describe('metricNames', () => {
  it('begins with the scores, and has whatever else some run wrote by the alphabet', () => {
    const all = [runOf('a', { tdError: 1, sparsity: 2, hypervolume: 3 }), runOf('b', { actorLoss: 1, points: 2 })];
    expect(metricNames(all)).toEqual(['hypervolume', 'sparsity', 'points', 'actorLoss', 'tdError']);
  });
});

describe('curveOf', () => {
  it('has a point for each evaluation that wrote the number', () => {
    const run = runOf('a', { loss: 3 }, { hypervolume: 5 }, { loss: 1 });
    expect(curveOf(run, 'loss')).toEqual([
      [100, 3],
      [300, 1],
    ]);
  });
});

describe('bandOf', () => {
  it('has mean, least and most of all curves', () => {
    const band = bandOf([[[100, 1]], [[100, 5]], [[100, 3]]]);
    expect(band).toEqual({ mean: [[100, 3]], low: [[100, 1]], high: [[100, 5]] });
  });

  it('ends where the first of the curves ends, and leaves out what not all of them have', () => {
    const long = [1, 2, 3, 4].map((x) => [x, x] as const);
    const { mean } = bandOf([long, [long[0], long[2]]]);
    expect(mean.map(([x]) => x)).toEqual([1, 3]);
  });

  it('is empty where there is no curve', () => {
    expect(bandOf([])).toEqual({ mean: [], low: [], high: [] });
  });
});
