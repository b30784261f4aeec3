/** A hand that takes hold of a robot and pulls at it, with an arrow that shows how. */
import { ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, Plane, Vector3, type Ray } from 'three';
import type { RobotGeom } from '../../envs/index.js';
import type { Force } from './messages.js';
import type { Shot, ShownRobot } from './robot-shot.js';

/** What is grasped: a place on the axis of a geom. */
export interface Grasp {
  readonly geom: number;
  /** Metres from the middle of the geom. */
  readonly along: number;
}

/** Metres beside a limb that still count: fingers are thick. */
const SLACK = 0.04;

/** The part of a robot that a ray meets first; undefined where it passes by. */
export function graspOf(ray: Ray, robot: ShownRobot, geoms: readonly RobotGeom[]): Grasp | undefined {
  let first: Grasp | undefined;
  let least = Infinity;
  const [onRay, onAxis] = [new Vector3(), new Vector3()];
  geoms.forEach(({ kind, radius, halfLength }, geom) => {
    if (kind === 'plane') return;
    const [back, front] = [-halfLength, halfLength].map((along) => placeOf({ geom, along }, robot, new Vector3()));
    const squared = ray.distanceSqToSegment(back, front, onRay, onAxis);
    const away = onRay.distanceTo(ray.origin);
    if (squared > (radius + SLACK) ** 2 || away >= least) return;
    least = away;
    first = { geom, along: onAxis.distanceTo(back) - halfLength };
  });
  return first;
}

/** Where what is grasped is now, in the scene. */
function placeOf({ geom, along }: Grasp, { motion, shift }: ShownRobot, out: Vector3): Vector3 {
  return out.set(0, 0, along).applyQuaternion(motion.turns[geom]).add(motion.positions[geom]).sub(shift);
}

/** Acceleration of the whole robot, in metres per second squared, for each of its reaches that an arrow is long. */
const PULL = 25;
/** In reaches; a longer arrow would throw the robot away. */
const LONGEST = 2;

export class Hand {
  private readonly arrow = new Arrow();
  private readonly facing = new Plane();
  private readonly from = new Vector3();
  private readonly to = new Vector3();
  private held: { readonly shot: Shot; readonly robot: ShownRobot; readonly grasp: Grasp } | undefined;

  hold(shot: Shot, robot: ShownRobot, grasp: Grasp): void {
    this.held = { shot, robot, grasp };
  }

  release(): void {
    this.held?.shot.scene.remove(this.arrow.group);
    this.held = undefined;
  }

  /**
   * Draws the arrow to where the pointer is, in a plane that faces the camera, and says which force it means.
   * @param reach half the size of the robot, in metres
   * @param mass in kilograms
   */
  pull(ray: Ray, reach: number, mass: number): Force {
    const { shot, robot, grasp } = this.held!;
    const { from, to, facing } = this;
    placeOf(grasp, robot, from);
    facing.setFromNormalAndCoplanarPoint(shot.camera.getWorldDirection(facing.normal), from);
    if (ray.intersectPlane(facing, to) === null) to.copy(from);
    to.sub(from)
      .clampLength(0, LONGEST * reach)
      .add(from);
    shot.scene.add(this.arrow.group);
    this.arrow.point(from, to, 0.03 * reach);
    const newtonsPerMetre = (mass * PULL) / reach;
    const { x, y, z } = to.clone().sub(from).multiplyScalar(newtonsPerMetre);
    return [x, y, z];
  }
}

const UP = new Vector3(0, 1, 0);

/** Seen through everything else. */
class Arrow {
  readonly group = new Group();
  private readonly shaft: Mesh;
  private readonly head: Mesh;

  constructor() {
    const material = new MeshBasicMaterial({ color: '#ff5c39', depthTest: false, fog: false, transparent: true });
    this.shaft = new Mesh(new CylinderGeometry(1, 1, 1, 12).translate(0, 0.5, 0), material);
    this.head = new Mesh(new ConeGeometry(1, 1, 16).translate(0, -0.5, 0), material);
    this.group.add(this.shaft, this.head);
  }

  /** @param thick half the width of its shaft */
  point(from: Vector3, to: Vector3, thick: number): void {
    const length = from.distanceTo(to);
    const head = Math.min(7 * thick, length);
    this.group.visible = length > 0;
    this.group.position.copy(from);
    this.group.quaternion.setFromUnitVectors(UP, to.clone().sub(from).normalize());
    this.shaft.scale.set(thick, Math.max(length - head, 1e-6), thick);
    this.head.scale.set(3 * thick, Math.max(head, 1e-6), 3 * thick);
    this.head.position.y = length;
  }
}
