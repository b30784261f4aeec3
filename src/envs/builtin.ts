/** The environments that come with the package. */
import { breakableBottles } from './breakable-bottles.js';
import { deepSeaTreasure, deepSeaTreasureConcave, deepSeaTreasureMirrored } from './deep-sea-treasure.js';
import { fishwood } from './fishwood.js';
import { fourRoom } from './four-room.js';
import { fruitTree } from './fruit-tree.js';
import { mountainCarContinuous, mountainCars } from './mountain-car.js';
import { ant } from './mujoco/ant.js';
import { halfCheetah } from './mujoco/half-cheetah.js';
import { hopper, hopper3 } from './mujoco/hopper.js';
import { humanoid } from './mujoco/humanoid.js';
import { swimmer } from './mujoco/swimmer.js';
import { walker2d } from './mujoco/walker2d.js';
import type { EnvEntry } from './registration.js';
import { resourceGathering } from './resource-gathering.js';

/** The environments that come with the package, family by family, in the order in which they are listed. */
export const BUILTIN: readonly EnvEntry[] = [
  fruitTree(5),
  fruitTree(6),
  fruitTree(7),
  deepSeaTreasure,
  halfCheetah,
  hopper,
  hopper3,
  walker2d,
  ant,
  swimmer,
  humanoid,
  deepSeaTreasureConcave,
  deepSeaTreasureMirrored,
  resourceGathering,
  breakableBottles,
  fourRoom,
  fishwood,
  ...mountainCars,
  mountainCarContinuous,
];
