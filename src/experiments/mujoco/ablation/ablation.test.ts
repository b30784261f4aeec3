import { describe, expect, it } from 'vitest';
import { protocolOf } from '../../../training/index.js';
import { planReproduction } from '../../plan.js';
import { reportOf } from '../../report.js';
import { runsOf } from '../../job.js';
import { outcomeOf } from '../../../../test/support/outcome.js';
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

  const robots = planReproduction(ablation, { seeds: 2, cases: ['mo-walker2d-v2', 'mo-swimmer-v2'], methods: ['fused', 'add'] }); // oxfmt-ignore
  const outcomes = robots.jobs.flatMap(runsOf).map((run, i) => {
    const value = run.plan.env === 'mo-walker2d-v2' ? 2e6 : 2e4;
    return outcomeOf(run, value * (1 + i / 8), i === 0 ? null : 10, {
      device: 'gpu',
      protocol: { ...protocolOf(run.plan, 2) },
    });
  });

  it("has a row for each method, with the paper's number and ours in each cell", () => {
    expect(ablation.layout.table(reportOf(robots, outcomes, 'out'))).toEqual({
      head: [
        ...['method', 'MO-Walker2d-v2 HV (x 1e6)', 'MO-Walker2d-v2 SP (x 1e4)'],
        ...['MO-Swimmer-v2 HV (x 1e4)', 'MO-Swimmer-v2 SP (x 1e1)'],
      ],
      rows: [
        [
          ...['PSL-MORL', '5.36 / 2.50 (2.00 to 3.00)', '0.01 / 1.0e-3 (one seed)'],
          ...['3.22 / 3.00 (2.50 to 3.50)', '0.42 / 1.00 (1.00 to 1.00)'],
        ],
        [
          ...['PSL-MORL-add', '2.63 / 2.75 (2.25 to 3.25)', '1.26 / 1.0e-3 (1.0e-3 to 1.0e-3)'],
          ...['2.67 / 3.25 (2.75 to 3.75)', '3.68 / 1.00 (1.00 to 1.00)'],
        ],
      ],
    });
  });

  it('says which learner all of them are, and by which command', () => {
    const { notes } = reportOf(robots, outcomes, 'out');
    expect(notes[0]).toBe(
      'Command: psl reproduce ablation --budget small --envs mo-walker2d-v2,mo-swimmer-v2 --methods fused,add --seeds 2 --device gpu --lockstep',
    );
    expect(notes[2]).toMatch(
      /^PSL-MORL, PSL-MORL-add: with the tuned settings of the best preset, and those of this budget, in place of the published ones, .*; alpha 0\.05 for 0\.01; .*; atoms 101 for 0 \(on 1 of 2\); .*; normalise true for false;/,
    );
    const published = planReproduction(ablation, { budget: 'paper', seeds: 1, cases: ['mo-ant-v2'] });
    expect(reportOf(published, [], 'out').notes.join()).not.toContain('in place of the published ones');
  });

  it("ranks the paper's numbers as the paper judges them: fusion first on every robot", () => {
    const { averageRanks } = reportOf(planReproduction(ablation, { seeds: 1 }), [], 'out');
    expect(averageRanks.map(({ hypervolume }) => hypervolume.published)).toEqual([1, 3, 2, null]);
  });
});
