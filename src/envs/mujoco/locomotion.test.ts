import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../../random/index.js';
import { dimensions, isRobotEnvironment, makeEnv, prepareEnv } from '../index.js';
import type { Continuous, EnvOptions, RobotEnvironment } from '../index.js';
import { HOPPER } from './hopper.js';
import { modelOf, Simulation } from './simulation.js';

const IDS = [
  'mo-halfcheetah-v2',
  'mo-hopper-v2',
  'mo-hopper-v3',
  'mo-walker2d-v2',
  'mo-ant-v2',
  'mo-swimmer-v2',
  'mo-humanoid-v2',
];

beforeAll(async () => {
  for (const id of IDS) await prepareEnv(id);
});

const open: RobotEnvironment[] = [];
function make(id: string, options: EnvOptions = {}): RobotEnvironment {
  const env = makeEnv(id, options);
  if (!isRobotEnvironment(env)) throw new Error(`${id} has no robot.`);
  open.push(env);
  return env;
}
afterEach(() => {
  for (const env of open.splice(0)) env.close();
});

function noAction(env: RobotEnvironment): Float32Array {
  return new Float32Array(dimensions(env.actionSpace as Continuous));
}

/** Takes a seeded random action every step until the episode ends, at most `most` times. */
function wander(env: RobotEnvironment, seed: number, most: number): void {
  const random = new Random(seed);
  for (let step = 0; step < most; step++) {
    const action = random.fillUniform(noAction(env), -1, 1);
    const { terminated, truncated } = env.step(action);
    if (terminated || truncated) return;
  }
}

/** Changes entries of the present pose. */
function bend(env: RobotEnvironment, changes: Readonly<Record<number, number>>): void {
  const qpos = env.robot.qpos();
  for (const [i, value] of Object.entries(changes)) qpos[Number(i)] = value;
  env.robot.place(qpos, env.robot.qvel().fill(0));
}

