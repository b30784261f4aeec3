import { describe, expect, it } from 'vitest';
import { envInfo } from '../envs/index.js';
import { evaluationPreferences } from './definition.js';
import { planTraining } from './plan.js';
import type { TrainingRequest } from './plan.js';

/** What is evaluated in a training of so many steps, and the most steps that it takes. */
function evaluated(env: string, steps: number, { settings, ...request }: Partial<TrainingRequest> = {}) {
  const plan = planTraining({ env, ...request, settings: { steps, ...settings } });
  const { evaluations, episodes } = plan.config;
  const preferences = evaluationPreferences(plan).length;
  return { evaluations, preferences, steps: evaluations * preferences * episodes * envInfo(env).horizon };
}

describe('the evaluations of a training', () => {
  it.each([
    ['mo-swimmer-v2', 200_000, 20],
    ['mo-halfcheetah-v2', 60_000, 12],
    ['mo-halfcheetah-v2', 5_000_000, 12],
  ])('on %s with %i steps are those of the preset, which has no more', (env, steps, evaluations) => {
    expect(evaluated(env, steps)).toMatchObject({ evaluations, preferences: 101 });
  });

  it('are one of eleven preferences in the shortest one', () => {
    // Twenty of 101 preferences, 500 steps each, would be a million.
    expect(evaluated('mo-swimmer-v2', 4_000)).toEqual({ evaluations: 1, preferences: 11, steps: 5_500 });
    expect(evaluated('mo-swimmer-v2', 1)).toEqual({ evaluations: 1, preferences: 11, steps: 5_500 });
  });

  it('come as often as in the preset, on a grid that gets coarser as long as they take more steps than training', () => {
    expect(evaluated('mo-swimmer-v2', 150_000)).toMatchObject({ evaluations: 15, preferences: 51 });
    expect(evaluated('mo-swimmer-v2', 60_000)).toMatchObject({ evaluations: 6, preferences: 26 });
    expect(evaluated('mo-swimmer-v2', 20_000)).toEqual({ evaluations: 2, preferences: 21, steps: 21_000 });
    // In best they take no more steps than training anyway.
    for (const steps of [50_000, 300_000, 999_999]) {
      const { evaluations, preferences } = evaluated('mo-walker2d-v2', steps, { preset: 'best' });
      expect({ evaluations, preferences }).toEqual({ evaluations: Math.floor(steps / 50_000), preferences: 101 });
    }
  });

  it.each(['best', 'quick'] as const)('take no fewer steps where training takes more, with %s', (preset) => {
    let before = 0;
    for (let steps = 1000; steps <= 1_000_000; steps *= 2) {
      const now = evaluated('mo-halfcheetah-v2', steps, { preset }).steps;
      expect(now).toBeGreaterThanOrEqual(before);
      before = now;
    }
  });

  it('play some of the preferences that the preset plays', () => {
    const played = (settings: Readonly<Record<string, unknown>>) =>
      evaluationPreferences(planTraining({ env: 'mo-swimmer-v2', settings })).map(([first]) => first.toFixed(9));
    const all = played({});
    for (const steps of [1_000, 30_000, 80_000, 180_000])
      expect(all).toEqual(expect.arrayContaining(played({ steps })));
  });

  it('are what was asked for', () => {
    const settings = { evaluations: 7, evaluationDivisions: 33 };
    expect(evaluated('mo-swimmer-v2', 5_000, { settings })).toMatchObject({ evaluations: 7, preferences: 34 });
    expect(evaluated('mo-swimmer-v2', 5_000, { settings: { evaluations: 7 } })).toMatchObject({ evaluations: 7 });
  });

  it('do not follow the steps in the preset paper, where actions are discrete, and in a population', () => {
    expect(evaluated('mo-swimmer-v2', 5_000, { preset: 'paper' })).toMatchObject({
      evaluations: 200,
      preferences: 201,
    });
    expect(evaluated('fruit-tree-d5', 500)).toMatchObject({ evaluations: 10, preferences: 2568 });
    const population = evaluated('mo-swimmer-v2', 50_000, { algorithm: 'pg-morl' });
    expect(population).toMatchObject({ evaluations: 12, preferences: 101 });
  });
});
