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
    const { departures, agreements } = found(mujoco, { budget: 'paper', methods: inPaper, seeds: 4 });
    expect(departures).toEqual(['Nothing: all that the paper prints of what was trained came out here.']);
    expect(agreements).toContain(
      'The best average rank in hypervolume is that of PSL-MORL (as published), 1.8, as in the paper.',
    );
    // The paper has PD-MORL ahead on the walker, and RA, MOEA/D and PG-MORL on the hopper.
    expect(agreements).toContain(
      'PSL-MORL (as published) is ahead of PD-MORL (as published) on MO-HalfCheetah-v2 (p = 0.029), MO-Ant-v2 (p = 0.029), MO-Swimmer-v2 (p = 0.029), MO-Hopper-v2 (p = 0.029).',
    );
    expect(agreements).toContain(
      'PD-MORL (as published) is ahead of PSL-MORL (as published) on MO-Walker2d-v2 (p = 0.029).',
    );
  });

  it('calls nothing decided by three seeds, of which chance alone makes as much', () => {
    const { departures, undecided, agreements } = found(mujoco, { budget: 'paper', methods: inPaper, seeds: 3 });
    expect(departures).toEqual(['Nothing that these seeds decide.']);
    expect(agreements.join()).not.toContain('is ahead of');
    expect(undecided).toContain(
      'PD-MORL (as published) is ahead of PSL-MORL (as published) on MO-Walker2d-v2 (p = 0.10).',
    );
  });

  it('says by how much a hypervolume is off, and with what part of the steps', () => {
    const { departures } = found(mujoco, swimmer(['pd-td3', 'psl-td3'], 4), (key) => (key === 'psl-td3' ? 0.8 : 1));
    expect(departures).toEqual([
      'On MO-Swimmer-v2 PD-MORL (tuned) is ahead of PSL-MORL (tuned), 3.21e4 against 2.58e4; in the paper PSL-MORL is. PSL-MORL (tuned) has more with probability 0.00 (0.00 to 0.00), p = 0.029.',
      "The hypervolume of PSL-MORL (tuned) is below the paper's on MO-Swimmer-v2 (2.58e4 against 3.22e4, 20 % less, with 10 % of the published steps).",
    ]);
  });

  it('ranks no sparsity among one, and says why the best of the paper has no rank', () => {
    const three = swimmer(['ra', 'pd-td3', 'psl-td3'], 4);
    const { undecided, agreements } = found(mujoco, three, (key) => (key === 'psl-td3' ? 0.5 : key === 'ra' ? 1.3 : 1));
    expect(undecided).toContain(
      'The best rank in sparsity is that of PD-MORL (tuned), 1.0; in the paper it is that of PSL-MORL, 1.0, which has too little hypervolume here to be ranked; among those ranked here it is that of PD-MORL.',
    );
    const alone = found(mujoco, swimmer(['pd-td3', 'psl-td3'], 4), (key) => (key === 'pd-td3' ? 0.5 : 1));
    expect([...alone.departures, ...alone.agreements].join()).not.toContain('sparsity');
    expect(agreements.join()).not.toContain('sparsity');
    const all = { ...three, methods: ['moead', 'pg-morl', 'pd-td3', 'psl-td3'], cases: undefined };
    const below = found(mujoco, all, (key) => (key === 'pg-morl' ? 3 : 1));
    expect(below.departures.join()).not.toContain('has too little hypervolume here to be ranked');
  });

  it('takes neither what the paper has as equal nor what it lacks for agreement', () => {
    const trees = { budget: 'small', cases: [5], methods: ['pd-ddqn', 'psl-ddqn'], seeds: 4 };
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

  it('takes neither an order that seeds do not decide nor what is below its range for agreement', () => {
    // Of 16 pairs of seeds 12 are won, and of the 70 ways to deal them out 34 have means as far apart.
    const few = swimmer(['pg-morl', 'pd-td3', 'psl-td3'], 4);
    const findings = found(mujoco, few, (key, seed) =>
      key === 'psl-td3' ? [1.02, 0.9, 1.04, 1.06][seed - 1] : key === 'pd-td3' ? [0.98, 1.01, 1.03, 0.8][seed - 1] : 1,
    );
    const order = 'PSL-MORL (tuned) is ahead of PD-MORL (tuned) on MO-Swimmer-v2 (p = 0.49).';
    expect(findings.undecided).toEqual([order]);
    expect(findings.agreements.join()).not.toContain('is ahead of');
    expect(findings.agreements.join()).not.toContain('PG-MORL');
  });

  it('does not take an average rank for agreement that seeds do not decide', () => {
    const both = { budget: 'million', cases: ['mo-swimmer-v2', 'mo-ant-v2'], methods: ['pd-td3', 'psl-td3'] };
    const best = 'The best average rank in hypervolume is that of PSL-MORL (tuned), 1.0, as in the paper.';
    expect(found(mujoco, { ...both, seeds: 4 }).agreements).toContain(best);
    expect(found(mujoco, { ...both, seeds: 1 })).toMatchObject({
      undecided: expect.arrayContaining([best]) as string[],
    });
  });

  it('takes a hypervolume for that of the paper with as many steps alone', () => {
    const same =
      "The hypervolume of RA is the paper's within 1 %, or 5 % and the interval of the seeds, on MO-Swimmer-v2.";
    const methods = { cases: ['mo-swimmer-v2'], methods: ['ra'], seeds: 2 };
    expect(found(mujoco, { ...methods, budget: 'paper' }).agreements).toContain(same);
    expect(found(mujoco, { ...methods, budget: 'million' }).agreements).toEqual([]);
  });

  it('says who is first where there is nothing that all others are compared with', () => {
    const populations = {
      budget: 'paper',
      cases: ['mo-swimmer-v2'],
      methods: ['moead', 'random', 'pg-morl'],
      seeds: 4,
    };
    const { departures } = found(mujoco, populations, (key) => (key === 'pg-morl' ? 0.8 : 1));
    expect(departures.slice(0, 2)).toEqual([
      'On MO-Swimmer-v2 RANDOM is ahead of PG-MORL, 2.38e4 against 2.06e4; in the paper PG-MORL is. PG-MORL has more with probability 0.00 (0.00 to 0.00), p = 0.029.',
      'The best rank in hypervolume is that of MOEA/D, 1.0; in the paper it is that of PG-MORL, 1.0, which has 3.0 here.',
    ]);
    const below = found(mujoco, { ...populations, budget: 'million' }, (key) => (key === 'pg-morl' ? 0.8 : 1));
    expect(below.departures[0]).toMatch(/p = 0\.029\. This budget is below the range of both\.$/);
  });

  it('says nothing of intervals and tests where there is one seed', () => {
    const { departures, undecided } = found(mujoco, swimmer(['pd-td3', 'psl-td3'], 1), (key) =>
      key === 'psl-td3' ? 0.992 : 1,
    );
    expect(departures).toEqual(['Nothing that these seeds decide.']);
    expect(undecided).toEqual([
      'On MO-Swimmer-v2 PD-MORL (tuned) is ahead of PSL-MORL (tuned), 3.21e4 against 3.19e4; in the paper PSL-MORL is. PSL-MORL (tuned) has more with probability 0.00.',
      'The best rank in sparsity is that of PSL-MORL (tuned), 1.0, as in the paper.',
    ]);
  });

  it('says that runs are missing', () => {
    const reproduction = planReproduction(mujoco, { seeds: 1, cases: ['mo-ant-v2'] });
    expect(findingsOf(mujoco, reportOf(reproduction, [], 'out'))).toEqual({
      departures: ['11 of 11 runs are missing, and with them what they would show.'],
      undecided: [],
      agreements: [],
    });
  });
});
