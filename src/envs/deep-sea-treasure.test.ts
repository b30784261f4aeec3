import { describe, expect, it } from 'vitest';
import { envInfo, makeEnv } from './index.js';
import type { Environment, EnvStep } from './index.js';

const [UP, DOWN, LEFT, RIGHT] = [0, 1, 2, 3];

/** Goes right to a column and then down to a row. */
function dive(env: Environment, row: number, column: number): EnvStep[] {
  env.reset();
  const moves = [...new Array<number>(column).fill(RIGHT), ...new Array<number>(row).fill(DOWN)];
  return moves.map((move) => env.step(move));
}

function discountedReturn(steps: readonly EnvStep[], discount: number): number[] {
  const total = [0, 0];
  steps.forEach(({ reward }, t) => reward.forEach((value, i) => (total[i] += discount ** t * value)));
  return total;
}

const CONVEX = [0.7, 8.2, 11.5, 14.0, 15.1, 16.1, 19.6, 20.3, 22.4, 23.7];
const TREASURES = {
  'deep-sea-treasure': CONVEX,
  'deep-sea-treasure-v0': CONVEX,
  'deep-sea-treasure-concave': [1, 2, 3, 5, 8, 16, 24, 50, 74, 124],
};
const ROWS = [1, 2, 3, 4, 4, 4, 7, 7, 9, 10];

describe.each(['deep-sea-treasure', 'deep-sea-treasure-v0', 'deep-sea-treasure-concave'] as const)('%s', (id) => {
  it('has the published treasure at the bottom of each column, and the front that comes of it', () => {
    const env = makeEnv(id);
    const front = envInfo(id).knownFront!(0.99);
    expect(front).toHaveLength(10);
    TREASURES[id].forEach((treasure, column) => {
      const steps = dive(env, ROWS[column], column);
      const last = steps[steps.length - 1];
      expect(steps.map(({ terminated }) => terminated)).toEqual(steps.map((step) => step === last));
      expect(last.truncated).toBe(false);
      expect([...last.reward]).toEqual([treasure, -1]);
      expect(last.info).toEqual({ row: ROWS[column], column });
      const [value, time] = discountedReturn(steps, 0.99);
      expect(front[column][0]).toBeCloseTo(value, 12);
      expect(front[column][1]).toBeCloseTo(time, 12);
    });
  });

  it('does not leave the sea, but pays for trying', () => {
    const env = makeEnv(id);
    env.reset();
    for (const move of [UP, LEFT]) {
      const { observation, reward, terminated } = env.step(move);
      expect([...observation]).toEqual([0, 0]);
      expect([...reward]).toEqual([0, -1]);
      expect(terminated).toBe(false);
    }
    dive(env, 10, 10);
    for (const move of [DOWN, RIGHT]) expect([...env.step(move).observation]).toEqual([10, 10]);
    expect([...env.step(UP).observation]).toEqual([9, 10]);
    expect([...env.step(LEFT).observation]).toEqual([9, 9]);
  });

  it('truncates an episode that finds nothing at the step limit, without terminating it', () => {
    const env = makeEnv(id);
    env.reset();
    const { horizon } = envInfo(id);
    for (let step = 1; step < horizon; step++) expect(env.step(UP)).toMatchObject({ truncated: false });
    expect(env.step(UP)).toMatchObject({ terminated: false, truncated: true });
  });

  it('terminates and does not truncate when a treasure is found with the last step', () => {
    const env = makeEnv(id);
    env.reset();
    for (let step = 1; step < envInfo(id).horizon; step++) env.step(UP);
    expect(env.step(DOWN)).toMatchObject({ terminated: true, truncated: false });
  });

  it('marks one cell out of 121 when one-hot', () => {
    const env = makeEnv(id, { encoding: 'one-hot' });
    expect(env.observationSpace.shape).toEqual([121]);
    expect(env.reset().observation.indexOf(1)).toBe(0);
    env.step(RIGHT);
    const { observation } = env.step(DOWN);
    expect(observation.indexOf(1)).toBe(12);
    expect(observation.reduce((a, b) => a + b)).toBe(1);
  });
});

describe('deep-sea-treasure', () => {
  it('returns what was worked out by hand for the first two treasures', () => {
    const [nearest, second] = envInfo('deep-sea-treasure').knownFront!(0.99);
    expect(nearest).toEqual([0.7, -1]);
    // 8.2 * 0.99^2 and -(1 + 0.99 + 0.9801).
    expect(second[0]).toBeCloseTo(8.03682, 12);
    expect(second[1]).toBeCloseTo(-2.9701, 12);
    expect(envInfo('deep-sea-treasure').knownFront!(1).at(-1)).toEqual([23.7, -19]);
  });

  it('has the published hypervolume and sparsity, with 19 steps as the worst time that counts', () => {
    const info = envInfo('deep-sea-treasure');
    // From the best time to the worst: each point adds a rectangle above the one before.
    const front = info.knownFront!(0.99);
    expect(info.referencePoint).toEqual([0, -19]);
    let volume = 0;
    let gaps = 0;
    front.forEach(([treasure, time], i) => {
      const [below, later] = i === 0 ? [0, time] : front[i - 1];
      volume += (treasure - below) * (time + 19);
      if (i > 0) gaps += (treasure - below) ** 2 + (time - later) ** 2;
    });
    expect(volume).toBeCloseTo(241.7330895, 6);
    expect(gaps / (front.length - 1)).toBeCloseTo(12.6193664, 6);
  });

  it('leaves treasures out of the front that a small discount makes not worth the way', () => {
    // The fourth is worth 14 * 0.9^6 = 7.44 where the third was worth 7.55, and those beyond are worth less still.
    const front = envInfo('deep-sea-treasure').knownFront!(0.9);
    expect(front.map(([treasure]) => treasure)).toEqual([0.7, 8.2 * 0.9 ** 2, 11.5 * 0.9 ** 4]);
  });

  it('lets the submarine enter the sea bed, which costs 10 and ends the episode', () => {
    const env = makeEnv('deep-sea-treasure');
    dive(env, 5, 6);
    const wreck = env.step(LEFT);
    expect([...wreck.observation]).toEqual([5, 5]);
    expect([...wreck.reward]).toEqual([-10, -1]);
    expect(wreck).toMatchObject({ terminated: true, truncated: false });
  });
});

