/** What one camera sees: a robot, or a fan of them. */
import type { PerspectiveCamera, Scene, Vector3 } from 'three';
import type { RobotFrame } from './messages.js';
import type { Motion } from './robot-motion.js';
import type { ThemeName } from './robot-light.js';
import type { Shadow } from './robot-quality.js';

export interface Shot {
  readonly scene: Scene;
  readonly camera: PerspectiveCamera;
  readonly robots: readonly ShownRobot[];
  /** Where each robot's label belongs, in the scene, where they have any there. */
  readonly labelled: readonly Vector3[];
  /** Of the camera at first. */
  readonly elevation: number;
  setColours(colours: readonly string[]): void;
  setTheme(theme: ThemeName): void;
  /** Where shadows can be of different kinds. */
  setShadow?(shadow: Shadow): void;
  show(frames: readonly RobotFrame[], floorHeight: number, at: number, duration: number): void;
  /** Turns the camera to where robots are now, or, unless it follows them, to where they were. */
  look(now: number, orbit: Orbit, aspect: number, isFollowing: boolean): void;
  dispose(): void;
}

export interface ShownRobot {
  /** In its own world. */
  readonly motion: Motion;
  /** What has to be added to a place in the scene to have the one in the robot's world. */
  readonly shift: Vector3;
  /** Where it is in the scene. */
  readonly centre: Vector3;
}

/** Where a camera is, from where it is at first: angles to be added, and by what its distance is multiplied. */
export interface Orbit {
  readonly azimuth: number;
  readonly elevation: number;
  readonly distance: number;
}

/** The camera where nobody has moved it. */
export const HOME: Orbit = { azimuth: 0, elevation: 0, distance: 1 };

/** Neither inside of the robot nor out of sight. */
export function clampDistance(distance: number): number {
  return Math.min(Math.max(distance, 0.4), 3);
}

/** From what a camera looks at to the camera, for a distance of one. */
export function towardsCamera(out: Vector3, azimuth: number, elevation: number): Vector3 {
  const flat = Math.cos(elevation);
  return out.set(flat * Math.sin(azimuth), -flat * Math.cos(azimuth), Math.sin(elevation));
}

/** Neither below the ground nor over the top. */
export function clampElevation(elevation: number): number {
  return Math.min(Math.max(elevation, -0.05), 1.4);
}
