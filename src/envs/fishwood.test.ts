import { describe, expect, it } from 'vitest';
import { envInfo, makeEnv } from './index.js';

const ID = 'fishwood-v0';
const [FISH, WOOD] = [0, 1];

describe(ID, () => {
  it('begins in the woods, earns where it is and then goes where the action says, for 200 steps', () => {
    const env = makeEnv(ID);
    expect([...env.reset({ seed: 1 }).observation]).toEqual([WOOD]);
    const total = [0, 0];
    for (let step = 1; step <= 200; step++) {
      const { observation, reward, terminated, truncated } = env.step(FISH);
      expect([...observation]).toEqual([FISH]);
      // Wood can only be found with the first step.
      if (step > 1) expect(reward[WOOD]).toBe(0);
      reward.forEach((value, k) => (total[k] += value));
      expect({ terminated, truncated }).toEqual({ terminated: false, truncated: step === 200 });
    }
    // 199 tries with a probability of 0.1.
    expect(Math.abs(total[FISH] - 19.9)).toBeLessThan(3 * Math.sqrt(199 * 0.1 * 0.9));
  });

  it('knows what its three policies without memory earn', () => {
    const expected = [
      [0, 180],
      [19.9, 0.9],
      [10, 90],
    ];
    const front = envInfo(ID).knownFront!(1);
    front.forEach((point, i) => point.forEach((value, k) => expect(value).toBeCloseTo(expected[i][k], 9)));
  });
});