describe('the reward of a step', () => {
  // Actions with the sum of squares that is written beside them once they are clipped.
  it('of the half cheetah is as published', () => {
    const env = make('mo-halfcheetah-v2');
    env.reset({ seed: 1 });
    const before = env.robot.qpos()[0];
    const { reward } = env.step([2, -3, 0.5, 0, 0, 0]); // 1 + 1 + 0.25
    const speed = (env.robot.qpos()[0] - before) / 0.05;
    expect([...reward]).toEqual([Math.fround(speed + 1), 2.75]);
  });

  it('of the half cheetah counts its speed up to 4 m/s', () => {
    const env = make('mo-halfcheetah-v2');
    env.reset({ seed: 1 });
    const qvel = env.robot.qvel();
    qvel[0] = 20;
    env.robot.place(env.robot.qpos(), qvel);
    expect([...env.step(noAction(env)).reward]).toEqual([5, 5]);
  });

  it('of the hopper is as published', () => {
    const env = make('mo-hopper-v2');
    env.reset({ seed: 1 });
    const before = env.robot.qpos()[0];
    const { reward } = env.step([3, -1, 5]); // 4 + 1 + 16
    const [x, z] = env.robot.qpos();
    const speed = (x - before) / 0.01;
    expect(reward[0]).toBe(Math.fround(1.5 * speed + 1 - 2e-4 * 21));
    expect(reward[1]).toBe(Math.fround(12 * (z - 1.25) + 1 - 2e-4 * 21));
  });

  it('of the hopper with three objectives is as published, and alone not rounded to float32', () => {
    const env = make('mo-hopper-v3');
    env.reset({ seed: 1 });
    const before = env.robot.qpos()[0];
    const { reward } = env.step([3, -1, 5]);
    const [x, z] = env.robot.qpos();
    const speed = (x - before) / 0.01;
    expect([...reward]).toEqual([1.5 * speed + 1, 12 * (z - 1.25) + 1, 4 - 21 + 1]);
  });

  it('of the walker is as published', () => {
    const env = make('mo-walker2d-v2');
    env.reset({ seed: 1 });
    const before = env.robot.qpos()[0];
    const { reward } = env.step([-9, 0.5, 0, 0, 0.5, 0]); // 1 + 0.25 + 0.25
    const speed = (env.robot.qpos()[0] - before) / 0.008;
    expect([...reward]).toEqual([Math.fround(speed + 1), 3.5]);
  });

  it('of the ant is as published, by the torso as the integrator left it', () => {
    const env = make('mo-ant-v2');
    env.reset({ seed: 1 });
    // The torso is a sphere about the origin of its body, and the first geom after the floor.
    const torso = () => env.robot.picture().positions.slice(3, 5);
    const place = () => env.robot.qpos().slice(0, 2);
    let [before, placeBefore] = [torso(), place()];
    expect(before).toEqual(placeBefore);
    for (let step = 0; step < 10; step++) {
      const { reward } = env.step([1, -1, 0.5, 0.5, -0.5, 0, 0, 2]); // 1 + 1 + 0.25 + 0.25 + 0.25 + 1
      const [after, placeAfter] = [torso(), place()];
      for (const axis of [0, 1]) {
        expect(reward[axis]).toBe(Math.fround((after[axis] - before[axis]) / 0.05 - 0.5 * 3.75 + 1));
        const byPlace = (placeAfter[axis] - placeBefore[axis]) / 0.05 - 0.5 * 3.75 + 1;
        expect(reward[axis]).not.toBeCloseTo(byPlace, 9);
        expect(Math.abs(reward[axis] - byPlace)).toBeLessThan(0.3);
      }
      [before, placeBefore] = [after, placeAfter];
    }
  });

  it('of the swimmer is as published', () => {
    const env = make('mo-swimmer-v2');
    env.reset({ seed: 1 });
    const before = env.robot.qpos()[0];
    const { reward } = env.step([0.5, -7]); // 0.25 + 1
    const speed = (env.robot.qpos()[0] - before) / 0.04;
    expect([...reward]).toEqual([Math.fround(speed), Math.fround(0.3 - 0.15 * 1.25)]);
  });

  it('of the humanoid is as published, by its centre of mass', () => {
    const env = make('mo-humanoid-v2');
    env.reset({ seed: 1 });
    const before = env.robot.picture().centreOfMass[0];
    const { reward } = env.step(noAction(env).fill(-1)); // 17 times 0.16
    const speed = (env.robot.picture().centreOfMass[0] - before) / 0.015;
    expect(reward[0]).toBe(Math.fround(1.25 * speed + 3));
    expect(reward[1]).toBeCloseTo(3 - 4 * 17 * 0.16 + 3, 6);
  });
});

it.each(IDS)('%s clips actions to their bounds', (id) => {
  const [a, b] = [make(id), make(id)];
  const { high } = a.actionSpace as Continuous;
  a.reset({ seed: 2 });
  b.reset({ seed: 2 });
  const signs = high.map((_, i) => (i % 2 === 0 ? 1 : -1));
  const clipped = b.step(high.map((limit, i) => limit * signs[i]));
  expect(a.step(signs.map((sign) => sign * Infinity))).toEqual(clipped);
});

