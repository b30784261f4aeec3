import { Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { Follower } from './robot-follow.js';

describe('a follower', () => {
  it('comes after what moves slowly, and is where it stays', () => {
    const follower = new Follower(1);
    follower.follow(new Vector3(0, 0, 0), 0);
    follower.follow(new Vector3(0.1, 0, 0), 100);
    expect(follower.focus.x).toBeGreaterThan(0.01);
    expect(follower.focus.x).toBeLessThan(0.09);
    follower.follow(new Vector3(0.1, 0, 0), 5000);
    expect(follower.focus.x).toBeCloseTo(0.1, 6);
  });

  it('is never farther behind than a quarter of the reach, however fast it has to be', () => {
    const follower = new Follower(2);
    follower.follow(new Vector3(), 0);
    for (let i = 1; i < 100; i++) {
      const centre = new Vector3(0.3 * i, 0.1 * i, 0);
      follower.follow(centre, 17 * i);
      expect(centre.distanceTo(follower.focus)).toBeLessThanOrEqual(0.5 + 1e-9);
    }
  });

  it('lets a hop be seen as one, and keeps a high one in the picture', () => {
    const follower = new Follower(2);
    follower.follow(new Vector3(0, 0, 1), 0);
    follower.follow(new Vector3(0, 0, 1.5), 50);
    expect(follower.focus.z).toBeLessThan(1.1);
    for (let i = 1; i < 30; i++) {
      const centre = new Vector3(0, 0, 1.5 + 0.1 * i);
      follower.follow(centre, 50 + 17 * i);
      expect(centre.z - follower.focus.z).toBeLessThanOrEqual(1 + 1e-9);
    }
  });
});
