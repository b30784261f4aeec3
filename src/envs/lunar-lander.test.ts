import * as planck from 'planck';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeEnv, prepareEnv, type Environment } from './index.js';
import { Lander } from './lunar-lander.js';

const [NOTHING, LEFT, MAIN, RIGHT] = [0, 1, 2, 3];

beforeAll(async () => {
  await prepareEnv('mo-lunar-lander-v3');
  await prepareEnv('mo-lunar-lander-continuous-v3');
});

/** Leans against its drift, and brakes the faster it sinks; pays attention to nothing but its height on the ground. */
function pilot([x, y, vx, vy, angle, spin, left, right]: ArrayLike<number> & Iterable<number>): [number, number] {
  if (left + right > 0) return [-vy / 2, 0];
  const lean = Math.max(-0.4, Math.min(0.4, x / 2 + vx));
  return [(Math.abs(x) / 2 - y - vy) / 2, (lean - angle) / 2 - spin];
}

function land(env: Environment, actionOf: (lift: number, turn: number) => number | number[]) {
  const sums = [0, 0, 0, 0];
  let { observation } = env.reset({ seed: 1 });
  for (;;) {
    const step = env.step(actionOf(...pilot(observation)));
    step.reward.forEach((value, k) => (sums[k] += value));
    if (step.terminated || step.truncated) return { sums, last: step };
    observation = step.observation;
  }
}

