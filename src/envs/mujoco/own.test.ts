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

  it.each<[Partial<Record<keyof MujocoDefinition, unknown>>, string]>([
    [{ frameSkip: 0 }, 'frameSkip of falling-weight is 0, but must be an integer of at least 1.'],
    [{ frameSkip: 2.5 }, 'frameSkip of falling-weight is 2.5, but must be an integer of at least 1.'],
    [{ actuators: NaN }, 'actuators of falling-weight is NaN, but must be an integer of at least 1.'],
    [
      { observes: ['xpso'] },
      'observes[0] of falling-weight is "xpso" (did you mean "xpos"?), but must be one of: xpos,',
    ],
    [{ reads: ['xpos', 'qpos'] }, 'reads[1] of falling-weight is "qpos" (did you mean "xpos"?), but must be one of:'],
  ])('refuses %o', (change, sentence) => {
    expect(() => defineMujocoEnv({ ...FALLING, ...change } as MujocoDefinition)).toThrow(sentence);
  });

  it('observes all joint coordinates, or the velocities alone', async () => {
    for (const [unobserved, length] of [
      [0, 2],
      [1, 1],
    ]) {
      const id = `unobserved-${unobserved}`;
      register(defineMujocoEnv({ ...FALLING, id, unobserved }));
      await prepareEnv(id);
      const env = makeEnv(id);
      expect(env.reset().observation).toHaveLength(length);
      env.close();
    }
  });

  it('refuses what its model does not have: one that does not compile, actuators, joint coordinates', async () => {
    const broken = [
      [
        { id: 'no-model', xml: '<mujoco><bad/></mujoco>' },
        /^xml of no-model must be a model that MuJoCo compiles \(.*'bad', line 1\)\.$/,
      ],
      [{ id: 'two-motors', actuators: 2 }, /^actuators of two-motors is 2, but must be 1, as many as its model has\.$/],
      [
        { id: 'hides-two', unobserved: 2 },
        /^unobserved of hides-two is 2, but must be an integer from 0 to 1, the length of qpos\.$/,
      ],
      [{ id: 'hides-half', unobserved: 0.5 }, /^unobserved of hides-half is 0\.5, but must be an integer from 0 to 1/],
      [{ id: 'shows-more', unobserved: -1 }, /^unobserved of shows-more is -1, but must be an integer from 0 to 1/],
    ] as const;
    for (const [change, sentence] of broken) {
      register(defineMujocoEnv({ ...FALLING, ...change }));
      const { id } = change;
      await prepareEnv(id);
      expect(() => makeEnv(id)).toThrow(sentence);
    }
  });
});
