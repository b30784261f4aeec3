/**
 * Masses and inertias of geoms as MuJoCo computed them up to version 2.1.0, with which the published results were made.
 */
import type { Geom, Vector } from './robot.js';

/** A mass, its centre, and its inertia about the centre: xx, yy, zz, xy, xz, yz. */
export interface Inertial {
  readonly mass: number;
  readonly centre: Vector;
  readonly inertia: readonly number[];
}

/**
 * The inertial of rigidly joined geoms as MuJoCo computed it up to 2.1.0, the version under the published results: a
 * capsule counts as a solid cylinder that is longer by half a radius at each end, because of its round caps. Later
 * versions compute the caps exactly, which makes the robots 3 to 6 percent heavier.
 */
export function legacyInertial(geoms: readonly Geom[], density: number): Inertial {
  const parts = geoms.map((geom) => inertialOf(geom, density));
  const mass = parts.reduce((sum, part) => sum + part.mass, 0);
  const mean = (axis: number) => parts.reduce((sum, part) => sum + part.mass * part.centre[axis], 0) / mass;
  const centre: Vector = [mean(0), mean(1), mean(2)];
  const inertia = [0, 0, 0, 0, 0, 0];
  for (const part of parts) {
    const [x, y, z] = [0, 1, 2].map((axis) => part.centre[axis] - centre[axis]);
    // Steiner's theorem.
    const moved = [y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z];
    for (let i = 0; i < 6; i++) inertia[i] += part.inertia[i] + part.mass * moved[i];
  }
  return { mass, centre, inertia };
}

function inertialOf(geom: Geom, density: number): Inertial {
  const { radius } = geom;
  if (geom.kind === 'sphere') {
    const mass = (density * 4 * Math.PI * radius ** 3) / 3;
    const about = (2 * mass * radius ** 2) / 5;
    return { mass, centre: geom.centre, inertia: [about, about, about, 0, 0, 0] };
  }
  const { from, to } = geom;
  const span = Math.hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
  const [x, y, z] = [0, 1, 2].map((axis) => (to[axis] - from[axis]) / span);
  const length = span + radius;
  const mass = density * Math.PI * radius ** 2 * length;
  const across = (mass * (3 * radius ** 2 + length ** 2)) / 12;
  const along = (mass * radius ** 2) / 2;
  // The tensor of a body of revolution about the unit vector (x, y, z).
  const less = across - along;
  return {
    mass,
    centre: [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2, (from[2] + to[2]) / 2],
    inertia: [
      across - less * x * x,
      across - less * y * y,
      across - less * z * z,
      -less * x * y,
      -less * x * z,
      -less * y * z,
    ],
  };
}