describe('an episode ends when', () => {
  function endsAt(id: string, changes: Readonly<Record<number, number>>): boolean {
    const env = make(id, { resetNoise: 'none' });
    env.reset();
    bend(env, changes);
    return env.step(noAction(env)).terminated;
  }

  it('the half cheetah is turned by 50 degrees', () => {
    expect(endsAt('mo-halfcheetah-v2', { 1: 2, 2: 0.85 })).toBe(false);
    expect(endsAt('mo-halfcheetah-v2', { 1: 2, 2: 0.88 })).toBe(true);
    expect(endsAt('mo-halfcheetah-v2', { 1: 2, 2: -0.88 })).toBe(true);
  });

  it.each(['mo-hopper-v2', 'mo-hopper-v3'])('the hopper is low or bent by 90 degrees: %s', (id) => {
    expect(endsAt(id, {})).toBe(false);
    expect(endsAt(id, { 1: 0.2 })).toBe(true);
    for (const angle of [2, 3, 4, 5]) {
      expect(endsAt(id, { 1: 3, [angle]: 1.55 })).toBe(false);
      expect(endsAt(id, { 1: 3, [angle]: 1.59 })).toBe(true);
    }
  });

  it('the walker is low, high or bent by one radian', () => {
    expect(endsAt('mo-walker2d-v2', {})).toBe(false);
    expect(endsAt('mo-walker2d-v2', { 1: 0.7 })).toBe(true);
    expect(endsAt('mo-walker2d-v2', { 1: 1.9 })).toBe(false);
    expect(endsAt('mo-walker2d-v2', { 1: 2.1 })).toBe(true);
    expect(endsAt('mo-walker2d-v2', { 1: 1.9, 2: 0.9 })).toBe(false);
    expect(endsAt('mo-walker2d-v2', { 1: 1.9, 2: -1.1 })).toBe(true);
  });

  it('the humanoid is below 1 m or above 2 m', () => {
    expect(endsAt('mo-humanoid-v2', {})).toBe(false);
    expect(endsAt('mo-humanoid-v2', { 2: 0.9 })).toBe(true);
    expect(endsAt('mo-humanoid-v2', { 2: 2.2 })).toBe(true);
  });

  it('a walker without strength has fallen over', () => {
    const env = make('mo-walker2d-v2');
    env.reset({ seed: 3 });
    let step = env.step(noAction(env));
    while (!step.terminated) step = env.step(noAction(env));
    expect(env.robot.qpos()[1]).toBeLessThan(1);
  });

  it('the horizon is reached, which is a truncation', () => {
    const env = make('mo-swimmer-v2');
    env.reset({ seed: 3 });
    for (let step = 1; step < 500; step++)
      expect(env.step([1, -1])).toMatchObject({ terminated: false, truncated: false });
    expect(env.step([1, -1])).toMatchObject({ terminated: false, truncated: true });
  });
});

describe('a simulation that is no longer finite', () => {
  function overflow(env: RobotEnvironment): void {
    env.reset({ seed: 1 });
    env.step(noAction(env));
    env.robot.place(env.robot.qpos(), env.robot.qvel().fill(1e200));
  }

  it.each(IDS.filter((id) => id !== 'mo-ant-v2'))('is an error of %s that names the step', (id) => {
    const env = make(id);
    overflow(env);
    expect(() => env.step(noAction(env))).toThrow(
      new RegExp(`^reward\\[0\\] is (NaN|-?Infinity) after step 2 of ${id}, but must be a finite number\\.$`),
    );
    expect(() => env.step(noAction(env))).toThrow('was called after the episode ended at step 2; call reset() first.');
    env.reset({ seed: 1 });
    expect(() => env.step(noAction(env))).not.toThrow();
  });

  it('ends the episode of the ant in its reference pose', () => {
    const env = make('mo-ant-v2');
    overflow(env);
    const { observation, reward, terminated } = env.step([0.5, 0, 0, 0, 0, 0, 0, 0]);
    expect(terminated).toBe(true);
    expect([...reward]).toEqual([0.875, 0.875]);
    expect([...observation]).toEqual([0.75, 1, ...new Array<number>(25).fill(0)]);
  });
});

describe('what is observed', () => {
  it.each([
    ['mo-halfcheetah-v2', 1, Infinity],
    ['mo-hopper-v2', 1, 10],
    ['mo-hopper-v3', 1, 10],
    ['mo-walker2d-v2', 1, 10],
    ['mo-ant-v2', 2, Infinity],
    ['mo-swimmer-v2', 2, Infinity],
  ] as const)('of %s is the pose without its place, and the velocities', (id, unobserved, limit) => {
    const env = make(id);
    env.reset({ seed: 4 });
    const fast = env.robot.qvel().map((_, i) => (i % 2 === 0 ? 12 : -11));
    const looks = [() => env.step(noAction(env)), () => env.robot.place(env.robot.qpos(), fast)];
    for (const look of looks) {
      const { observation } = look();
      const velocities = env.robot.qvel().map((value) => Math.max(-limit, Math.min(limit, value)));
      expect(observation).toEqual(Float32Array.from([...env.robot.qpos().slice(unobserved), ...velocities]));
    }
  });

  it('of the humanoid is its inertia, velocities and forces too, and zeros for contact forces', () => {
    const env = make('mo-humanoid-v2');
    env.reset({ seed: 4 });
    wander(env, 4, 10);
    const { observation } = env.step(noAction(env).fill(0.2));
    expect(observation).toHaveLength(376);
    expect(observation.slice(0, 45)).toEqual(Float32Array.from([...env.robot.qpos().slice(2), ...env.robot.qvel()]));
    // The tenth number of a body's composite inertia is its mass; the world, which is the first body, has none.
    const masses = Array.from({ length: 14 }, (_, body) => observation[45 + 10 * body + 9]);
    expect(masses[0]).toBe(0);
    expect(masses.reduce((sum, mass) => sum + mass, 0)).toBeCloseTo(39.6458171325632, 4);
    // The torque of abdomen_y, the second joint and the first motor: 100 times 0.2.
    expect(observation[45 + 140 + 84 + 7]).toBeCloseTo(20, 4);
    expect([...observation.slice(-84)]).toEqual(new Array(84).fill(0));
  });
});

