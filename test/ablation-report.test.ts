/** The report of the ablation, whose table is the paper's. */
import { describe, expect, it } from 'vitest';
import { runsOf } from '../src/experiments/job.js';
import { ablation } from '../src/experiments/mujoco/ablation/experiment.js';
import { planReproduction } from '../src/experiments/plan.js';
import { reportOf } from '../src/experiments/report.js';
import { protocolOf } from '../src/training/index.js';
import { outcomeOf } from './support/outcome.js';

describe('the report of the ablation', () => {
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
