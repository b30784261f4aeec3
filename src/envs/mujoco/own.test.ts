import { beforeAll, describe, expect, it } from 'vitest';
import { checkEnv, makeEnv, prepareEnv, register } from '../index.js';
import { defineMujocoEnv, type MujocoDefinition } from './own.js';

/** A weight that falls in a vacuum, with a motor that can hold it. */
const FALLING: MujocoDefinition = {
  id: 'falling-weight',
  summary: 'A weight that falls.',
  xml: `
    <mujoco>
      <option timestep="0.01" gravity="0 0 -10"><flag autoreset="disable"/></option>
      <worldbody>
        <body name="weight">
          <joint name="rope" type="slide" axis="0 0 1"/>
          <geom size="0.1" mass="2"/>
        </body>
      </worldbody>
      <actuator><motor joint="rope" ctrlrange="0 40"/></actuator>
    </mujoco>`,
  actuators: 1,
  frameSkip: 10,
  horizon: 20,
  discount: 1,
  referencePoint: [-10, -10],
  reads: ['xpos'],
  objectives: [
    { name: 'Height', unit: 'm', reward: ({ qpos, before }) => qpos[0] - before.qpos[0] },
    { name: 'Rest', reward: ({ action, xpos, seconds }) => -action[0] * seconds - 0.01 * xpos[5] },
  ],
  start({ qpos }, random) {
    qpos[0] = 0.1 * random.uniform();
  },
  ended: ({ qpos }) => qpos[0] < -5,
};

beforeAll(async () => {
  register(defineMujocoEnv(FALLING));
  await prepareEnv('falling-weight');
});

describe('defineMujocoEnv', () => {
  it('makes an environment that keeps the contract', async () => {
    expect(await checkEnv('falling-weight')).toEqual([]);
  });

  it('simulates what its model says: a free fall, and a weight that is held', () => {
    const env = makeEnv('falling-weight');
    const [start] = env.reset({ seed: 1 }).observation;
    const fallen = env.step([-1]);
    // Semi-implicit Euler: g dt^2 (1 + 2 + ... + 10) below, g dt 10 fast.
    expect(fallen.observation[0]).toBeCloseTo(start - 10 * 0.01 ** 2 * 55, 6);
    expect(fallen.observation[1]).toBeCloseTo(-1, 6);
    expect(fallen.reward[0]).toBeCloseTo(-0.055, 6);
    // Half of the range of the motor is 20 N, the weight of 2 kg.
    const held = env.step([0]);
    expect(held.observation[1]).toBeCloseTo(-1, 6);
    env.close();
  });

  it('refuses a model that does not compile, and a wrong number of actuators', async () => {
    const broken = [
      [
        { id: 'no-model', xml: '<mujoco><bad/></mujoco>' },
        /^xml of no-model must be a model that MuJoCo compiles \(.*'bad', line 1\)\.$/,
      ],
      [{ id: 'two-motors', actuators: 2 }, /^actuators of two-motors is 2, but must be 1, as many as its model has\.$/],
    ] as const;
    for (const [change, sentence] of broken) {
      register(defineMujocoEnv({ ...FALLING, ...change }));
      const { id } = change;
      await prepareEnv(id);
      expect(() => makeEnv(id)).toThrow(sentence);
    }
  });
});
