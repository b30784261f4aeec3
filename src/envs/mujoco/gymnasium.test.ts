import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { dimensions, isRobotEnvironment, makeEnv, prepareEnv } from '../index.js';
import type { Continuous, RobotEnvironment } from '../index.js';
import { ANT_V5 } from './ant.js';
import { HOPPER_V5 } from './hopper.js';
import { HUMANOID_V5 } from './humanoid.js';
import type { Robot } from './robot.js';
import { modelOf, Simulation } from './simulation.js';
import { SWIMMER_V5 } from './swimmer.js';
import { WALKER2D_V5 } from './walker2d.js';

// The robots of MO-Gymnasium; what they have in common with those of PG-MORL is tested in locomotion.test.ts.

beforeAll(() => prepareEnv('mo-hopper-v5'));

const open: RobotEnvironment[] = [];
async function make(id: string): Promise<RobotEnvironment> {
  await prepareEnv(id);
  const env = makeEnv(id);
  if (!isRobotEnvironment(env)) throw new Error(`${id} has no robot.`);
  open.push(env);
  return env;
}
afterEach(() => {
  for (const env of open.splice(0)) env.close();
});

/** An action for every motor. */
function all(env: RobotEnvironment, value: number): Float32Array {
  return new Float32Array(dimensions(env.actionSpace as Continuous)).fill(value);
}

/** The entries of cfrc_ext in an observation, which are the last. */
function contacts(observation: Float32Array): Float64Array {
  return Float64Array.from(observation.subarray(-78));
}

function sumOfSquares(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value * value, 0);
}

it.each([
  ['mo-halfcheetah-v5', 17, 6, 2, 0.05],
  ['mo-hopper-v5', 11, 3, 3, 0.008],
  ['mo-hopper-2obj-v5', 11, 3, 2, 0.008],
  ['mo-walker2d-v5', 17, 6, 2, 0.008],
  ['mo-ant-v5', 105, 8, 3, 0.05],
  ['mo-ant-2obj-v5', 105, 8, 2, 0.05],
  ['mo-swimmer-v5', 8, 2, 2, 0.04],
  ['mo-humanoid-v5', 348, 17, 2, 0.015],
])('%s has the published sizes and steps', async (id, observations, actions, objectives, seconds) => {
  const env = await make(id);
  expect(dimensions(env.observationSpace)).toBe(observations);
  expect(dimensions(env.actionSpace as Continuous)).toBe(actions);
  expect(env.objectives).toHaveLength(objectives);
  expect(env.robot.stepSeconds).toBeCloseTo(seconds, 12);
});

describe('the reward of a step', () => {
  /** The velocity along x and the reward of a step with all motors at half of their strength. */
  async function step(id: string) {
    const env = await make(id);
    env.reset({ seed: 1 });
    const before = env.robot.qpos()[0];
    const { reward, observation } = env.step(all(env, 0.5));
    const qpos = env.robot.qpos();
    return { reward: [...reward], observation, qpos, vx: (qpos[0] - before) / env.robot.stepSeconds };
  }

  it('of the half cheetah and the swimmer are the speed and the effort', async () => {
    const cheetah = await step('mo-halfcheetah-v5');
    expect(cheetah.reward).toEqual([Math.fround(cheetah.vx), -1.5]);
    const swimmer = await step('mo-swimmer-v5');
    expect(swimmer.reward).toEqual([Math.fround(swimmer.vx), -0.5]);
  });

  it('of the walker has one for being up in both objectives', async () => {
    const { vx, reward } = await step('mo-walker2d-v5');
    expect(reward).toEqual([Math.fround(vx + 1), -0.5]);
  });

  it('of the hoppers has the height ten times, and with two objectives a little effort in both', async () => {
    const three = await step('mo-hopper-v5');
    const height = 10 * (three.qpos[1] - 1.25);
    expect(three.reward).toEqual([Math.fround(three.vx + 1), Math.fround(height + 1), 0.25]);
    const two = await step('mo-hopper-2obj-v5');
    expect(two.reward).toEqual([three.vx, height].map((value) => Math.fround(value + (1 - 1e-3 * 0.75))));
  });

  it('of the ants has contacts in all objectives, and with two of them half of the effort', async () => {
    const id = 'mo-ant-v5';
    const [three, two] = [await make(id), await make('mo-ant-2obj-v5')];
    three.reset({ seed: 1 });
    two.reset({ seed: 1 });
    let touched = 0;
    for (let step = 0; step < 15; step++) {
      const { reward, observation } = three.step(all(three, 0.5));
      const contact = 5e-4 * sumOfSquares(contacts(observation));
      if (contact > 0) touched += 1;
      expect(reward[2]).toBeCloseTo(1 - 2 - contact, 6);
      const others = two.step(all(two, 0.5)).reward;
      expect(others[0]).toBeCloseTo(reward[0] - 1, 5);
      expect(others[1]).toBeCloseTo(reward[1] - 1, 5);
    }
    expect(touched).toBeGreaterThan(3);
  });

  it('of the humanoid has five for being up, and contacts up to ten', async () => {
    const env = await make('mo-humanoid-v5');
    env.reset({ seed: 1 });
    for (let step = 0; step < 10; step++) {
      const before = env.robot.picture().centreOfMass[0];
      const { reward, observation } = env.step(all(env, -1));
      const vx = (env.robot.picture().centreOfMass[0] - before) / 0.015;
      const alive = 5 - Math.min(10, 5e-7 * sumOfSquares(contacts(observation)));
      expect(reward[0]).toBeCloseTo(vx + alive, 4);
      expect(reward[1]).toBeCloseTo(alive - 17 * 0.16, 4);
    }
  });

  it('of one that falls has nothing for being up', async () => {
    const env = await make('mo-walker2d-v5');
    env.reset({ seed: 1 });
    const qpos = env.robot.qpos();
    qpos[1] = 0.7;
    env.robot.place(qpos, env.robot.qvel().fill(0));
    const { reward, terminated } = env.step(all(env, 0));
    expect({ effort: reward[1], terminated }).toEqual({ effort: 0, terminated: true });
  });
});

