/** The bodies of robots as data: parts, joints, geoms and motors, from which MJCF is written. */

/** Metres along x (forward), y (left) and z (up). */
export type Vector = readonly [number, number, number];

/**
 * A robot as MuJoCo's classic benchmark describes it, in kilograms, metres, seconds and radians. Positions are relative
 * to the body that they belong to, that of a body relative to its parent.
 */
export interface Robot {
  readonly name: string;
  readonly timestep: number;
  readonly integrator: 'Euler' | 'RK4';
  /** How contact forces are found; without it MuJoCo's default, Newton's method run to convergence. */
  readonly solver?: { readonly name: 'PGS' | 'Newton'; readonly iterations: number };
  /** What the robot moves in, where it is not a vacuum. */
  readonly medium?: { readonly density: number; readonly viscosity: number };
  /** Masses are scaled to this sum. */
  readonly totalMass?: number;
  /** Of every geom that does not say otherwise. */
  readonly material: Material;
  readonly floor?: Partial<Material> & { readonly height?: number };
  /** Of every joint that does not say otherwise. */
  readonly joints: JointForces;
  readonly torso: Body;
  /** In the order of the entries of an action. */
  readonly motors: readonly Motor[];
}

export interface Body {
  readonly name: string;
  readonly at: Vector;
  /** A quaternion (w, x, y, z) of any length. */
  readonly turned?: readonly [number, number, number, number];
  /** Applied in this order; their coordinates follow each other in qpos and qvel. */
  readonly joints: readonly Joint[];
  readonly geoms: readonly Geom[];
  readonly parts?: readonly Body[];
}

export type Geom = (Sphere | Capsule) & { readonly friction?: Vector };

export interface Sphere {
  readonly kind: 'sphere';
  readonly centre: Vector;
  readonly radius: number;
}

/** Every point within a radius of a line. */
export interface Capsule {
  readonly kind: 'capsule';
  readonly from: Vector;
  readonly to: Vector;
  readonly radius: number;
}

export interface Material {
  readonly density: number;
  /** What the robot's geoms can collide with. A body never collides with its parent. */
  readonly touches: 'everything' | 'floor' | 'nothing';
  /** 1: contacts without friction. 3: with sliding friction. The larger one of a pair counts. */
  readonly condim: 1 | 3;
  /** Sliding, torsional, rolling; entry by entry the larger one of a pair counts. */
  readonly friction?: Vector;
  /** Contacts begin to act when two geoms are this near. */
  readonly margin?: number;
  /** MuJoCo's impedance parameters: at the surface, inside, width of the transition. */
  readonly solimp?: Vector;
}

export interface JointForces {
  /** Inertia added to the joint itself. */
  readonly armature: number;
  readonly damping: number;
  readonly stiffness?: number;
  /** MuJoCo's impedance parameters of the limits. */
  readonly solimplimit?: Vector;
}

export interface Joint extends Partial<JointForces> {
  readonly name: string;
  readonly kind: 'hinge' | 'slide' | 'free';
  readonly axis?: Vector;
  /** The anchor in the frame of the body; its origin where it is absent. */
  readonly at?: Vector;
  /** Without it the joint moves freely. */
  readonly range?: readonly [number, number];
  /** The value of the coordinate in the pose as it is written here. */
  readonly reference?: number;
}

/** A torque of `gear` times the action, which is clipped to [-limit, limit]; the limit is 1 where it is absent. */
export interface Motor {
  readonly joint: string;
  readonly gear: number;
  readonly limit?: number;
}

export function capsule(from: Vector, to: Vector, radius: number): Capsule {
  return { kind: 'capsule', from, to, radius };
}

export function sphere(centre: Vector, radius: number): Sphere {
  return { kind: 'sphere', centre, radius };
}

export function hinge(name: string, axis: Vector, rest: Omit<Joint, 'name' | 'kind' | 'axis'> = {}): Joint {
  return { name, kind: 'hinge', axis, ...rest };
}

export function slide(name: string, axis: Vector, rest: Omit<Joint, 'name' | 'kind' | 'axis'> = {}): Joint {
  return { name, kind: 'slide', axis, ...rest };
}

const FORCELESS = { armature: 0, damping: 0, stiffness: 0 };

/** The joints of a robot that moves in the plane of x and z, where `height` is its z in the reference pose. */
export function planarRoot(height: number): readonly Joint[] {
  return [
    slide('rootx', [1, 0, 0], FORCELESS),
    slide('rootz', [0, 0, 1], { ...FORCELESS, reference: height }),
    hinge('rooty', [0, 1, 0], FORCELESS),
  ];
}

/** The joint of a robot that moves anywhere: a position and a quaternion. */
export const FREE_ROOT: Joint = { name: 'root', kind: 'free', ...FORCELESS };

export function degrees(low: number, high: number): readonly [number, number] {
  return [(low * Math.PI) / 180, (high * Math.PI) / 180];
}

/** The torso and all of its parts, each before its own parts: MuJoCo's order. */
export function bodiesOf(robot: Robot): readonly Body[] {
  const below = (body: Body): Body[] => [body, ...(body.parts ?? []).flatMap(below)];
  return below(robot.torso);
}
