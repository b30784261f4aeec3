import { expect, it } from 'vitest';
import { makeEnv } from './index.js';

function reservoirAt(level: number) {
  const env = makeEnv('water-reservoir-4obj-v0');
  env.reset({ seed: 1 });
  env.restoreState({ ...env.saveState(), world: { level } });
  return env;
}

it('a reservoir fills by what flows in less what is released, and earns what it falls short of, negated', () => {
  // Of 80 half is released, 40; the inflow is then what the new level has more than the other 40.
  const { info, reward, observation } = reservoirAt(80).step([0]);
  const level = info.level as number;
  expect(level - 40).toBeGreaterThan(0);
  expect(level - 40).toBeLessThan(80);
  expect(observation[0]).toBe(level);
  expect(reward[0]).toBeCloseTo(-Math.max(0, level - 50), 5);
  expect(reward[1]).toBe(-10);
  expect(reward[2]).toBeCloseTo(-Math.max(0, 4.36 - (9.81 * level * 40) / 3600), 6);
  expect(reward[3]).toBe(-10);
});

it('about 40 flow in, with a deviation of 10', () => {
  // Of 80 half is released, and an inflow below -40, which would be cut off, does not come in so few.
  const seeds = 1000;
  const env = makeEnv('water-reservoir-v0');
  const inflows = Array.from({ length: seeds }, (_, seed) => {
    env.reset({ seed });
    env.restoreState({ ...env.saveState(), world: { level: 80 } });
    return (env.step([0]).info.level as number) - 40;
  });
  const mean = inflows.reduce((sum, inflow) => sum + inflow, 0) / seeds;
  const deviation = Math.sqrt(inflows.reduce((sum, inflow) => sum + (inflow - mean) ** 2, 0) / (seeds - 1));
  // Four standard errors: that of the mean is 10 / sqrt(1000), that of the deviation 10 / sqrt(2 * 999).
  expect(Math.abs(mean - 40)).toBeLessThan(4 * 0.316);
  expect(Math.abs(deviation - 10)).toBeLessThan(4 * 0.224);
});

it('a reservoir begins at one of the ten published levels', () => {
  const env = makeEnv('water-reservoir-v0');
  const levels = Array.from({ length: 200 }, (_, seed) => env.reset({ seed }).observation[0]);
  expect([...new Set(levels)].sort((a, b) => a - b)).toEqual(
    [13.185943, 20.164311, 44.351321, 58.046026, 73.508622, 79.191, 96.855361, 116.15767, 131.01816, 140.13098].map(
      Math.fround,
    ),
  );
});

it('a reservoir cannot hold more than 100, nor release more than there is', () => {
  // The same inflow in all three, since the seed is.
  const levelAfter = (level: number, action: number) => reservoirAt(level).step([action]).info.level as number;
  const inflow = levelAfter(0, 1);
  expect(levelAfter(130, -1)).toBeCloseTo(100 + inflow, 4);
  expect(levelAfter(130, 1)).toBeCloseTo(inflow, 4);
  expect([...reservoirAt(0).step([-7]).reward].slice(1)).toEqual([-50, Math.fround(-4.36), -0]);
});

it('a reservoir has the first two, three or four objectives', () => {
  const [two, three, four] = ['water-reservoir-v0', 'water-reservoir-3obj-v0', 'water-reservoir-4obj-v0'].map((id) => {
    const env = makeEnv(id);
    env.reset({ seed: 3 });
    return [...env.step([0.5]).reward];
  });
  expect(two).toEqual(four.slice(0, 2));
  expect(three).toEqual(four.slice(0, 3));
  expect(four).toHaveLength(4);
});