describe('the options', () => {
  it.each([
    ['mo-halfcheetah-v2', 0.1],
    ['mo-hopper-v2', 0.005],
    ['mo-walker2d-v2', 0.005],
    ['mo-swimmer-v2', 0.1],
  ])('start %s with noise or without', (id, most) => {
    const still = make(id, { resetNoise: 'none' });
    const noisy = make(id);
    still.reset({ seed: 5 });
    expect(still.robot.qvel().every((value) => value === 0)).toBe(true);
    const reference = still.robot.qpos();
    const moved = (): Float64Array => noisy.robot.qpos().map((value, i) => Math.abs(value - reference[i]));
    let largest = 0;
    noisy.reset({ seed: 5 });
    for (let reset = 0; reset < 200; reset++) {
      noisy.reset();
      largest = Math.max(largest, ...moved());
      expect(largest).toBeLessThanOrEqual(most);
    }
    expect(largest).toBeGreaterThan(0.95 * most);
  });

  it('give the first velocities of cheetah and ant a normal distribution', () => {
    for (const id of ['mo-halfcheetah-v2', 'mo-ant-v2']) {
      const env = make(id);
      env.reset({ seed: 6 });
      const draws = Array.from({ length: 300 }, () => (env.reset(), [...env.robot.qvel()])).flat();
      const deviation = Math.sqrt(draws.reduce((sum, value) => sum + value ** 2, 0) / draws.length);
      expect(deviation).toBeGreaterThan(0.097);
      expect(deviation).toBeLessThan(0.103);
    }
  });

  it.each(['mo-ant-v2', 'mo-humanoid-v2'])('leave %s a quaternion of length one', (id) => {
    const env = make(id);
    for (let seed = 0; seed < 20; seed++) {
      const { observation } = env.reset({ seed });
      expect(Math.hypot(...observation.slice(1, 5))).toBeCloseTo(1, 6);
      expect(Math.hypot(...env.robot.qpos().slice(3, 7))).toBeCloseTo(1, 14);
    }
  });

  it.each(IDS)('change how heavy %s is', (id) => {
    const ends = ['legacy', 'exact'].map((inertials) => {
      const env = make(id, { inertials });
      env.reset({ seed: 7 });
      env.step(noAction(env).fill(0.3));
      return env.robot.qpos();
    });
    expect(ends[0]).not.toEqual(ends[1]);
    ends[0].forEach((value, i) => expect(value).toBeCloseTo(ends[1][i], 1));
  });
});

describe('the state', () => {
  it.each(IDS)('of %s goes on bit for bit', (id) => {
    const env = make(id);
    env.reset({ seed: 8 });
    wander(env, 8, 12);
    const saved = structuredClone(env.saveState());
    wander(env, 9, 12);
    const end = env.saveState();
    const other = make(id);
    other.restoreState(saved);
    expect(other.saveState()).toEqual(saved);
    wander(other, 9, 12);
    expect(other.saveState()).toEqual(end);
  });

  it('says what a saved world must be', () => {
    const env = make('mo-hopper-v2');
    const state = env.saveState();
    const size = (state.world as Float64Array).length;
    expect(() => env.restoreState({ ...state, world: 'lost' })).toThrow(
      'state.world is of type string, but must be a Float64Array.',
    );
    expect(() => env.restoreState({ ...state, world: new Float64Array(2) })).toThrow(
      `state.world has length 2, but must have length ${size}.`,
    );
  });
});

