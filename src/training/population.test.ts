import { describe, expect, it } from 'vitest';
import { gridSize } from '../preferences/index.js';
import { isPopulation } from './definition.js';
import { planTraining } from './plan.js';
import { scheduleOf } from './population.js';
import { presetNames } from './presets.js';

const METHODS = ['pg-morl', 'random', 'ra', 'pfa', 'moead', 'meta'];
/** Three tasks of 16 steps an iteration. */
const SETTINGS = { taskDivisions: 2, children: 2, horizon: 8, batch: 8, steps: 7 * 48, warmup: 4, generation: 2 };
const planOf = (settings: object = {}) =>
  planTraining({ env: 'mo-swimmer-v2', algorithm: 'ra', settings: { ...SETTINGS, ...settings } });

describe('the settings of a population', () => {
  it('are those of tasks', () => {
    expect(Object.keys(planOf().config)).toEqual(
      expect.arrayContaining(['horizon', 'epochs', 'taskDivisions', 'warmup']),
    );
    expect(Object.keys(planOf().config)).not.toContain('family');
    expect(() => planOf({ candidates: 3 })).toThrow(/^setting is "candidates"/);
  });

  it.each([
    ['mo-walker2d-v2', 610, 80, 20],
    ['mo-halfcheetah-v2', 610, 80, 20],
    ['mo-ant-v2', 976, 200, 40],
    ['mo-hopper-v2', 976, 200, 40],
    ['mo-swimmer-v2', 244, 40, 10],
    ['mo-humanoid-v2', 1220, 200, 40],
    ['mo-hopper-v3', 976, 200, 40],
  ])('are the published ones in the preset paper: %s', (env, iterations, warmup, generation) => {
    const tasks = env === 'mo-hopper-v3' ? 15 : 6;
    for (const algorithm of METHODS.filter((name) => name !== 'pfa' || tasks === 6)) {
      for (const preset of presetNames) planTraining({ env, algorithm, preset });
      const plan = planTraining({ env, algorithm, preset: 'paper' });
      if (!isPopulation(plan)) throw new Error('not a population');
      expect(gridSize(tasks === 15 ? 3 : 2, plan.config.taskDivisions as number)).toBe(tasks);
      expect(scheduleOf(plan, tasks)).toEqual({ iterations, warmup, generation });
    }
  });

  it.each([
    [{ batch: 6 }, 'batch is 6, but must divide children x horizon, which is 16.'],
    [{ steps: 47 }, 'steps is 47, but must be at least tasks x children x horizon, which is 48 with 3 tasks.'],
    [{ warmup: 0 }, 'warmup is 0, but must be an integer of at least 1.'],
  ])('refuse %o', (settings, message) => {
    expect(() => planOf(settings)).toThrow(message);
  });
});
