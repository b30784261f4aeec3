import { describe, expect, it } from 'vitest';
import { makeEnv } from './index.js';

const [MINE, LEFT, RIGHT, ACCELERATE, BRAKE, NOTHING] = [0, 1, 2, 3, 4, 5];

/** A cart that is somewhere else than at home. */
function cartAt(id: string, changes: object) {
  const env = makeEnv(id);
  env.reset();
  const state = env.saveState();
  env.restoreState({ ...state, world: { ...(state.world as object), ...changes } });
  return env;
}

describe('the minecart', () => {
  it('leaves its home, turns and comes back as computed by hand', () => {
    const env = makeEnv('minecart-v0');
    const { observation } = env.reset();
    expect([...observation]).toEqual([0, 0, 0, Math.SQRT1_2, Math.SQRT1_2, 0, 0].map(Math.fround));
    // 0.0075 * (1 + 2 + 3 + 4) along the diagonal, then 4 * 0.03, which is beyond the base.
    const first = env.step(ACCELERATE);
    expect(first.info.speed).toBeCloseTo(0.03, 12);
    expect(first.info.x).toBeCloseTo(0.075 * Math.SQRT1_2, 12);
    expect(first.info.departed).toBe(0);
    expect([...first.reward]).toEqual([0, 0, Math.fround(-0.12)]);
    const second = env.step(NOTHING);
    expect(second.info.y).toBeCloseTo(0.195 * Math.SQRT1_2, 12);
    expect(second.info.departed).toBe(1);
    expect(env.step(BRAKE).info.speed).toBe(0);
    for (let turn = 1; turn <= 4; turn++) expect(env.step(LEFT).info.angle).toBe((405 - 40 * turn) % 360);
    // 20 degrees off the way home: it is there with the fourth frame (0.195² + 0.075² - 2 * 0.195 * 0.075 * cos 20° < 0.15²).
    const { reward, terminated, info } = env.step(ACCELERATE);
    expect(terminated).toBe(true);
    expect([...reward]).toEqual([0, 0, Math.fround(-0.12)]);
    const distance = Math.hypot(info.x as number, info.y as number);
    expect(distance).toBeCloseTo(Math.sqrt(0.195 ** 2 + 0.075 ** 2 - 2 * 0.195 * 0.075 * Math.cos(Math.PI / 9)), 12);
  });

  it('digs until it is full, and sells everything at home', () => {
    const env = cartAt('minecart-deterministic-v0', { x: 0.84, y: 0.8, departed: 1 });
    // Three frames of 0.2 each, and with the fourth what still fits.
    const full = env.step(MINE);
    expect([...full.reward]).toEqual([0, 0, Math.fround(-0.22)]);
    expect(full.info.ore1).toBeCloseTo(0.75, 12);
    expect(full.info.ore2).toBeCloseTo(0.75, 12);
    expect([...full.observation.slice(5)]).toEqual([0.5, 0.5]);
    const home = cartAt('minecart-deterministic-v0', { x: 0.12, y: 0.12, angle: 225, ore1: 0.5, ore2: 1, departed: 1 });
    const { reward, terminated } = home.step(ACCELERATE);
    expect({ reward: [...reward], terminated }).toEqual({ reward: [0.5, 1, Math.fround(-0.12)], terminated: true });
  });

  it('digs with luck where mines are random, and nothing where there is none or while it moves', () => {
    const found = [1, 2].map((seed) => {
      const env = makeEnv('minecart-v0');
      env.reset({ seed });
      const state = env.saveState();
      env.restoreState({ ...state, world: { ...(state.world as object), x: 0.5, y: 0.84 } });
      return env.step(MINE).info.ore1 as number;
    });
    expect(found[0]).not.toBe(found[1]);
    for (const ore of found) expect(Math.abs(ore - 0.6)).toBeLessThan(0.4);
    expect(cartAt('minecart-v0', { x: 0.5, y: 0.5 }).step(MINE).info).toMatchObject({ ore1: 0, ore2: 0 });
    expect(cartAt('minecart-v0', { x: 0.5, y: 0.84, speed: 0.01 }).step(MINE).info).toMatchObject({ ore1: 0 });
  });

  it('slides along a wall', () => {
    // At x = 1, 45 degrees upwards: turned by 10 degrees in each frame, and slowed down to the motion that is left.
    const { info } = cartAt('minecart-v0', { x: 1, y: 0.5, speed: 0.02, departed: 1 }).step(NOTHING);
    expect(info).toMatchObject({ x: 1, angle: 85 });
    const first = 0.02 * Math.SQRT1_2;
    const second = first * Math.sin((55 * Math.PI) / 180);
    const third = second * Math.sin((65 * Math.PI) / 180);
    const fourth = third * Math.sin((75 * Math.PI) / 180);
    expect(info.speed).toBeCloseTo(fourth, 12);
    expect(info.y).toBeCloseTo(0.5 + first + second + third + fourth, 12);
    expect(cartAt('minecart-v0', {}).step(RIGHT).info).toMatchObject({ angle: 85 });
  });
});