describe('the lunar lander', () => {
  it('begins where the equations of motion of its three bodies have it', () => {
    // numpy.random.default_rng(42).random(16): the ground, the throw, and where the engines sit.
    const draws = [
      0.77395605, 0.43887844, 0.85859792, 0.69736803, 0.09417735, 0.97562235, 0.7611397, 0.78606431, 0.12811363,
      0.45038594, 0.37079802, 0.92676499, 0.64386512, 0.82276161, 0.4434142, 0.22723872,
    ];
    let drawn = 0;
    const lander = new Lander(planck, () => draws[drawn++]);
    expect(drawn).toBe(draws.length);
    // One step of the hull and its two legs on their joints, worked out apart from the physics that is used.
    const expected = [0.00229702, 1.4181306, 0.2326471, 0.3204666, -0.00265488, -0.05269805, 0, 0];
    lander.observation().forEach((value, i) => expect(value).toBeCloseTo(expected[i], 6));
    // 0.33 * (0.92676499 + 0.77395605 + 0.43887844) / 2 of the height, and 0.99 of the height of the pad.
    expect(lander.ground[0][1]).toBeCloseTo((0.33 * 2.13959948 * 400) / 60, 6);
    expect(lander.ground[5]).toEqual([10, expect.closeTo((0.99 * 400) / 120, 12)]);
  });

  it('flies and lands as on Box2D itself', () => {
    // What test/support/lunar-lander.cpp prints: the step and what is observed of the hull. In the end it rests on the pad.
    const flown = new Map([
      [0, [0.002434, 1.404766, 0.246576, -0.273499, -0.002811, -0.055778]],
      [20, [0.0456, 1.156043, 0.2086, -0.806874, 0.080231, 0.095197]],
      [40, [0.080411, 0.730817, 0.101423, -0.886546, 0.160932, 0.031272]],
      [60, [0.07748, 0.41327, -0.104044, -0.562695, 0.155156, -0.052816]],
      [80, [0.03804, 0.229865, -0.240855, -0.301565, 0.054583, -0.110439]],
      [100, [-0.012702, 0.109467, -0.229485, -0.226971, -0.054759, -0.099099]],
      [120, [-0.05525, 0.036604, -0.17075, -0.120646, -0.147578, -0.046057]],
      [186, [-0.094746, -0.006833, 0.000018, -0.00021, -0.001492, -0.000174]],
    ]);
    const flight =
      'LLLL.........................M.MMMMMMMRMMMMMMMMMRMMMMMMRMMMMMMMMRMMMMMM.MMM.MMMM.MMM.MMM.MMM.' +
      'MMM.MMMM.MMM.MMMLMMMM.MM.MLM.M.MLMMMM.M..M..MMRRM............................................';
    let drawn = 1;
    const uniform = () => (++drawn * 0.6180339887498949) % 1;
    const lander = new Lander(planck, uniform);
    const reward = new Float64Array(4);
    // Box2D computes in single precision. A leg that touches the ground earlier or later jumps to another place.
    const differsBy = (step: number) => (step < 121 ? 0.003 : 0.01);
    let hasEnded = false;
    for (let step = 0; step <= flight.length; step++) {
      const observation = lander.observation();
      flown.get(step)?.forEach((value, i) => expect(Math.abs(observation[i] - value)).toBeLessThan(differsBy(step)));
      if (step === flight.length) break;
      const engine = flight[step];
      const side = engine === 'L' ? -1 : engine === 'R' ? 1 : 0;
      hasEnded = lander.step({ main: Number(engine === 'M'), side }, reward, uniform);
    }
    expect(hasEnded).toBe(true);
    expect(reward[0]).toBe(100);
  });

  it('falls freely with its engines off', () => {
    const env = makeEnv('mo-lunar-lander-v3');
    let { observation: before } = env.reset({ seed: 3 });
    // Until the legs have found their place, they shake the hull.
    for (let step = 1; step <= 40; step++) {
      const { observation, reward } = env.step(NOTHING);
      expect([...reward].filter((_, k) => k !== 1)).toEqual([0, -0, -0]);
      // 10 m/s² for 1/50 s, times the half height of the screen over the frames of a second.
      if (step > 20) expect(observation[3] - before[3]).toBeCloseTo((-10 / 50) * (400 / 60 / 50), 4);
      before = observation;
    }
  });

  it('is pushed by its engines, which cost what they burn', () => {
    const after = (action: number) => {
      const env = makeEnv('mo-lunar-lander-v3');
      env.reset({ seed: 4 });
      const { observation, reward } = env.step(action);
      return { vy: observation[3], spin: observation[5], fuel: [...reward.slice(2)] };
    };
    const [nothing, left, main, right] = [NOTHING, LEFT, MAIN, RIGHT].map(after);
    expect(main.vy).toBeGreaterThan(nothing.vy);
    expect(left.spin).toBeGreaterThan(nothing.spin);
    expect(right.spin).toBeLessThan(nothing.spin);
    expect([nothing, left, main, right].map(({ fuel }) => fuel.map((value) => value + 0))).toEqual([
      [0, 0],
      [0, -1],
      [-1, 0],
      [0, -1],
    ]);
  });

  it('runs continuous engines with half of their power at least, or not at all', () => {
    const costs = (action: number[]) => {
      const env = makeEnv('mo-lunar-lander-continuous-v3');
      env.reset({ seed: 4 });
      return [...env.step(action).reward.slice(2)].map((value) => value + 0);
    };
    expect(costs([0, 0.5])).toEqual([0, 0]);
    expect(costs([0.5, -0.75])).toEqual([-0.75, -0.75]);
    expect(costs([7, -7])).toEqual([-1, -1]);
  });

  it.each([
    ['mo-lunar-lander-v3', (lift: number, turn: number) => discreteAction(lift, turn)],
    ['mo-lunar-lander-continuous-v3', (lift: number, turn: number) => [20 * lift - 1, -20 * turn]],
  ])('earns 100 in %s where a pilot brings it to rest', (id, actionOf) => {
    const { sums, last } = land(makeEnv(id), actionOf);
    expect(last.terminated).toBe(true);
    expect(last.reward[0]).toBe(100);
    expect([...last.observation.slice(6)]).toEqual([1, 1]);
    // As Gymnasium adds them up: its own tests want more than 100 of its pilot, and call 200 solved.
    expect(sums[0] + sums[1] + 0.3 * sums[2] + 0.03 * sums[3]).toBeGreaterThan(200);
  });

  it('loses 100 where it crashes, and where it flies away', () => {
    const crashed = land(makeEnv('mo-lunar-lander-v3'), () => NOTHING);
    expect(crashed.last.reward[0]).toBe(-100);
    expect(Math.abs(crashed.last.observation[0])).toBeLessThan(1);
    const gone = land(makeEnv('mo-lunar-lander-continuous-v3'), (_, turn) => [1, turn > -0.2 ? 1 : 0]);
    expect(gone.last.reward[0]).toBe(-100);
    expect(Math.abs(gone.last.observation[0])).toBeGreaterThanOrEqual(1);
  });

  it('goes on exactly from a state in which its legs touch the ground', () => {
    const env = makeEnv('mo-lunar-lander-v3');
    let { observation } = env.reset({ seed: 1 });
    while (observation[6] + observation[7] === 0) ({ observation } = env.step(discreteAction(...pilot(observation))));
    const other = makeEnv('mo-lunar-lander-v3');
    other.restoreState(JSON.parse(JSON.stringify(env.saveState())) as ReturnType<Environment['saveState']>);
    for (let steps = 0; steps < 20; steps++) {
      const action = discreteAction(...pilot(observation));
      const step = env.step(action);
      expect(other.step(action)).toEqual(step);
      ({ observation } = step);
    }
  });

  it('refuses throttles that no engine has', () => {
    const env = makeEnv('mo-lunar-lander-v3');
    const state = env.saveState();
    const world = { ...(state.world as object), throttles: [2, 0] };
    expect(() => env.restoreState({ ...state, world })).toThrow(
      'state.world.throttles must be a list of at most 2000 numbers from -1 to 1.',
    );
  });
});

function discreteAction(lift: number, turn: number): number {
  if (lift > Math.abs(turn) && lift > 0.05) return MAIN;
  return turn < -0.05 ? RIGHT : turn > 0.05 ? LEFT : NOTHING;
}
