/** What a robot is drawn with: its body, the ground, light and a camera. */
import { DirectionalLight, Fog, HemisphereLight, Vector3 } from 'three';
import type { RobotGeom } from '../../envs/index.js';
import type { RobotFrame } from './messages.js';
import { Body } from './robot-body.js';
import { Floor, type Patterns } from './robot-floor.js';
import { Follower } from './robot-follow.js';
import type { Motion } from './robot-motion.js';
import type { Shadow } from './robot-quality.js';
import { ALL_AROUND, THEMES, TO_SUN, type ThemeName } from './robot-light.js';
import type { Orbit, Shot, ShownRobot } from './robot-shot.js';
import { ShotScene } from './shot-scene.js';

/** How far the camera is away at first, in units of the robot's reach. */
const DISTANCE = 4.6;
/** A picture that is narrower than this, as a share of its height, is taken from farther away, so that the robot fits in. */
const NARROW = 0.8;

/** A robot on its ground, with a sun and a camera that follow it. */
export class RobotScene extends ShotScene implements Shot {
  readonly elevation = 0.2;
  protected readonly azimuth = 0.25;
  readonly robots: readonly ShownRobot[];
  readonly labelled: readonly Vector3[] = [];
  private readonly body: Body;
  private readonly ghost: Ghost | undefined;
  private readonly bodies: readonly Body[];
  private readonly follower: Follower;
  private readonly sun = new DirectionalLight('#ffffff');
  private readonly ambient = new HemisphereLight(ALL_AROUND.sky, ALL_AROUND.ground);
  private readonly floor: Floor;
  private readonly fog: Fog;

  constructor(
    geoms: readonly RobotGeom[],
    private readonly reach: number,
    patterns: Patterns,
    hasGhost = false,
  ) {
    super(38, 0.05, 200);
    this.body = new Body(geoms);
    const { motion } = this.body;
    // A place in the scene is the one in its world.
    const robot = { motion, centre: motion.centre, shift: new Vector3() };
    this.ghost = hasGhost ? new Ghost(geoms, reach) : undefined;
    this.bodies = [this.body, ...(this.ghost === undefined ? [] : [this.ghost.body])];
    this.robots = [robot, ...(this.ghost === undefined ? [] : [this.ghost])];
    this.follower = new Follower(reach);
    this.fog = new Fog('#000000', 5 * reach, 26 * reach);
    this.floor = new Floor(patterns, [this.fog.near, this.fog.far]);
    const { camera } = this.sun.shadow;
    [camera.left, camera.right, camera.top, camera.bottom] = [-2.2 * reach, 2.2 * reach, 2.2 * reach, -2.2 * reach];
    [camera.near, camera.far] = [0.5, 8 * reach + 10];
    this.sun.shadow.bias = -0.0006;
    this.sun.shadow.normalBias = 0.02;
    this.scene.add(this.floor.mesh, this.sun, this.sun.target, this.ambient);
    for (const { group, flatShadow } of this.bodies) this.scene.add(group, flatShadow);
    this.scene.fog = this.fog;
  }

  setColours(colours: readonly string[]): void {
    this.bodies.forEach((body, i) => body.colour(colours[i]));
  }

  setTheme(name: ThemeName): void {
    const { sky, ambient, sun } = THEMES[name];
    this.setSky(name);
    this.fog.color.set(sky);
    this.ambient.intensity = ambient;
    this.sun.intensity = sun;
    this.floor.setTheme(name);
    for (const body of this.bodies) body.setTheme(name);
  }

  setShadow(shadow: Shadow): void {
    const isPlain = shadow === 'flat' || shadow === 'none';
    this.sun.castShadow = !isPlain;
    for (const body of this.bodies) body.setPlain(isPlain, shadow === 'flat');
    this.floor.setPlain(isPlain);
    if (isPlain) return;
    this.sun.shadow.mapSize.set(shadow, shadow);
    this.sun.shadow.map?.dispose();
    this.sun.shadow.map = null;
  }

  show(frames: readonly RobotFrame[], floorHeight: number, at: number, duration: number): void {
    this.bodies.forEach((body, i) => {
      body.motion.show(frames[i], at, duration);
      body.setFloor(floorHeight);
    });
    this.floor.mesh.position.z = floorHeight;
  }

  /** Carries floor and sun along. */
  look(now: number, orbit: Orbit, aspect: number, isFollowing: boolean): void {
    this.body.place(now);
    if (isFollowing || !this.follower.hasSeen) this.follower.follow(this.body.motion.centre, now);
    const { focus } = this.follower;
    this.ghost?.keepBeside(isFollowing ? focus : this.body.motion.centre, now);
    const towards = this.towards(this.camera.position, orbit);
    const away = DISTANCE * Math.max(1, NARROW / aspect);
    towards.multiplyScalar(away * orbit.distance * this.reach).add(focus);
    this.keepAbove(this.floor.mesh.position.z);
    this.camera.lookAt(focus);
    this.sun.target.position.copy(focus);
    this.sun.position.copy(focus).addScaledVector(TO_SUN, this.reach);
    this.floor.follow(focus.x, focus.y);
  }

  dispose(): void {
    for (const body of this.bodies) body.dispose();
    this.floor.dispose();
    this.sun.dispose();
  }
}

/** How far a ghost is behind the robot, as seen at first, in units of its reach. */
const BESIDE = 0.6;

/** Another robot that is shown beside the first, wherever it has got to: gaits are compared, and it stays in sight. */
class Ghost implements ShownRobot {
  readonly body: Body;
  readonly centre = new Vector3();
  readonly shift = new Vector3();
  private readonly follower: Follower;

  constructor(
    geoms: readonly RobotGeom[],
    private readonly reach: number,
  ) {
    this.body = new Body(geoms, true);
    this.follower = new Follower(reach);
  }

  get motion(): Motion {
    return this.body.motion;
  }

  keepBeside(place: Vector3, now: number): void {
    const { body, follower, shift, centre } = this;
    body.place(now);
    follower.follow(body.motion.centre, now);
    shift.set(follower.focus.x - place.x, follower.focus.y - place.y - BESIDE * this.reach, 0);
    body.group.position.copy(shift).negate();
    centre.copy(body.motion.centre).sub(shift);
  }
}
