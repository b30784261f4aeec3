/** The environments that come with the package. */
import { breakableBottles } from './breakable-bottles.js';
import { buildingHeating } from './building-heating.js';
import {
  deepSeaTreasure,
  deepSeaTreasureConcave,
  deepSeaTreasureConvex,
  deepSeaTreasureMirrored,
} from './deep-sea-treasure.js';
import { fishwood } from './fishwood.js';
import { fourRoom } from './four-room.js';
import { fruitTree } from './fruit-tree.js';
import { hivTreatment } from './hiv-treatment.js';
import { lunarLander, lunarLanderContinuous } from './lunar-lander.js';
import { minecart, minecartDeterministic } from './minecart.js';
import { mountainCarContinuous, mountainCars } from './mountain-car.js';
import { ant, antTwoV5, antV5 } from './mujoco/ant.js';
import { halfCheetah, halfCheetahV5 } from './mujoco/half-cheetah.js';
import { hopper, hopper3, hopperTwoV5, hopperV5 } from './mujoco/hopper.js';
import { humanoid, humanoidV5 } from './mujoco/humanoid.js';
import { reacher } from './mujoco/reacher.js';
import { swimmer, swimmerV5 } from './mujoco/swimmer.js';
import { walker2d, walker2dV5 } from './mujoco/walker2d.js';
import type { EnvEntry } from './registration.js';
import { resourceGathering } from './resource-gathering.js';
import { waterReservoir } from './water-reservoir.js';

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
  deepSeaTreasureConvex,
  deepSeaTreasureConcave,
  deepSeaTreasureMirrored,
  resourceGathering,
  breakableBottles,
  fourRoom,
  fishwood,
  ...mountainCars,
  mountainCarContinuous,
  minecart,
  minecartDeterministic,
  lunarLander,
  lunarLanderContinuous,
  waterReservoir(2),
  waterReservoir(3),
  waterReservoir(4),
  halfCheetahV5,
  hopperV5,
  hopperTwoV5,
  walker2dV5,
  antV5,
  antTwoV5,
  swimmerV5,
  humanoidV5,
  reacher,
  buildingHeating,
  hivTreatment,
];
