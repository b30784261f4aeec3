import { describe, expect, it } from 'vitest';
import { loopFields } from '../../training/index.js';
import { planReproduction } from '../plan.js';
import { ftnBudgets, sharedSettings } from './budgets.js';
import { ftn } from './experiment.js';

describe('the plan of the fruit-tree table', () => {
  it('trains every method at every depth with every seed, a seed after the other', () => {
    const { jobs } = planReproduction(ftn, { budget: 'small', seeds: 2 });
    expect(jobs).toHaveLength(30);
    expect(jobs.slice(0, 6).map(({ name }) => name)).toEqual([
      'fruit-tree-d5-envelope-seed1',
      'fruit-tree-d5-pd-ddqn-published-seed1',
      'fruit-tree-d5-pd-ddqn-seed1',
      'fruit-tree-d5-psl-ddqn-published-seed1',
      'fruit-tree-d5-psl-ddqn-seed1',
      'fruit-tree-d6-envelope-seed1',
    ]);
    expect(jobs.slice(15).every(({ plan }) => plan.seed === 2)).toBe(true);
    expect(new Set(jobs.map(({ name }) => name)).size).toBe(30);
  });

  it.each(Object.keys(ftnBudgets).filter((name) => ftnBudgets[name].isShared))(
    'lets all methods spend, explore, observe and be scored alike with the budget %s',
    (budget) => {
      const { jobs, cases } = planReproduction(ftn, { budget, seeds: 1 });
      for (const { env } of cases) {
        const ofEnv = jobs.filter(({ plan }) => plan.env === env);
        const [published, tuned] = [true, false].map((want) =>
          ofEnv.filter(({ methods: [{ preset }] }) => (preset === 'paper') === want),
        );
        expect(published).toHaveLength(2);
        for (const { plan } of published) {
          expect(plan).toMatchObject({ preset: 'paper', envOptions: { encoding: 'row-column' } });
          const { steps, evaluations, evaluationDivisions, episodes, keep } = tuned[0].plan.config;
          expect(plan.config).toMatchObject({ steps, evaluations, evaluationDivisions, episodes, keep, batch: 32 });
        }
        const [first, ...others] = tuned.map(({ plan }) => plan);
        expect(others).toHaveLength(2);
        for (const { config, envOptions } of others) {
          for (const name of [...Object.keys(loopFields), ...sharedSettings]) {
            expect([name, config[name]]).toEqual([name, first.config[name]]);
          }
          expect(envOptions).toEqual(first.envOptions);
        }
      }
    },
  );

  it('has the published settings and encoding with the budget paper', () => {
    const { jobs, seeds } = planReproduction(ftn, { budget: 'paper' });
    expect(seeds).toBe(6);
    expect(new Set(jobs.map(({ methods: [{ key }] }) => key))).toEqual(
      new Set(['envelope', 'pd-ddqn-published', 'psl-ddqn-published']),
    );
    const psl = jobs.find(
      ({ plan, methods: [method] }) => plan.env === 'fruit-tree-d7' && method.key === 'psl-ddqn-published',
    )!.plan;
    expect(psl).toMatchObject({ preset: 'paper', envOptions: { encoding: 'row-column' } });
    expect(psl.config).toMatchObject({ steps: 1_000_000, batch: 32, alpha: 0.1, selection: 'angle' });
  });

  it('takes depths and methods in the order of the table', () => {
    const { cases, methods } = planReproduction(ftn, { cases: [7, 5], methods: ['psl-ddqn', 'envelope'] });
    expect(cases.map(({ key }) => key)).toEqual([5, 7]);
    expect(methods.map(({ label }) => label)).toEqual(['Envelope', 'PSL-MORL, tuned']);
  });

  it.each([
    [{ budget: 'smal' }, 'budget is "smal" (did you mean "small"?), but must be one of: tiny, small, paper.'],
    [{ seeds: 0 }, 'seeds is 0, but must be an integer from 1 to 1000.'],
    [{ cases: [8] }, 'depths is 8, but must be one or more of: 5, 6, 7.'],
    [{ cases: [] }, 'depths is empty, but must be one or more of: 5, 6, 7.'],
    [
      { methods: ['ppo'] },
      'methods is "ppo", but must be one of: envelope, pd-ddqn-published, pd-ddqn, psl-ddqn-published, psl-ddqn.',
    ],
  ])('refuses %o', (request, message) => {
    expect(() => planReproduction(ftn, request)).toThrow(new RangeError(message));
  });
});
