import { beforeAll, expect, it } from 'vitest';
import { makeEnv, prepareEnv } from '../index.js';

beforeAll(() => prepareEnv('mo-reacher-v5'));

const STILL = 4;
const TURN_SHOULDER = 7;

it('the reacher begins with a bent elbow and earns by its distance to each target', () => {
  const env = makeEnv('mo-reacher-v5');
  const { observation } = env.reset({ seed: 1 });
  // The shoulder at 0, the elbow at a right angle (with the published pi).
  const angle = 3.1415 / 2;
  expect([...observation.slice(0, 4)]).toEqual([1, Math.cos(angle), 0, Math.sin(angle)].map(Math.fround));
  for (const velocity of observation.slice(4)) expect(Math.abs(velocity)).toBeLessThanOrEqual(0.0005);
  const tip = [0.1 + 0.11 * Math.cos(angle), 0.11 * Math.sin(angle)];
  const { reward } = env.step(STILL);
  const targets = [
    [0.14, 0],
    [-0.14, 0],
    [0, 0.14],
    [0, -0.14],
  ];
  targets.forEach(([x, y], k) => expect(reward[k]).toBeCloseTo(1 - 4 * Math.hypot(tip[0] - x, tip[1] - y), 6));
  env.close();
});

it('the reacher turns its shoulder against armature and damping, for 0.02 s a step', () => {
  const env = makeEnv('mo-reacher-v5');
  const before = env.reset({ seed: 2 }).observation;
  const after = env.step(TURN_SHOULDER).observation;
  // 200 Nm on 1 kg m² and a damping of 1 N m s: v' = 200 - v. The links are 10,000 times lighter.
  const velocity = 200 + (10 * before[4] - 200) * Math.exp(-0.02);
  expect(10 * after[4]).toBeCloseTo(velocity, 1);
  expect(Math.abs(10 * after[5])).toBeLessThan(0.1);
  env.close();
});

it('the targets of the reacher drift, all but the last', () => {
  const env = makeEnv('mo-reacher-v5');
  env.reset({ seed: 3 });
  const { qpos, qvel } = { qpos: 1, qvel: 11 };
  const [start, end] = [
    env.saveState().world as Float64Array,
    (env.step(STILL), env.saveState().world as Float64Array),
  ];
  // The integration state of MuJoCo: the time, ten coordinates, ten velocities.
  for (let i = 2; i < 10; i++) {
    expect(end[qpos + i] - start[qpos + i]).toBeCloseTo(0.02 * start[qvel + i], 12);
    expect(start[qvel + i] === 0).toBe(i >= 8);
  }
  env.close();
});
