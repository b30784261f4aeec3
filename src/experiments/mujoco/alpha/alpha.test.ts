import { describe, expect, it } from 'vitest';
import { runsOf } from '../../job.js';
import { planReproduction } from '../../plan.js';
import { reportOf } from '../../report.js';
import { alpha } from './experiment.js';

const VALUES = [0.01, 0.03, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5];

describe('the grid search for alpha', () => {
  it('trains all values of a robot as replicas of one program', () => {
    const { jobs } = planReproduction(alpha, { budget: 'million', seeds: 2, cases: ['mo-ant-v2', 'mo-hopper-v2'] });
    expect(jobs.map(({ plan }) => [plan.env, plan.seed, plan.replicas])).toEqual([
      ['mo-ant-v2', 1, 12],
      ['mo-hopper-v2', 1, 12],
      ['mo-ant-v2', 2, 12],
      ['mo-hopper-v2', 2, 12],
    ]);
    const [{ plan: first }] = runsOf(jobs[0]);
    for (const [i, { method, plan }] of runsOf(jobs[0]).entries()) {
      expect(method.key).toBe(String(VALUES[i]));
      expect(plan).toEqual({ ...first, config: { ...first.config, alpha: VALUES[i] } });
    }
  });

  it('trains the seeds in the same program where that is asked for', () => {
    const { jobs } = planReproduction(alpha, {
      ...{ seeds: 2, cases: ['mo-ant-v2'], lockstep: true },
      methods: ['0.05', '0.01'],
    });
    expect(jobs.map(({ name }) => name)).toEqual(['mo-ant-v2-0.01-0.05-seeds1-2']);
    expect(runsOf(jobs[0]).map(({ method, plan }) => [method.key, plan.config.alpha, plan.seed])).toEqual([
      ['0.01', 0.01, 1],
      ['0.01', 0.01, 2],
      ['0.05', 0.05, 1],
      ['0.05', 0.05, 2],
    ]);
  });

  it("has the paper's numbers, whose best are those that its text names", () => {
    const { entries } = reportOf(planReproduction(alpha, { seeds: 1 }), [], 'out');
    const best = alpha.cases.map(({ env }) => {
      const ofEnv = entries.filter((entry) => entry.env === env);
      const most = Math.max(...ofEnv.map(({ published }) => published!.hypervolume));
      return ofEnv.filter(({ published }) => published!.hypervolume === most).map(({ key }) => key);
    });
    expect(best).toEqual([['0.01'], ['0.01'], ['0.01'], ['0.01'], ['0.03']]);
    expect(entries.find(({ env, key }) => env === 'mo-swimmer-v2' && key === '0.3')!.published).toEqual({
      hypervolume: 3.09e4,
      sparsity: 3.6,
    });
  });
});
