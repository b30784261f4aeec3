/** What a robot is drawn with: its body, the ground, light and a camera. Lengths are metres, z is up, as in MuJoCo. */
import { Color, DirectionalLight, Fog, HemisphereLight, PerspectiveCamera, Scene, Vector3 } from 'three';
import type { RobotGeom } from '../../envs/index.js';
import type { RobotFrame } from './messages.js';
import { Body } from './robot-body.js';
import { Floor, type Patterns } from './robot-floor.js';
import type { Shadow } from './robot-quality.js';
import { ALL_AROUND, THEMES, TO_SUN, type ThemeName } from './robot-light.js';

/** How far the camera is behind what it follows. */
const FOLLOW_MS = 130;

/** A robot on its ground, with a sun and a camera that follow it. */
export class RobotScene {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(38, 1, 0.05, 200);
  readonly focus = new Vector3();
  readonly body: Body;
  private readonly sun = new DirectionalLight('#ffffff');
  private readonly ambient = new HemisphereLight(ALL_AROUND.sky, ALL_AROUND.ground);
  private readonly floor: Floor;
  private readonly fog: Fog;
  private lookedAt = -Infinity;

  constructor(
    geoms: readonly RobotGeom[],
    private readonly reach: number,
    patterns: Patterns,
  ) {
    this.body = new Body(geoms);
    this.fog = new Fog('#000000', 5 * reach, 26 * reach);
    this.floor = new Floor(patterns, [this.fog.near, this.fog.far]);
    this.camera.up.set(0, 0, 1);
    const { camera } = this.sun.shadow;
    [camera.left, camera.right, camera.top, camera.bottom] = [-2.2 * reach, 2.2 * reach, 2.2 * reach, -2.2 * reach];
    [camera.near, camera.far] = [0.5, 8 * reach + 10];
    this.sun.shadow.bias = -0.0006;
    this.sun.shadow.normalBias = 0.02;
    this.scene.add(this.floor.mesh, this.body.group, this.body.flatShadow, this.sun, this.sun.target, this.ambient);
    this.scene.fog = this.fog;
  }

  setTheme(name: ThemeName): void {
    const { sky, ambient, sun } = THEMES[name];
    this.scene.background = new Color(sky);
    this.fog.color.set(sky);
    this.ambient.intensity = ambient;
    this.sun.intensity = sun;
    this.floor.setTheme(name);
    this.body.setTheme(name);
  }

  setShadow(shadow: Shadow): void {
    const isFlat = shadow === 'flat';
    this.sun.castShadow = !isFlat;
    this.body.setFlat(isFlat);
    this.floor.setPlain(isFlat);
    if (isFlat) return;
    this.sun.shadow.mapSize.set(shadow, shadow);
    this.sun.shadow.map?.dispose();
    this.sun.shadow.map = null;
  }

  show(frame: RobotFrame, floorHeight: number, at: number, duration: number): void {
    this.body.show(frame, at, duration);
    this.body.setFloor(floorHeight);
    this.floor.mesh.position.z = floorHeight;
  }

  /** Follows the robot, gently, and carries floor and sun along. */
  look(now: number, orbit: Orbit): void {
    this.body.place(now);
    const { centre } = this.body;
    const isLost = this.focus.distanceTo(centre) > 3 * this.reach || this.lookedAt === -Infinity;
    const pull = isLost ? 1 : 1 - Math.exp((this.lookedAt - now) / FOLLOW_MS);
    this.lookedAt = now;
    this.focus.x += pull * (centre.x - this.focus.x);
    this.focus.y += pull * (centre.y - this.focus.y);
    // Up and down less than forth: a hop should look like one.
    this.focus.z += (isLost ? 1 : 0.3 * pull) * (centre.z - this.focus.z);
    const { azimuth, elevation, distance } = orbit;
    const flat = distance * this.reach * Math.cos(elevation);
    this.camera.position.set(
      this.focus.x + flat * Math.sin(azimuth),
      this.focus.y - flat * Math.cos(azimuth),
      Math.max(this.focus.z + distance * this.reach * Math.sin(elevation), this.floor.mesh.position.z + 0.1),
    );
    this.camera.lookAt(this.focus);
    this.sun.target.position.copy(this.focus);
    this.sun.position.copy(this.focus).addScaledVector(TO_SUN, this.reach);
    this.floor.follow(this.focus.x, this.focus.y);
  }

  dispose(): void {
    this.body.dispose();
    this.floor.dispose();
    this.sun.dispose();
  }
}

export interface Orbit {
  azimuth: number;
  elevation: number;
  distance: number;
}
