import { describe, expect, it } from 'vitest';
import { bandOf, curveOf, groupsOf, keptPoint, metricNames, smoothed, valueAt } from './curves.js';
import type { RunData } from './run-data.js';

const metricsOf = (...values: Record<string, number>[]) =>
  values.map((own, i) => ({ envSteps: 100 * (i + 1), values: own }));
const runOf = (...values: Record<string, number>[]) => ({ metrics: metricsOf(...values) }) as unknown as RunData;
const trained = (algorithm: string, settings: Record<string, string> = {}) =>
  ({ method: { env: 'ant', algorithm, preset: 'quick', envOptions: {}, settings } }) as unknown as RunData;

describe('groupsOf', () => {
  it('takes the runs together that differ by their seeds alone, each method in a colour of its own', () => {
    const all = [trained('psl-td3'), trained('pg-morl'), trained('psl-td3')];
    const groups = groupsOf(all);
    expect(groups.map(({ name, members }) => [name, members])).toEqual([
      ['psl-td3 quick', [all[0], all[2]]],
      ['pg-morl quick', [all[1]]],
    ]);
    expect(groups[0].colour).not.toBe(groups[1].colour);
  });

  it('tells runs of one algorithm apart by the settings that differ, and names those', () => {
    const [fused, generated] = ['fused', 'generated'].map((family) => ({ family, tau: '0.005' }));
    const all = [trained('psl-td3', fused), trained('psl-td3', generated), trained('psl-td3', fused)];
    expect(groupsOf(all).map(({ name, members }) => [name, members])).toEqual([
      ['psl-td3 quick family=fused', [all[0], all[2]]],
      ['psl-td3 quick family=generated', [all[1]]],
    ]);
  });
});

describe('metricNames', () => {
  it('begins with the scores, and has whatever else some run wrote by the alphabet', () => {
    const all = [runOf({ tdError: 1, sparsity: 2, hypervolume: 3 }), runOf({ actorLoss: 1, points: 2 })];
    expect(metricNames(all)).toEqual(['hypervolume', 'sparsity', 'points', 'actorLoss', 'tdError']);
  });
});

describe('curveOf', () => {
  it('has a point for each evaluation that wrote the number', () => {
    const run = runOf({ loss: 3 }, { hypervolume: 5 }, { loss: 1 });
    expect(curveOf(run, 'loss')).toEqual([
      [100, 3],
      [300, 1],
    ]);
  });

  it('is empty for a run that has not been evaluated', () => {
    expect(curveOf(runOf(), 'loss')).toEqual([]);
  });
});

describe('keptPoint', () => {
  const metrics = metricsOf({ loss: 3, hypervolume: 5 }, { hypervolume: 4 });
  const kept = (envSteps: number) => ({ envSteps, values: {}, evaluated: { preferences: [], returns: [] } });

  it('is where on the curve the policy set is that the run keeps', () => {
    expect(keptPoint({ metrics, kept: kept(100) }, 'hypervolume')).toEqual([[100, 5]]);
  });

  it('is nowhere where that evaluation did not write the number, or there is none', () => {
    expect(keptPoint({ metrics, kept: kept(200) }, 'loss')).toEqual([]);
    expect(keptPoint({ metrics, kept: undefined }, 'loss')).toEqual([]);
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

describe('smoothed', () => {
  const noisy = [[100, 4], [200, 8], [300, 0]] as const; // oxfmt-ignore

  it('weighs each point by the share of the one after it', () => {
    // 4, (4/2 + 8) / (1/2 + 1), (4/4 + 8/2 + 0) / (1/4 + 1/2 + 1)
    expect(smoothed(noisy, 0.5)).toEqual([[100, 4], [200, 10 / 1.5], [300, 5 / 1.75]]); // oxfmt-ignore
  });

  it('leaves a curve alone where the share is nothing', () => {
    expect(smoothed(noisy, 0)).toEqual(noisy);
  });
});

describe('valueAt', () => {
  it('is that of the last point up to there', () => {
    const points = [[100, 4], [200, 8]] as const; // oxfmt-ignore
    expect([50, 100, 150, 900].map((steps) => valueAt(points, steps))).toEqual([undefined, 4, 4, 8]);
  });
});
