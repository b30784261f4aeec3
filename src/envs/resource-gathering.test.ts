import { describe, expect, it } from 'vitest';
import { envInfo, makeEnv } from './index.js';

const [UP, DOWN, LEFT, RIGHT] = [0, 1, 2, 3];
const times = (n: number, move: number) => new Array<number>(n).fill(move);
const ID = 'resource-gathering-v0';

/** The rewards of an episode, without the steps that earn nothing. */
function earned(moves: readonly number[], seed = 0): [step: number, reward: number[]][] {
  const env = makeEnv(ID);
  env.reset({ seed });
  const rewards: [number, number[]][] = [];
  moves.forEach((move, i) => {
    const { reward, terminated } = env.step(move);
    expect(terminated).toBe(i === moves.length - 1);
    if (reward.some((value) => value !== 0)) rewards.push([i + 1, [...reward]]);
  });
  return rewards;
}

describe(ID, () => {
  // The ways and their lengths are those that MO-Gymnasium's front is made of.
  it('brings the gold home in twelve steps past no enemy, and the gem in ten', () => {
    const gold = [LEFT, ...times(4, UP), RIGHT, LEFT, ...times(4, DOWN), RIGHT];
    expect(earned(gold)).toEqual([[12, [0, 1, 0]]]);
    const gem = [RIGHT, RIGHT, ...times(3, UP), ...times(3, DOWN), LEFT, LEFT];
    expect(earned(gem)).toEqual([[10, [0, 0, 1]]]);
  });

  it('observes row, column and what is carried, and stays inside the walls', () => {
    const env = makeEnv(ID);
    expect([...env.reset().observation]).toEqual([4, 2, 0, 0]);
    expect(env.step(DOWN)).toMatchObject({ terminated: true, reward: new Float64Array(3) });
    env.reset();
    for (const move of [RIGHT, RIGHT, RIGHT, UP, UP]) env.step(move);
    expect([...env.step(UP).observation]).toEqual([1, 4, 0, 1]);
  });

  it('catches one of ten visitors of an enemy', () => {
    const env = makeEnv(ID);
    env.reset({ seed: 1 });
    let caught = 0;
    for (let visit = 0; visit < 500; visit++) {
      env.reset();
      env.step(UP);
      env.step(UP);
      const { reward, terminated } = env.step(UP);
      if (terminated) caught -= reward[0];
    }
    // Within three standard deviations.
    expect(Math.abs(caught - 50)).toBeLessThan(3 * Math.sqrt(500 * 0.1 * 0.9));
  });

  it('knows the ways that are worth it', () => {
    // Gold in 12 steps, the gem in 10, both in 18, and both in 14 of which the seventh is past an enemy.
    const g = 0.95;
    const expected = [
      [0, g ** 11, 0],
      [0, 0, g ** 9],
      [0, g ** 17, g ** 17],
      [-0.1 * g ** 6, 0.9 * g ** 13, 0.9 * g ** 13],
    ];
    const front = envInfo(ID).knownFront!(g);
    expect(front).toHaveLength(expected.length);
    for (const point of expected) {
      const nearest = front.map((other) => Math.max(...other.map((value, k) => Math.abs(value - point[k]))));
      expect(Math.min(...nearest)).toBeLessThan(1e-12);
    }
    // Without a discount nothing is gained by haste.
    expect(envInfo(ID).knownFront!(1)).toEqual([[0, 1, 1]]);
  });
});
