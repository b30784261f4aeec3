import { describe, expect, it } from 'vitest';
import { envInfo, makeEnv } from './index.js';

const [LEFT, RIGHT, PICK_UP] = [0, 1, 2];
const times = (n: number, action: number) => new Array<number>(n).fill(action);
const ID = 'breakable-bottles-v0';

describe(ID, () => {
  it('delivers one bottle after the other in eighteen steps, and no shards', () => {
    const env = makeEnv(ID);
    expect([...env.reset().observation]).toEqual([4, 0, 0, 0, 0, 0]);
    const trip = [...times(4, LEFT), PICK_UP, ...times(4, RIGHT)];
    const steps = [...trip, ...trip].map((action) => env.step(action));
    steps.forEach(({ reward, terminated }, i) => {
      expect([...reward]).toEqual([-1, i === 8 || i === 17 ? 25 : 0, 0]);
      expect(terminated).toBe(i === 17);
    });
    expect([...steps[4].observation]).toEqual([0, 1, 0, 0, 0, 0]);
    expect([...steps[8].observation]).toEqual([4, 0, 1, 0, 0, 0]);
  });

  it('carries at most two, of which one falls with a step away from a place in between, one time of ten', () => {
    const env = makeEnv(ID);
    env.reset({ seed: 3 });
    const outcomes = new Map<string, number>();
    for (let episode = 0; episode < 300; episode++) {
      env.reset();
      for (const action of [...times(4, LEFT), ...times(3, PICK_UP)]) env.step(action);
      const steps = times(4, RIGHT).map((action) => env.step(action));
      const impact = steps.reduce((sum, { reward }) => sum + reward[2], 0);
      const outcome = JSON.stringify([impact, steps[0].reward[2], steps[3].reward[1], steps[3].terminated]);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    expect([...outcomes.keys()].sort()).toEqual(['[-1,0,25,false]', '[0,0,50,true]']);
    const whole = outcomes.get('[0,0,50,true]')!;
    // Three steps of which none drops one, within three standard deviations.
    expect(Math.abs(whole - 300 * 0.729)).toBeLessThan(3 * Math.sqrt(300 * 0.729 * 0.271));
  });

  it('shows where there are shards, which cannot be picked up', () => {
    const env = makeEnv(ID);
    const start = env.reset().info;
    expect(start).toEqual({ place: 4, carried: 0, delivered: 0, shards: 0 });
    const state = env.saveState();
    env.restoreState({ ...state, world: { place: 2, carried: 1, delivered: 0, shards: 0b010 } });
    expect([...env.step(PICK_UP).observation]).toEqual([2, 1, 0, 0, 1, 0]);
  });

  it('knows both ways: one after the other, or both at once and the second again if it broke', () => {
    // Two at once take 10 steps, and 9 more where one of three steps drops one: 1 - 0.9^3 = 0.271.
    const front = envInfo(ID).knownFront!(1).sort((a, b) => a[0] - b[0]);
    expect(front).toHaveLength(2);
    const expected = [
      [-18, 50, 0],
      [-10 - 9 * 0.271, 50, -0.271],
    ];
    front.forEach((point, i) => point.forEach((value, k) => expect(value).toBeCloseTo(expected[i][k], 12)));
  });
});
