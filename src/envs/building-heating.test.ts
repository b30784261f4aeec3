import { expect, it } from 'vitest';
import { makeEnv } from './index.js';

const OFF = [-1, -1, -1, -1];
const FULL = [1, 1, 1, 1];

/** A flat at an hour of an average day without sun, 0 degrees on average. */
function flatAt(hour: number, degrees: readonly number[]) {
  const env = makeEnv('building-heating');
  env.reset({ seed: 1 });
  const world = { step: 4 * hour, weather: 0, clarity: 0, degrees: Float64Array.from(degrees) };
  env.restoreState({ ...env.saveState(), step: 4 * hour, world });
  return env;
}

it('a flat cools down through its walls, as computed by hand', () => {
  // At ten it is 0 degrees outside. The study is used: 200 W from there, and 15 W/K from the bedroom, 20 W/K from the living room.
  const { info, reward } = flatAt(10, [20, 20, 18, 21]).step(OFF);
  const [living, kitchen, bedroom, study] = info.degrees as number[];
  expect(living).toBeCloseTo(20 + (0.25 * (-30 * 20 - 20 * 2 + 20 * 1)) / 1375, 12);
  expect(kitchen).toBeCloseTo(20 + (0.25 * (-10 * 20)) / 550, 12);
  expect(bedroom).toBeCloseTo(18 + (0.25 * (-14 * 18 + 20 * 2 + 15 * 3)) / 733, 12);
  expect(study).toBeCloseTo(21 + (0.25 * (200 - 12 * 21 - 20 * 1 - 15 * 3)) / 642, 12);
  // Only the study is used, and a little too cold then.
  expect([...reward]).toEqual([0, 0, 0, -0.25 * (21 - study), -0]);
});

it('the boiler heats all rooms in proportion to what they want, and no more than it can', () => {
  const cold = flatAt(10, [20, 20, 18, 21]).step(OFF).info.degrees as number[];
  const all = flatAt(10, [20, 20, 18, 21]).step(FULL);
  // 3600 W are wanted, 2200 W are there.
  [1500, 600, 800, 700].forEach((power, i) => {
    const heat = (0.25 * power * (2200 / 3600)) / [1375, 550, 733, 642][i];
    expect((all.info.degrees as number[])[i] - cold[i]).toBeCloseTo(heat, 12);
  });
  expect(all.reward[4]).toBeCloseTo(-0.55, 12);
  expect(flatAt(10, [20, 20, 18, 21]).step([-1, 1, -1, -1]).reward[4]).toBeCloseTo(-0.15, 12);
});

it('comfort counts in rooms that are used, above its range too', () => {
  const { reward, info } = flatAt(23, [20, 20, 25, 20]).step(OFF);
  const degrees = info.degrees as number[];
  expect(reward[2]).toBeCloseTo(-0.25 * (degrees[2] - 20), 12);
  expect(reward[0]).toBe(0);
});

it('a day has 96 steps, and saving energy costs comfort', () => {
  const day = (action: readonly number[]) => {
    const env = makeEnv('building-heating', { outside: -5 });
    env.reset({ seed: 2 });
    const returns = [0, 0, 0, 0, 0];
    for (let step = 1; ; step++) {
      const { reward, truncated } = env.step(action);
      reward.forEach((value, k) => (returns[k] += value));
      if (truncated) return { returns, step };
    }
  };
  const [off, half] = [day(OFF), day([0, 0, 0, 0])];
  expect(off.step).toBe(96);
  expect(off.returns[4]).toBe(0);
  expect(half.returns[4]).toBeCloseTo(-43.2, 9);
  for (const room of [0, 1, 3]) expect(half.returns[room]).toBeGreaterThan(off.returns[room]);
  for (const value of [...off.returns, ...half.returns]) expect(value).toBeGreaterThan(-60);
});
