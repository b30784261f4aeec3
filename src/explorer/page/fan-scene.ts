/** Many robots of one model in one scene: each in a lane of its own, whose ground moves as fast as its robot does. */
import { Vector3 } from 'three';
import type { RobotGeom } from '../../envs/index.js';
import { FanBodies } from './fan-bodies.js';
import { LaneFloor } from './lane-floor.js';
import type { RobotFrame } from './messages.js';
import type { Patterns } from './robot-floor.js';
import { Follower } from './robot-follow.js';
import type { ThemeName } from './robot-light.js';
import { Motion } from './robot-motion.js';
import type { Orbit, Shot, ShownRobot } from './robot-shot.js';
import { ShotScene } from './shot-scene.js';

/** In units of a robot's reach: how wide lanes are, and how far each robot is ahead of the one in front of it. */
const LANE = 1.5;
const AHEAD = 1;
/** Of a picture that is as wide as they are ahead of each other; in a narrower one they are less so. */
const WIDE = 1.7;

/** Shadows are flat and light is the same everywhere, so that it is drawn fast, also by a processor. */
export class FanScene extends ShotScene implements Shot {
  readonly elevation = 0.5;
  protected readonly azimuth = 0.3;
  readonly labelled: readonly Vector3[];
  readonly robots: readonly Lane[];
  private readonly bodies: FanBodies;
  private readonly floor: LaneFloor;
  private readonly direction = new Vector3();
  private readonly middle = new Vector3();

  constructor(
    geoms: readonly RobotGeom[],
    count: number,
    private readonly reach: number,
    patterns: Patterns,
  ) {
    super(26, 0.5, 400);
    this.robots = Array.from({ length: count }, () => new Lane(geoms.length, reach));
    this.bodies = new FanBodies(geoms, count);
    this.labelled = this.robots.map(() => new Vector3());
    this.floor = new LaneFloor(patterns, count, LANE * reach);
    this.scene.add(this.floor.group, ...this.bodies.meshes);
  }

  setColours(colours: readonly string[]): void {
    this.bodies.setColours(colours);
    this.floor.setColours(colours);
  }

  setTheme(theme: ThemeName): void {
    this.setSky(theme);
    this.floor.setTheme(theme);
    this.bodies.setTheme(theme);
  }

  show(frames: readonly RobotFrame[], floorHeight: number, at: number, duration: number): void {
    this.floor.group.position.z = floorHeight;
    this.bodies.setFloor(floorHeight);
    this.robots.forEach(({ motion }, i) => motion.show(frames[i], at, duration));
  }

  look(now: number, orbit: Orbit, aspect: number): void {
    const { robots: lanes, reach, middle } = this;
    const ahead = AHEAD * reach * Math.min(1, aspect / WIDE);
    lanes.forEach((lane, i) => {
      const place = i - (lanes.length - 1) / 2;
      lane.run(now, place * ahead, place * LANE * reach);
      this.bodies.place(i, lane.motion, lane.shift);
      this.floor.shift(i, lane.shift.x, lane.shift.y);
    });
    middle.set(0, 0, lanes.reduce((sum, { follower }) => sum + follower.focus.z, 0) / lanes.length);
    this.aim(orbit, aspect);
    lanes.forEach(({ slot }, i) => this.labelled[i].set(slot.x, slot.y, middle.z + 0.75 * reach));
  }

  dispose(): void {
    this.bodies.dispose();
    this.floor.dispose();
  }

  /** As near as all robots and their labels are in sight. */
  private aim(orbit: Orbit, aspect: number): void {
    const { camera, middle, reach } = this;
    const towards = this.towards(this.direction, orbit);
    camera.position.copy(middle).add(towards);
    camera.lookAt(middle);
    camera.updateMatrix();
    const [right, up] = [0, 1].map((column) => new Vector3().setFromMatrixColumn(camera.matrix, column));
    const high = Math.tan((camera.fov * Math.PI) / 360);
    const needed = this.robots.map(({ slot }) => {
      const nearer = slot.dot(towards);
      const across = (Math.abs(slot.dot(right)) + reach) / (high * aspect);
      const upwards = (Math.abs(slot.dot(up)) + 1.3 * reach) / high;
      return nearer + Math.max(across, upwards);
    });
    const away = orbit.distance * Math.max(...needed);
    camera.position.copy(middle).addScaledVector(towards, away);
    this.keepAbove(this.floor.group.position.z);
    this.floor.setMist(away, 3 * away);
  }
}

/** A robot that runs on the spot. */
class Lane implements ShownRobot {
  readonly motion: Motion;
  readonly follower: Follower;
  /** Where the robot would be shown if it were always in its middle, and where it is shown. */
  readonly slot = new Vector3();
  readonly centre = new Vector3();
  readonly shift = new Vector3();

  constructor(geoms: number, reach: number) {
    this.motion = new Motion(geoms);
    this.follower = new Follower(reach);
  }

  run(now: number, x: number, y: number): void {
    const { motion, follower, slot, centre, shift } = this;
    motion.move(now);
    follower.follow(motion.centre, now);
    slot.set(x, y, 0);
    shift.set(follower.focus.x - x, follower.focus.y - y, 0);
    centre.copy(motion.centre).sub(shift);
  }
}
