import { PerspectiveCamera, Quaternion, Ray, Scene, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import type { RobotGeom } from '../../envs/index.js';
import { graspOf, Hand } from './robot-hand.js';
import { Motion } from './robot-motion.js';
import type { Shot, ShownRobot } from './robot-shot.js';

const geoms: readonly RobotGeom[] = [
  { body: 'world', kind: 'plane', radius: 0, halfLength: 0 },
  { body: 'torso', kind: 'sphere', radius: 0.25, halfLength: 0 },
  { body: 'leg', kind: 'capsule', radius: 0.1, halfLength: 0.5 },
];

/** A torso at a height of two metres, and a leg along x in front of it; both ten metres along x, which are taken off. */
function robot(): ShownRobot {
  const motion = new Motion(geoms.length);
  motion.positions[1].set(10, 0, 2);
  motion.positions[2].set(10, -1, 1);
  motion.turns[2].copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), new Vector3(1, 0, 0)));
  return { motion, shift: new Vector3(10, 0, 0), centre: new Vector3(0, 0, 1.5) };
}

const away = (x: number, z: number) => new Ray(new Vector3(x, -5, z), new Vector3(0, 1, 0));

describe('graspOf', () => {
  it('finds the part that a ray meets first, and where on it', () => {
    expect(graspOf(away(0.1, 2.1), robot(), geoms)).toMatchObject({ geom: 1, along: 0 });
    const leg = graspOf(away(0.3, 1.05), robot(), geoms)!;
    expect(leg.geom).toBe(2);
    expect(leg.along).toBeCloseTo(0.3, 12);
  });

  it('takes the nearer of two parts that lie behind each other', () => {
    const bent = robot();
    bent.motion.positions[1].set(10, 0, 1);
    expect(graspOf(away(0, 1), bent, geoms)?.geom).toBe(2);
  });

  it('holds nothing where a ray passes by, and never the floor', () => {
    expect(graspOf(away(0, 3), robot(), geoms)).toBeUndefined();
    expect(graspOf(away(0, 0), robot(), geoms)).toBeUndefined();
  });
});

describe('Hand', () => {
  const camera = new PerspectiveCamera();
  camera.up.set(0, 0, 1);
  camera.position.set(0, -5, 1);
  camera.lookAt(0, 0, 1);
  camera.updateMatrixWorld();
  const seen = () => ({ scene: new Scene(), camera }) as unknown as Shot;

  it('pulls towards the pointer, the harder the farther it is, and no harder than for two reaches', () => {
    const hand = new Hand();
    hand.hold(seen(), robot(), { geom: 2, along: 0 });
    const [x, y, z] = hand.pull(away(0.5, 1), 1, 4);
    // Half a reach of four kilograms, at 25 metres per second squared for a whole one.
    expect([x, y, z].map((part) => Number(part.toFixed(6)) + 0)).toEqual([50, 0, 0]);
    expect(hand.pull(away(0, 9), 1, 4)[2]).toBeCloseTo(2 * 25 * 4, 6);
  });

  it('draws its arrow while it holds something, and then no more', () => {
    const hand = new Hand();
    const shot = seen();
    hand.hold(shot, robot(), { geom: 1, along: 0 });
    hand.pull(away(1, 1), 1, 4);
    expect(shot.scene.children).toHaveLength(1);
    hand.release();
    expect(shot.scene.children).toHaveLength(0);
  });
});