it.each(['deep-sea-treasure-v0', 'deep-sea-treasure-concave'])('%s has a sea bed that stops the submarine', (id) => {
  const env = makeEnv(id);
  dive(env, 5, 6);
  const bump = env.step(LEFT);
  expect([...bump.observation]).toEqual([5, 6]);
  expect([...bump.reward]).toEqual([0, -1]);
  expect(bump.terminated).toBe(false);
});

describe('deep-sea-treasure-v0', () => {
  it('is truncated after 100 steps', () => {
    expect(envInfo('deep-sea-treasure-v0').horizon).toBe(100);
  });

  it('has the front that MO-Gymnasium publishes', () => {
    // Its CONVEX_FRONT, and its pareto_front(0.99) of the first and the last.
    const front = envInfo('deep-sea-treasure-v0').knownFront!;
    const times = [-1, -3, -5, -7, -8, -9, -13, -14, -17, -19];
    expect(front(1)).toEqual(CONVEX.map((treasure, i) => [treasure, times[i]]));
    const [first, last] = [front(0.99)[0], front(0.99)[9]];
    expect(first).toEqual([0.7, -1]);
    expect(last[0]).toBeCloseTo(23.7 * 0.99 ** 18, 12);
    expect(last[1]).toBeCloseTo(-(1 - 0.99 ** 19) / (1 - 0.99), 12);
  });

  it('goes where the published rules lead', () => {
    const env = makeEnv('deep-sea-treasure-v0');
    env.reset();
    // Random moves, and the places that MO-Gymnasium's step gives for them, four times held by the sea bed.
    const moves = 'RRRDRRDDLRLRRRDLRDUDRLLLLDLLD';
    const places =
      '0,1 0,2 0,3 1,3 1,4 1,5 2,5 3,5 3,4 3,5 3,4 3,5 3,6 3,7 4,7 4,6 4,7 5,7 4,7 5,7 5,8 5,7 5,6 5,6 5,6 6,6 6,6 6,6 7,6';
    const steps = Array.from(moves, (move) => env.step('UDLR'.indexOf(move)));
    expect(steps.map(({ observation }) => observation.join()).join(' ')).toBe(places);
    for (const { reward, terminated } of steps.slice(0, -1)) {
      expect({ reward: [...reward], terminated }).toEqual({ reward: [0, -1], terminated: false });
    }
    expect(steps.at(-1)).toMatchObject({ reward: new Float64Array([19.6, -1]), terminated: true, truncated: false });
  });
});

describe('deep-sea-treasure-concave', () => {
  it('has only the ends of its front as optima of linear preferences', () => {
    for (const discount of [0.99, 1]) {
      const front = envInfo('deep-sea-treasure-concave').knownFront!(discount);
      for (let i = 0; i <= 1000; i++) {
        const utilities = front.map(([treasure, time]) => (i / 1000) * treasure + (1 - i / 1000) * time);
        expect([0, 9]).toContain(utilities.indexOf(Math.max(...utilities)));
      }
    }
  });
});

describe('deep-sea-treasure-mirrored-v0', () => {
  it('has the front of the concave map on the right, and nothing on the left', () => {
    const id = 'deep-sea-treasure-mirrored-v0';
    expect(envInfo(id).knownFront!(0.99)).toEqual(envInfo('deep-sea-treasure-concave').knownFront!(0.99));
    const env = makeEnv(id);
    expect([...env.reset().observation]).toEqual([0, 10]);
    expect(env.step(DOWN)).toMatchObject({ reward: new Float64Array([1, -1]), terminated: true });
    env.reset();
    // Nine to the right and ten down, to the largest treasure; nine to the left and down, to the sea bed at row 9.
    for (let i = 0; i < 9; i++) env.step(RIGHT);
    for (let i = 0; i < 9; i++) expect(env.step(DOWN).terminated).toBe(false);
    expect(env.step(DOWN)).toMatchObject({ reward: new Float64Array([124, -1]), terminated: true });
    env.reset();
    for (let i = 0; i < 9; i++) env.step(LEFT);
    const steps = new Array(12).fill(DOWN).map((move: number) => env.step(move));
    expect([...steps[11].observation]).toEqual([9, 1]);
    expect(steps.every(({ reward, terminated }) => reward[0] === 0 && !terminated)).toBe(true);
  });
});
