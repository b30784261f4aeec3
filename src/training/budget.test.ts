import { describe, expect, it } from 'vitest';
import { budgetNotes, stepsTaken } from './budget.js';
import { planTraining } from './plan.js';

const planOf = (env: string, algorithm: string, settings: Readonly<Record<string, unknown>>) =>
  planTraining({ env, algorithm, settings });

describe('the steps that a training takes', () => {
  it.each([
    ['psl-ddqn', 'fruit-tree-d5', { steps: 1000, children: 10 }, 1000],
    ['psl-ddqn', 'fruit-tree-d5', { steps: 1005, children: 10 }, 1010],
    ['psl-ppo', 'mo-swimmer-v2', { steps: 20_000, children: 64, horizon: 128 }, 16_384],
    // Six tasks in four environments each.
    ['pg-morl', 'mo-swimmer-v2', { steps: 20_000, children: 4, horizon: 512 }, 12_288],
    // Fifteen tasks for three objectives.
    ['ra', 'mo-hopper-v3', { steps: 100_000, children: 4, horizon: 512 }, 92_160],
  ])('are those of whole iterations (%s on %s with %o)', (algorithm, env, settings, taken) => {
    expect(stepsTaken(planOf(env, algorithm, settings))).toBe(taken);
  });

  it('are not spoken of where they are those that were asked for', () => {
    expect(budgetNotes(planOf('fruit-tree-d5', 'psl-ddqn', { steps: 2000 }))).toEqual([]);
    const whole = { steps: 12_288 * (12 + 2 * 4), warmup: 12, generation: 4 };
    expect(budgetNotes(planOf('mo-swimmer-v2', 'pg-morl', whole))).toEqual([]);
  });

  it('are said in a sentence where they are others', () => {
    expect(budgetNotes(planOf('fruit-tree-d5', 'psl-ddqn', { steps: 2005 }))).toEqual([
      '2010 steps are taken instead of 2005: 201 whole iterations of 10 (10 children)',
    ]);
    expect(budgetNotes(planOf('mo-swimmer-v2', 'psl-ppo', { steps: 10_000 }))).toEqual([
      '8192 of 10000 steps are taken: 1 whole iteration of 8192 (64 children x 128 steps)',
    ]);
  });

  it('are said with what becomes of generations where they do not hold whole ones', () => {
    const notes = (steps: number, algorithm = 'pg-morl') =>
      budgetNotes(planOf('mo-swimmer-v2', algorithm, { steps, warmup: 12, generation: 4 }));
    expect(notes(20_000)).toEqual([
      '12288 of 20000 steps are taken: 1 whole iteration of 12288 (6 tasks x 4 children x 512 steps)',
      'that is 1 of the 12 iterations of the first generation alone; tasks are chosen anew with at least 159744 steps',
    ]);
    expect(notes(12 * 12_288)).toEqual([
      'that is the first generation alone; tasks are chosen anew with at least 159744 steps',
    ]);
    expect(notes(15 * 12_288)).toEqual(['the last generation has 3 iterations instead of 4']);
    // A meta-policy has no warm-up.
    expect(notes(4 * 12_288, 'meta')).toEqual([
      'that is the first generation alone; tasks are chosen anew with at least 61440 steps',
    ]);
  });

  it('are said to teach nothing where learning would begin after them', () => {
    // An iteration learns from what those before it have gathered.
    expect(budgetNotes(planOf('fruit-tree-d5', 'psl-ddqn', { steps: 100, learnAfter: 100 }))).toEqual([
      'nothing will be learned, because learnAfter is 100 and steps is 100',
    ]);
    expect(budgetNotes(planOf('fruit-tree-d5', 'psl-ddqn', { steps: 100, learnAfter: 90 }))).toEqual([]);
  });
});