describe('the robot', () => {
  it('is on environments with a body and on no other', () => {
    expect(isRobotEnvironment(make('mo-ant-v2'))).toBe(true);
    expect(isRobotEnvironment(makeEnv('fruit-tree-d5'))).toBe(false);
  });

  it.each(IDS)('of %s gives its pose and takes it back', (id) => {
    const [a, b] = [make(id), make(id)];
    a.reset({ seed: 10 });
    wander(a, 10, 5);
    const [qpos, qvel] = [a.robot.qpos(), a.robot.qvel()];
    b.reset({ seed: 11 });
    b.robot.place(qpos, qvel);
    expect([b.robot.qpos(), b.robot.qvel()]).toEqual([qpos, qvel]);
    // What it was doing before decides only where the constraint solver starts.
    const action = noAction(a).fill(0.1);
    const expected = a.step(action).observation;
    const actual = b.step(action).observation;
    const bodyless = id === 'mo-humanoid-v2' ? 45 : expected.length;
    for (let i = 0; i < bodyless; i++) expect(actual[i]).toBeCloseTo(expected[i], 2);
  });

  it('refuses poses and forces that are none', () => {
    const { robot } = make('mo-hopper-v2');
    const pose = new Float64Array(6);
    expect(() => robot.place(new Float64Array(5), pose)).toThrow('qpos has length 5, but must have length 6.');
    expect(() => robot.place(pose, [0, NaN, 0, 0, 0, 0])).toThrow('qvel[1] is NaN, but must be a finite number.');
    expect(() => robot.push([0, 0, Infinity])).toThrow('force[2] is Infinity, but must be a finite number.');
    expect(() => robot.push([0, 0, 1], 'tail')).toThrow('body is "tail", but must be one of torso, thigh, leg, foot.');
  });

  it('can be drawn', () => {
    const env = make('mo-hopper-v2', { resetNoise: 'none' });
    env.reset();
    expect(env.robot.geoms).toEqual([
      { body: 'world', kind: 'plane', radius: 0, halfLength: 0 },
      { body: 'torso', kind: 'capsule', radius: 0.05, halfLength: 0.2 },
      { body: 'thigh', kind: 'capsule', radius: 0.05, halfLength: 0.225 },
      { body: 'leg', kind: 'capsule', radius: 0.04, halfLength: 0.25 },
      { body: 'foot', kind: 'capsule', radius: 0.06, halfLength: 0.195 },
    ]);
    const { positions, rotations } = env.robot.picture();
    const rounded = [...positions].map((value) => Number(value.toFixed(9)) + 0);
    expect(rounded).toEqual([0, 0, 0, 0, 0, 1.25, 0, 0, 0.825, 0, 0, 0.35, 0.065, 0, 0.1]);
    expect(rotations).toHaveLength(9 * 5);
    // The foot lies along x: its own z axis, the third column, points there.
    expect([38, 41, 44].map((i) => Math.abs(Math.round(rotations[i])))).toEqual([1, 0, 0]);
  });

  it('falls as bodies fall', () => {
    const env = make('mo-ant-v2', { resetNoise: 'none' });
    env.reset();
    bend(env, { 2: 10, 8: 0.8, 10: -0.8, 12: -0.8, 14: 0.8 });
    const start = env.robot.picture().centreOfMass[2];
    for (let step = 0; step < 10; step++) env.step(noAction(env));
    const fallen = 0.5 * 9.81 * 0.5 ** 2;
    expect(start - env.robot.picture().centreOfMass[2]).toBeCloseTo(fallen, 6);
  });

  it('gives way to a push for one step', () => {
    const env = make('mo-ant-v2', { resetNoise: 'none' });
    env.reset();
    bend(env, { 2: 10, 8: 0.8, 10: -0.8, 12: -0.8, 14: 0.8 });
    const meanSpeed = () => {
      const before = env.robot.picture().centreOfMass[1];
      env.step(noAction(env));
      return (env.robot.picture().centreOfMass[1] - before) / 0.05;
    };
    env.robot.push([0, 2, 0]);
    meanSpeed();
    const speed = (2 * 0.05) / 0.878710173934632;
    expect(meanSpeed()).toBeCloseTo(speed, 6);
    expect(meanSpeed()).toBeCloseTo(speed, 6);
  });

  it('gives way where a push names a body, and most there', () => {
    const env = make('mo-hopper-v2', { resetNoise: 'none' });
    const moved = (body?: string) => {
      env.reset();
      const before = env.robot.picture().positions;
      env.robot.push([50, 0, 0], body);
      env.step(noAction(env));
      const after = env.robot.picture().positions;
      return [1, 3].map((geom) => after[3 * geom] - before[3 * geom]);
    };
    const [torso, leg] = [moved(), moved('leg')];
    expect(moved('torso')).toEqual(torso);
    expect(torso[0]).toBeGreaterThan(leg[0]);
    expect(leg[1]).toBeGreaterThan(torso[1]);
  });

  it('swims against the drag of its inertia boxes', () => {
    const env = make('mo-swimmer-v2', { resetNoise: 'none' });
    env.reset();
    env.robot.place([0, 0, 0, 0, 0], [1.5, 0, 0, 0, 0]);
    env.step([0, 0]);
    // Each link counts as a box with its mass and inertia, here moved lengthwise.
    const [mass, along, across] = [34.5575191894877, 0.172787595947439, 3.5709436495804];
    const halfLength = Math.sqrt((3 * (2 * across - along)) / (2 * mass));
    const halfWidth = Math.sqrt((3 * along) / (2 * mass));
    const mean = (halfLength + 2 * halfWidth) / 3;
    const acceleration = (v: number) => {
      const drag = 6 * Math.PI * 0.1 * mean * v + 2 * 4000 * halfWidth * halfWidth * Math.abs(v) * v;
      return (-3 * drag) / (3 * mass + 0.1);
    };
    let v = 1.5;
    const dt = 0.01;
    for (let step = 0; step < 4; step++) {
      const k1 = acceleration(v);
      const k2 = acceleration(v + (dt / 2) * k1);
      const k3 = acceleration(v + (dt / 2) * k2);
      const k4 = acceleration(v + dt * k3);
      v += (dt / 6) * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    expect(env.robot.qvel()[0]).toBeCloseTo(v, 10);
  });

  it('cannot be used after close', () => {
    const env = make('mo-hopper-v2');
    const { robot } = env;
    env.close();
    const calls = [
      () => robot.qpos(),
      () => robot.qvel(),
      () => robot.place(new Float64Array(6), new Float64Array(6)),
      () => robot.picture(),
      () => robot.push([0, 0, 0]),
    ];
    for (const call of calls) expect(call).toThrow('of mo-hopper-v2 was called after close(); make a new environment.');
  });
});

describe('the memory of WebAssembly', () => {
  function size(): number {
    const simulation = new Simulation(modelOf(HOPPER, 'legacy'), []);
    const { byteLength } = simulation.arrays.qpos.buffer;
    simulation.close();
    return byteLength;
  }

  it('does not grow with episodes, saved states and environments', () => {
    const env = make('mo-hopper-v2');
    const before = size();
    const observation = new Float32Array(11);
    for (let reset = 0; reset < 20_000; reset++) env.resetInto(observation);
    for (let save = 0; save < 2_000; save++) env.restoreState(env.saveState());
    for (let made = 0; made < 300; made++) {
      const another = makeEnv('mo-hopper-v2');
      another.reset();
      another.close();
    }
    expect(size()).toBe(before);
  });

  it('can grow in the middle of an episode', () => {
    const [a, b] = [make('mo-ant-v2'), make('mo-ant-v2')];
    a.reset({ seed: 12 });
    b.reset({ seed: 12 });
    wander(a, 12, 6);
    const before = size();
    for (let made = 0; made < 60; made++) make('mo-hopper-v2');
    expect(size()).toBeGreaterThan(before);
    wander(b, 12, 6);
    expect(b.saveState()).toEqual(a.saveState());
  });
});
