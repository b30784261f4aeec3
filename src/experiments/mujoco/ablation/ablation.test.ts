import { describe, expect, it } from 'vitest';
import { planReproduction } from '../../plan.js';
import { reportOf } from '../../report.js';
import { ablation } from './experiment.js';

describe('the ablation of parameter fusion', () => {
  it('trains families that differ in nothing else', () => {
    const { jobs } = planReproduction(ablation, { budget: 'million', seeds: 1, cases: ['mo-ant-v2'] });
    expect(jobs.map(({ name }) => name)).toEqual(
      ['fused', 'gen', 'add', 'conditioned'].map((key) => `mo-ant-v2-${key}-seed1`),
    );
    const configs = jobs.map(({ plan }) => plan.config);
    expect(configs.map(({ family }) => family)).toEqual(['fused', 'generated', 'added', 'conditioned']);
    for (const config of configs) expect({ ...config, family: 'fused' }).toEqual(configs[0]);
  });

  it("has the paper's numbers, and none for what is not in its table", () => {
    const { entries } = reportOf(planReproduction(ablation, { seeds: 1 }), [], 'out');
    const hypervolumes = (key: string) =>
      entries.filter((entry) => entry.key === key).map(({ published }) => published?.hypervolume);
    expect(hypervolumes('fused')).toEqual([5.36e6, 5.92e6, 8.63e6, 3.22e4, 1.95e7]);
    expect(hypervolumes('gen')).toEqual([1.47e6, 4.65e6, 1.39e6, 2.11e4, 0.83e7]);
    expect(hypervolumes('add')).toEqual([2.63e6, 5.62e6, 4.27e6, 2.67e4, 1.28e7]);
    const conditioned = entries.filter(({ key }) => key === 'conditioned');
    for (const entry of conditioned) expect(entry).toMatchObject({ published: null, unranked: 'not in the paper' });
  });
});
