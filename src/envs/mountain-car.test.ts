import { describe, expect, it } from 'vitest';
import { makeEnv } from './index.js';

const [BACK, NONE, FORTH] = [0, 1, 2];

/** A car at a position and a velocity. */
function carAt(id: string, position: number, velocity: number) {
  const env = makeEnv(id);
  env.reset();
  env.restoreState({ ...env.saveState(), world: { position, velocity } });
  return env;
}

describe('mountain cars with discrete actions', () => {
  it('move as published: the force and the slope change the velocity, and that the position', () => {
    // At 0 the slope takes 0.0025 * cos(0), the engine gives 0.001: 0.02 + 0.001 - 0.0025 = 0.0185.
    const { info, reward } = carAt('mo-mountaincar-v0', 0, 0.02).step(FORTH);
    expect(info.velocity).toBeCloseTo(0.0185, 12);
    expect(info.position).toBeCloseTo(0.0185, 12);
    expect([...reward]).toEqual([-1, 0, -1]);
    expect([...carAt('mo-mountaincar-v0', 0, 0).step(BACK).reward]).toEqual([-1, -1, 0]);
    expect([...carAt('mo-mountaincar-v0', 0, 0).step(NONE).reward]).toEqual([-1, 0, 0]);
  });

  it('pay no time for the step to the goal, and stop at the wall on the left', () => {
    const goal = carAt('mo-mountaincar-v0', 0.49, 0.05).step(FORTH);
    expect([...goal.reward]).toEqual([0, 0, -1]);
    expect(goal.terminated).toBe(true);
    const wall = carAt('mo-mountaincar-v0', -1.19, -0.07).step(BACK);
    expect(wall.info).toEqual({ position: -1.2, velocity: 0 });
    expect(wall.terminated).toBe(false);
  });

  it('have the objectives of their variants', () => {
    const earned = (variant: string) => [...carAt(`mo-mountaincar${variant}-v0`, 0, 0.02).step(FORTH).reward];
    expect(earned('-timemove')).toEqual([-1, -1]);
    const [time, speed] = earned('-timespeed');
    expect([time, Math.round(speed * 1e9)]).toEqual([-1, Math.round(15 * 0.0185 * 1e9)]);
    expect(earned('-3d').slice(0, 2)).toEqual([-1, -1]);
    expect(earned('-3d')[2]).toBeCloseTo(15 * 0.0185, 12);
  });

  it('are up after swinging with the engine always in the direction of the motion', () => {
    const env = makeEnv('mo-mountaincar-v0');
    let velocity = env.reset({ seed: 1 }).observation[1];
    let last = env.step(NONE);
    let steps = 1;
    while (!last.terminated && !last.truncated) {
      last = env.step(velocity < 0 ? BACK : FORTH);
      velocity = last.observation[1];
      steps += 1;
    }
    expect(last.terminated).toBe(true);
    expect(steps).toBeLessThan(150);
  });
});

describe('the mountain car with continuous actions', () => {
  it('has a stronger engine, a nearer goal, and pays for the square of the force', () => {
    // 0.02 + 0.5 * 0.0015 - 0.0025 = 0.01825.
    const { info, reward } = carAt('mo-mountaincarcontinuous-v0', 0, 0.02).step([0.5]);
    expect(info.velocity).toBeCloseTo(0.01825, 12);
    expect([...reward]).toEqual([-1, -0.25]);
    const goal = carAt('mo-mountaincarcontinuous-v0', 0.44, 0.05).step([-1]);
    expect([...goal.reward]).toEqual([0, -1]);
    expect(goal.terminated).toBe(true);
  });
});
