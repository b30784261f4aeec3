/** What all that is seen by one camera has. Lengths are metres, z is up, as in MuJoCo. */
import { Color, PerspectiveCamera, Scene, type Vector3 } from 'three';
import { THEMES, type ThemeName } from './robot-light.js';
import { clampElevation, towardsCamera, type Orbit } from './robot-shot.js';

/** How near the ground a camera may come. */
const LOWEST = 0.1;

/** A scene and the camera that looks at it. */
export abstract class ShotScene {
  readonly scene = new Scene();
  readonly camera: PerspectiveCamera;
  /** Of the camera at first. */
  abstract readonly elevation: number;
  protected abstract readonly azimuth: number;

  /**
   * @param angle across the height of the picture, in degrees
   * @param near what is nearer is not drawn, nor what is farther than `far`
   */
  constructor(angle: number, near: number, far: number) {
    this.camera = new PerspectiveCamera(angle, 1, near, far);
    this.camera.up.set(0, 0, 1);
  }

  protected setSky(theme: ThemeName): void {
    this.scene.background = new Color(THEMES[theme].sky);
  }

  /** From what is looked at to the camera, for a distance of one. */
  protected towards(out: Vector3, { azimuth, elevation }: Orbit): Vector3 {
    return towardsCamera(out, this.azimuth + azimuth, clampElevation(this.elevation + elevation));
  }

  protected keepAbove(floorHeight: number): void {
    this.camera.position.z = Math.max(this.camera.position.z, floorHeight + LOWEST);
  }
}
