import { describe, expect, it } from 'vitest';
import { planTraining } from './plan.js';

const SETTINGS = { children: 4, horizon: 8, batch: 16, groups: 4, steps: 200 };
const planOf = (settings: object = {}) =>
  planTraining({ env: 'mo-swimmer-v2', algorithm: 'psl-ppo', settings: { ...SETTINGS, ...settings } });

describe('the settings of a training from rollouts', () => {
  it('are those of rollouts', () => {
    expect(Object.keys(planOf().config)).toEqual(expect.arrayContaining(['horizon', 'epochs', 'family']));
    expect(() => planOf({ capacity: 10 })).toThrow(/^setting is "capacity"/);
  });

  it.each([
    [{ batch: 12 }, 'batch is 12, but must divide children x horizon, which is 32.'],
    [{ batch: 16, groups: 1 }, 'horizon is 8, but must be a multiple of batch / groups, which is 16.'],
    [{ groups: 3 }, 'groups is 3, but must divide batch, which is 16.'],
    [{ steps: 31 }, 'steps is 31, but must be at least children x horizon, which is 32.'],
    [{ preferenceDivisions: 0 }, 'preferenceDivisions is 0, but must be an integer of at least 1.'],
  ])('refuse %o', (settings, message) => {
    expect(() => planOf(settings)).toThrow(message);
  });
});