describe('an episode ends when', () => {
  async function endsAt(id: string, pose: Readonly<Record<number, number>>, spin = 0): Promise<boolean> {
    const env = await make(id);
    env.reset({ seed: 1 });
    const [qpos, qvel] = [env.robot.qpos(), env.robot.qvel().fill(0)];
    for (const [i, value] of Object.entries(pose)) qpos[Number(i)] = value;
    qvel[qvel.length - 1] = spin;
    env.robot.place(qpos, qvel);
    return env.step(all(env, 0)).terminated;
  }

  it('the hopper is low, leans or spins', async () => {
    expect(await endsAt('mo-hopper-v5', { 1: 2 })).toBe(false);
    expect(await endsAt('mo-hopper-v5', { 1: 0.65 })).toBe(true);
    expect(await endsAt('mo-hopper-v5', { 1: 2, 2: 0.19 })).toBe(false);
    expect(await endsAt('mo-hopper-v5', { 1: 2, 2: -0.21 })).toBe(true);
    expect(await endsAt('mo-hopper-v5', { 1: 2 }, 500)).toBe(true);
  });

  it('the ant is high', async () => {
    expect(await endsAt('mo-ant-v5', { 2: 0.75 })).toBe(false);
    expect(await endsAt('mo-ant-v5', { 2: 1.2 })).toBe(true);
  });

  it('the humanoid is low, and the half cheetah never', async () => {
    expect(await endsAt('mo-humanoid-v5', { 2: 1.4 })).toBe(false);
    expect(await endsAt('mo-humanoid-v5', { 2: 0.9 })).toBe(true);
    expect(await endsAt('mo-halfcheetah-v5', { 1: 2, 2: 3 })).toBe(false);
  });
});

describe('the robots', () => {
  const massOf = (robot: Robot) => modelOf(robot, 'exact').body_mass.reduce((sum, mass) => sum + mass, 0);
  /** Of a capsule of water. */
  const capsule = (radius: number, length: number) => 1000 * Math.PI * radius ** 2 * (length + (4 / 3) * radius);

  it('have the masses of their capsules', () => {
    const [torso, thigh, leg] = [capsule(0.05, 0.4), capsule(0.05, 0.45), capsule(0.04, 0.5)];
    expect(massOf(HOPPER_V5)).toBeCloseTo(torso + thigh + leg + capsule(0.06, 0.39), 9);
    expect(massOf(WALKER2D_V5)).toBeCloseTo(torso + 2 * (thigh + leg + capsule(0.06, 0.2)), 9);
    expect(massOf(SWIMMER_V5)).toBeCloseTo(3 * capsule(0.1, 1), 9);
  });

  it('have motors of the published strength', () => {
    expect(new Set(HOPPER_V5.motors.map(({ gear }) => gear))).toEqual(new Set([200]));
    expect(new Set(WALKER2D_V5.motors.map(({ gear }) => gear))).toEqual(new Set([100]));
    expect(new Set(ANT_V5.motors.map(({ gear }) => gear))).toEqual(new Set([150]));
    expect(new Set(SWIMMER_V5.motors.map(({ gear }) => gear))).toEqual(new Set([150]));
    for (const limit of modelOf(HOPPER_V5, 'exact').actuator_ctrlrange) expect(Math.abs(limit)).toBe(1);
    for (const limit of modelOf(HUMANOID_V5, 'exact').actuator_ctrlrange) expect(Math.abs(limit)).toBe(0.4);
  });

  it('feel their own weight when they lie still', () => {
    const simulation = new Simulation(modelOf(ANT_V5, 'exact'), []);
    simulation.rewind();
    simulation.step(600);
    simulation.findContactForces();
    let force = 0;
    const { cfrc_ext } = simulation.arrays;
    // A torque and a force for each body.
    for (let i = 5; i < cfrc_ext.length; i += 6) force += cfrc_ext[i];
    simulation.close();
    expect(force).toBeCloseTo(9.81 * massOf(ANT_V5), 1);
  });
});
