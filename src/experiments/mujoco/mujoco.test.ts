import { describe, expect, it } from 'vitest';
import { envInfo } from '../../envs/index.js';
import { runsOf, type Outcome, type PlannedRun } from '../job.js';
import { planReproduction } from '../plan.js';
import { markdownOf, reportOf } from '../report.js';
import { mujoco } from './experiment.js';

describe('the plan of the table of robots', () => {
  it('trains every method on every robot with every seed, a seed after the other', () => {
    const { jobs } = planReproduction(mujoco, { budget: 'small', seeds: 2 });
    expect(jobs).toHaveLength(11 * 5 * 2);
    expect(jobs.slice(0, 2).map(({ name }) => name)).toEqual(['mo-walker2d-v2-ra-seed1', 'mo-walker2d-v2-pfa-seed1']);
    expect(jobs.slice(55).every(({ plan }) => plan.seed === 2)).toBe(true);
    expect(new Set(jobs.map(({ name }) => name)).size).toBe(110);
  });

  it.each(Object.keys(mujoco.budgets))(
    'has all methods play the same robots, and as long with equal budgets: %s',
    (budget) => {
      const { jobs, cases } = planReproduction(mujoco, { budget, seeds: 1 });
      for (const { env } of cases) {
        const plans = jobs.filter(({ plan }) => plan.env === env).map(({ plan }) => plan);
        expect(plans).toHaveLength(budget === 'paper' ? 9 : 11);
        expect(new Set(plans.map(({ envOptions }) => JSON.stringify(envOptions))).size).toBe(1);
        if (budget === 'paper') continue;
        expect(new Set(plans.map(({ config }) => config.steps)).size).toBe(1);
        expect(new Set(plans.map(({ config }) => `${config.evaluationDivisions} ${config.episodes}`)).size).toBe(1);
      }
    },
  );

  it('has the published budgets with the budget paper', () => {
    const { jobs, seeds } = planReproduction(mujoco, { budget: 'paper' });
    expect(seeds).toBe(6);
    const configOf = (name: string) => jobs.find((job) => job.name === `${name}-seed1`)!.plan.config;
    // Steps of a task times six, in iterations of 4 x 2048 steps.
    expect(configOf('mo-walker2d-v2-pg-morl')).toMatchObject({ steps: 30_000_000, warmup: 80, generation: 20 });
    expect(configOf('mo-ant-v2-ra')).toMatchObject({ steps: 48_000_000, warmup: 200, generation: 40, horizon: 2048 });
    expect(configOf('mo-swimmer-v2-pfa')).toMatchObject({ steps: 12_000_000, warmup: 40, generation: 10, children: 4 });
    expect(configOf('mo-swimmer-v2-psl-td3-published')).toMatchObject({
      ...{ steps: 10_000_000, alpha: 0.01 },
      ...{ evaluationDivisions: 200, episodes: 3 },
    });
    expect(configOf('mo-swimmer-v2-pfa')).toMatchObject({ episodes: 1 });
  });

  it('trains methods as published with the steps of the budget, scored as the tuned ones are', () => {
    const { jobs } = planReproduction(mujoco, { budget: 'million', seeds: 1, cases: ['mo-ant-v2'] });
    const planOf = (key: string) => jobs.find(({ methods }) => methods[0].key === key)!.plan;
    const [published, tuned] = [planOf('psl-td3-published'), planOf('psl-td3')];
    expect(published).toMatchObject({ preset: 'paper', envOptions: tuned.envOptions });
    expect(published.config).toMatchObject({ alpha: 0.01, normalise: false, groups: 256, criticAngle: 1 });
    expect(tuned).toMatchObject({ preset: 'best', config: { alpha: 0.05, normalise: true } });
    for (const field of ['steps', 'evaluations', 'evaluationDivisions', 'episodes', 'keep']) {
      expect([field, published.config[field]]).toEqual([field, tuned.config[field]]);
    }
  });

  it.each([
    ['mo-walker2d-v2', 12, 3],
    ['mo-swimmer-v2', 12, 3],
    ['mo-ant-v2', 15, 3],
  ])('keeps the published proportions of generations on %s', (env, warmup, generation) => {
    // A million steps are 81 iterations: 3 of them are 20 of 610, 10 of 244 and 40 of 976.
    const { jobs } = planReproduction(mujoco, {
      budget: 'million',
      seeds: 1,
      cases: [env],
      methods: ['pg-morl', 'meta'],
    });
    for (const { plan } of jobs) expect(plan.config).toMatchObject({ warmup, generation });
  });

  it('takes robots and methods in the order of the table', () => {
    const { cases, methods } = planReproduction(mujoco, {
      cases: ['mo-hopper-v2', 'mo-ant-v2'],
      methods: ['psl-td3', 'ra'],
    });
    expect(cases.map(({ label }) => label)).toEqual(['MO-Ant-v2', 'MO-Hopper-v2']);
    expect(methods.map(({ label }) => label)).toEqual(['RA', 'PSL-MORL, tuned']);
  });

  it.each([
    [{ budget: 'smal' }, 'budget is "smal" (did you mean "small"?), but must be one of: tiny, small, million, paper.'],
    [{ seeds: 1001 }, 'seeds is 1001, but must be an integer from 1 to 1000.'],
    [{ cases: [] }, 'envs is empty, but must be one or more of: '],
    [{ cases: ['mo-hopper-v3'] }, 'envs is "mo-hopper-v3" (did you mean "mo-hopper-v2"?), but must be one of: '],
  ])('refuses %o', (request, message) => {
    expect(() => planReproduction(mujoco, request)).toThrow(message);
  });
});

