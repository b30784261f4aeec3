import { describe, expect, it } from 'vitest';
import { ftn, mujoco, planReproduction, reportOf } from '../src/experiments/index.js';
import { findingsOf } from '../src/experiments/report-findings.js';
import { runsOf } from '../src/experiments/job.js';
import { outcomeOf, reportAsPrinted } from './support/outcome.js';

const found = (...args: Parameters<typeof reportAsPrinted>) => findingsOf(mujoco, reportAsPrinted(...args));
const swimmer = (methods: readonly string[], seeds: number) => ({ budget: 'million', cases: ['mo-swimmer-v2'], methods, seeds }); // oxfmt-ignore

const inPaper = mujoco.methods.map(({ key }) => key).filter((key) => !['psl-ppo', 'pd-td3', 'psl-td3'].includes(key));

describe('findingsOf', () => {
  it("finds nothing amiss in the paper's own numbers", () => {
    const { departures, agreements } = found(mujoco, { budget: 'paper', methods: inPaper, seeds: 2 });
    expect(departures).toEqual(['Nothing: all that the paper prints came out here.']);
    expect(agreements).toContain(
      'The best average rank in hypervolume is that of PSL-MORL (as published), 1.8, as in the paper.',
    );
    // The paper has PD-MORL ahead on the walker, and RA, MOEA/D and PG-MORL on the hopper.
    expect(agreements).toContain(
      'PSL-MORL (as published) is ahead of PD-MORL (as published) on MO-HalfCheetah-v2 (p = 0.33), MO-Ant-v2 (p = 0.33), MO-Swimmer-v2 (p = 0.33), MO-Hopper-v2 (p = 0.33).',
    );
  });

  it('says by how much a hypervolume is off, and with what part of the steps', () => {
    const { departures } = found(mujoco, swimmer(['pd-td3', 'psl-td3'], 2), (key) => (key === 'psl-td3' ? 0.8 : 1));
    expect(departures).toEqual([
      'On MO-Swimmer-v2 PD-MORL (tuned) is ahead of PSL-MORL (tuned), 3.21e4 against 2.58e4; in the paper PSL-MORL is. PSL-MORL (tuned) has more with probability 0.00 (0.00 to 0.00), p = 0.33.',
      "The hypervolume of PSL-MORL (tuned) is below the paper's on MO-Swimmer-v2 (2.58e4 against 3.22e4, 20 % less, with 10 % of the published steps).",
    ]);
  });

  it('ranks no sparsity among one, and says why the best of the paper has no rank', () => {
    const three = swimmer(['ra', 'pd-td3', 'psl-td3'], 2);
    const { departures, agreements } = found(mujoco, three, (key) =>
      key === 'psl-td3' ? 0.5 : key === 'ra' ? 1.3 : 1,
    );
    expect(departures).toContain(
      'The best rank in sparsity is that of PD-MORL (tuned), 1.0; in the paper it is that of PSL-MORL, 1.0, which has too little hypervolume here to be ranked.',
    );
    const alone = found(mujoco, swimmer(['pd-td3', 'psl-td3'], 2), (key) => (key === 'pd-td3' ? 0.5 : 1));
    expect([...alone.departures, ...alone.agreements].join()).not.toContain('sparsity');
    expect(agreements.join()).not.toContain('sparsity');
    const all = { ...three, methods: ['moead', 'pg-morl', 'pd-td3', 'psl-td3'], cases: undefined };
    const below = found(mujoco, all, (key) => (key === 'pg-morl' ? 3 : 1));
    expect(below.departures.join()).not.toContain('has too little hypervolume here to be ranked');
  });

  it('takes neither what the paper has as equal nor what it lacks for agreement', () => {
    const trees = { budget: 'small', cases: [5], methods: ['pd-ddqn', 'psl-ddqn'], seeds: 2 };
    const { departures, agreements } = findingsOf(
      ftn,
      reportAsPrinted(ftn, trees, (key) => (key === 'pd-ddqn' ? 0.9 : 1)),
    );
    expect(departures.join()).toContain(
      'is ahead of PD-MORL (tuned), 6920.58 against 6228.52; in the paper they are equal.',
    );
    expect(agreements.join()).not.toContain('is ahead of');
    const reproduction = planReproduction(mujoco, swimmer(['psl-td3', 'psl-ppo'], 2));
    const volumes = [32_200, 32_200, 10_000, 10_000];
    const outcomes = reproduction.jobs.map((job, i) => outcomeOf(runsOf(job)[0], volumes[i], 5));
    const beside = findingsOf(mujoco, reportOf(reproduction, outcomes, 'out'));
    expect([...beside.departures, ...beside.agreements].join()).not.toContain('PSL-PPO');
  });

  it('does not take a wide interval for agreement', () => {
    const { departures } = found(mujoco, swimmer(['psl-td3'], 3), (_, seed) => (seed === 1 ? 1.05 : 0.3));
    expect(departures.join()).toContain('of the published steps, though the interval of the seeds holds it).');
  });

  it('says nothing of intervals and tests where there is one seed', () => {
    const { departures } = found(mujoco, swimmer(['pd-td3', 'psl-td3'], 1), (key) => (key === 'psl-td3' ? 0.992 : 1));
    expect(departures).toEqual([
      'On MO-Swimmer-v2 PD-MORL (tuned) is ahead of PSL-MORL (tuned), 3.21e4 against 3.19e4; in the paper PSL-MORL is. PSL-MORL (tuned) has more with probability 0.00.',
    ]);
  });

  it('says that runs are missing', () => {
    const reproduction = planReproduction(mujoco, { seeds: 1, cases: ['mo-ant-v2'] });
    expect(findingsOf(mujoco, reportOf(reproduction, [], 'out'))).toEqual({
      departures: ['11 of 11 runs are missing, and with them what they would show.'],
      agreements: [],
    });
  });
});