describe('the report of the table of robots', () => {
  it("has the paper's table and its ranks, also before anything is trained", () => {
    const reproduction = planReproduction(mujoco);
    const report = reportOf(reproduction, [], 'out');
    expect(report).toMatchObject({ stopped: true, runs: { planned: 165, finished: 0 } });
    const { head, rows } = mujoco.layout.table(report);
    expect(head.slice(2).join('; ')).toBe(
      'RA; PFA; MOEA/D; RANDOM; PG-MORL; META; PD-MORL, as published; PD-MORL, tuned; PSL-MORL, as published; PSL-MORL, tuned; PSL-PPO',
    );
    expect(rows[0].join()).toBe('MO-Walker2d-v2,HV (x 1e6) paper,4.82,4.16,4.44,4.11,4.82,2.10,5.41,5.41,5.36,5.36,-');
    expect(rows[1].slice(2)).toEqual(new Array(11).fill('-'));
    const swimmer = rows.findIndex(([where, what]) => where === 'MO-Swimmer-v2' && what.startsWith('SP'));
    expect(rows[swimmer].slice(0, 3)).toEqual(['MO-Swimmer-v2', 'SP (x 1e1) paper', '4.43']);
    // As the paper prints them.
    const average = rows.filter(([where, what]) => where === 'Average rank' && what.endsWith('paper'));
    expect(average.map((row) => row.slice(2).join(' '))).toEqual([
      '5.1 5.2 4.2 6.1 2.9 8.0 - 2.7 - 1.8 -',
      '6.7 5.9 7.0 4.2 2.3 6.1 - 2.2 - 1.6 -',
    ]);
    expect(markdownOf(reproduction, report)).toContain('Not complete: 165 of 165 runs are missing.');
  });

  it('has means, spreads and ranks of what came out', () => {
    const reproduction = planReproduction(mujoco, {
      cases: ['mo-swimmer-v2'],
      methods: ['ra', 'pd-td3', 'psl-ppo'],
      seeds: 2,
    });
    const volumes = [10_000, 20_000, 90_000, 12_000, 24_000, 90_000];
    // The first method has a population.
    const outcomes = reproduction.jobs.map((job, i) => ({
      ...outcome(runsOf(job)[0], volumes[i], i === 0 ? null : 10 + i),
      regret: i % 3 === 0 ? null : { mean: i / 100, worst: 0.5, below80: 0 },
    }));
    const report = reportOf(reproduction, outcomes, 'out');
    const { rows } = mujoco.layout.table(report);
    expect(rows.map((row) => row.slice(1))).toEqual([
      ['HV (x 1e4) paper', '2.33', '3.21', '-'],
      ['HV (x 1e4) ours, IQM', '1.10 (1.00 to 1.20)', '2.20 (2.00 to 2.40)', '9.00 (9.00 to 9.00)'],
      ['HV (x 1e4) ours, mean', '1.10±0.14', '2.20±0.28', '9.00±0.00'],
      ['SP (x 1e1) paper', '4.43', '0.57', '-'],
      ['SP (x 1e1) ours, IQM', '1.30 (one seed)', '1.25 (1.10 to 1.40)', '1.35 (1.20 to 1.50)'],
      ['SP (x 1e1) ours, mean', '1.30', '1.25±0.21', '1.35±0.21'],
      ['regret, IQM', '-', '2.5 % (1.0 % to 4.0 %)', '3.5 % (2.0 % to 5.0 %)'],
      ['steps', '99840', '99840', '99840'],
      ['seeds', '2', '2', '2'],
      ['HV paper', '2.0', '1.0', '-'],
      ['HV ours', '2.0', '1.0', '-'],
      ['SP paper', '2.0', '1.0', '-'],
      // Half the hypervolume is not comparable, and a rank among one says nothing.
      ['SP ours', '-', '-', '-'],
    ]);
    expect(report.stopped).toBe(false);
  });

  it('gives no rank to a population whose budget is below its range, nor to settings that are also there tuned', () => {
    const unranked = (budget: string) => {
      const { entries } = reportOf(planReproduction(mujoco, { budget, seeds: 1, cases: ['mo-swimmer-v2'] }), [], 'out');
      return Object.fromEntries(entries.map(({ key, unranked: reason }) => [key, reason]));
    };
    expect(unranked('million')).toEqual({
      ra: null,
      pfa: 'below its range',
      moead: 'below its range',
      random: 'below its range',
      'pg-morl': 'below its range',
      meta: 'below its range',
      'pd-td3-published': 'its tuned settings are ranked',
      'pd-td3': null,
      'psl-td3-published': 'its tuned settings are ranked',
      'psl-td3': null,
      'psl-ppo': 'not in the paper',
    });
    expect(unranked('paper')).toMatchObject({ 'pg-morl': null, 'psl-td3-published': null });
  });

  it('gives no rank to settings as published beside others that are tuned, but one where none are', () => {
    const unranked = (methods: string[]) => {
      const reproduction = planReproduction(mujoco, { budget: 'million', seeds: 1, cases: ['mo-swimmer-v2'], methods });
      const { entries, notes } = reportOf(reproduction, [], 'out');
      return { reasons: entries.map(({ unranked: reason }) => reason), notes: notes.join('\n') };
    };
    const mixed = unranked(['pd-td3-published', 'psl-td3']);
    expect(mixed.reasons).toEqual(['others are tuned', null]);
    expect(mixed.notes).toContain('Ranks are those of the tuned settings.');
    const published = unranked(['pd-td3-published', 'psl-td3-published']);
    expect(published.reasons).toEqual([null, null]);
    expect(published.notes).toContain('Methods as published have the settings and observations of the paper preset');
    expect(published.notes).not.toContain('the best preset');
    expect(published.notes).not.toContain('Ranks are those of the tuned settings.');
  });

  it("ranks the paper's numbers also among the methods that are ranked here, where those are fewer", () => {
    const methods = ['ra', 'pg-morl', 'pd-td3'];
    const reproduction = planReproduction(mujoco, { budget: 'million', cases: ['mo-hopper-v2'], methods, seeds: 1 });
    const outcomes = reproduction.jobs.map((job, i) => outcome(runsOf(job)[0], 1000 * (i + 1), 10));
    const { rows } = mujoco.layout.table(reportOf(reproduction, outcomes, 'out'));
    expect(rows.filter(([where]) => where === 'Average rank').map((row) => row.slice(1))).toEqual([
      ['HV paper', '2.0', '1.0', '3.0'],
      ['HV paper, among those ranked here', '1.0', '-', '2.0'],
      ['HV ours', '2.0', '-', '1.0'],
      ['SP paper', '3.0', '2.0', '1.0'],
      ['SP ours', '-', '-', '-'],
    ]);
  });

  it('says by which command, and what of the budget is not in it', () => {
    const { notes } = reportOf(
      planReproduction(mujoco, {
        budget: 'paper',
        cases: ['mo-ant-v2'],
        methods: ['ra', 'pfa'],
        seeds: 2,
        firstSeed: 3,
      }),
      [],
      'out',
    );
    expect(notes[0]).toBe(
      'Command: psl reproduce mujoco --budget paper --envs mo-ant-v2 --methods ra,pfa --first-seed 3 --seeds 2',
    );
    expect(notes).toContain(
      'Of this budget, but not in this report: MOEA/D, RANDOM, PG-MORL, META, PD-MORL (as published), PSL-MORL (as published), PSL-PPO on every robot; every method on MO-Walker2d-v2, MO-HalfCheetah-v2, MO-Swimmer-v2, MO-Hopper-v2.',
    );
  });

  it('says what is compared', () => {
    const [small, paper] = ['small', 'paper'].map((budget) =>
      reportOf(planReproduction(mujoco, { budget, seeds: 1 }), [], 'out').notes.join('\n'),
    );
    expect(small).toContain('All methods may take the same number of environment steps (mo-walker2d-v2: 100000');
    expect(small).toContain('reset noise pd-morl');
    expect(small).toContain('played at 101 of them');
    expect(small).toContain('every policy that was not dominated');
    expect(paper).toContain('do not take the same number of environment steps, as published');
    expect(paper).toContain('pg-morl 30000000');
    expect(paper).toContain('published key solutions');
  });
});

function outcome({ method, plan }: PlannedRun, hypervolume: number, sparsity: number | null): Outcome {
  const { referencePoint } = envInfo(plan.env);
  return {
    method,
    plan,
    seed: plan.seed,
    run: 'run',
    hypervolume,
    chosenBy: hypervolume,
    last: hypervolume,
    sparsity: { distinct: sparsity, published: sparsity ?? 0 },
    expectedUtility: 1,
    points: 3,
    coverageF1: null,
    regret: null,
    envSteps: 99_840,
    gradientSteps: 100,
    evaluationSteps: 5000,
    seconds: 1,
    machine: null,
    device: 'cpu',
    protocol: { referencePoint } as unknown as Outcome['protocol'],
    versions: { psl: '0.1.0' },
    isReused: false,
    front: [],
    curve: [],
  };
}
