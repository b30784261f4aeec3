/** The half-cheetahs of PG-MORL and MO-Gymnasium: a two-legged robot in a vertical plane, for speed and low energy. */
import type { EnvSettings } from '../registration.js';
import { alongX, gymnasiumLocomotion, locomotion, normal, TD3_AS_PUBLISHED, uniform, type Task } from './locomotion.js';
import { capsule, hinge, planarRoot, type Body, type Capsule, type Joint, type Robot, type Vector } from './robot.js';

const RADIUS = 0.046;

/** A capsule about its centre, turned about y from the vertical by an angle. */
function limb(centre: Vector, angle: number, halfLength: number): Capsule {
  const [x, y, z] = centre;
  const [dx, dz] = [halfLength * Math.sin(angle), halfLength * Math.cos(angle)];
  return capsule([x + dx, y, z + dz], [x - dx, y, z - dz], RADIUS);
}

function segment(name: string, at: Vector, joint: Partial<Joint>, geom: Capsule, ...parts: Body[]): Body {
  return { name, at, joints: [hinge(name, [0, 1, 0], joint)], geoms: [geom], parts };
}

const BACK_LEG = segment(
  'bthigh',
  [-0.5, 0, 0],
  { range: [-0.52, 1.05], stiffness: 240, damping: 6 },
  limb([0.1, 0, -0.13], -3.8, 0.145),
  segment(
    'bshin',
    [0.16, 0, -0.25],
    { range: [-0.785, 0.785], stiffness: 180, damping: 4.5 },
    limb([-0.14, 0, -0.07], -2.03, 0.15),
    segment(
      'bfoot',
      [-0.28, 0, -0.14],
      { range: [-0.4, 0.785], stiffness: 120, damping: 3 },
      limb([0.03, 0, -0.097], -0.27, 0.094),
    ),
  ),
);

const FRONT_LEG = segment(
  'fthigh',
  [0.5, 0, 0],
  { range: [-1, 0.7], stiffness: 180, damping: 4.5 },
  limb([-0.07, 0, -0.12], 0.52, 0.133),
  segment(
    'fshin',
    [-0.14, 0, -0.24],
    { range: [-1.2, 0.87], stiffness: 120, damping: 3 },
    limb([0.065, 0, -0.09], -0.6, 0.106),
    segment(
      'ffoot',
      [0.13, 0, -0.18],
      { range: [-0.5, 0.5], stiffness: 60, damping: 1.5 },
      limb([0.045, 0, -0.07], -0.6, 0.07),
    ),
  ),
);

export const HALF_CHEETAH: Robot = {
  name: 'half-cheetah',
  timestep: 0.01,
  integrator: 'Euler',
  totalMass: 14,
  material: { density: 1000, touches: 'floor', condim: 3, friction: [0.4, 0.1, 0.1], solimp: [0, 0.8, 0.01] },
  joints: { armature: 0.1, damping: 0.01, stiffness: 8, solimplimit: [0, 0.8, 0.03] },
  torso: {
    name: 'torso',
    at: [0, 0, 0.7],
    joints: planarRoot(0),
    geoms: [capsule([-0.5, 0, 0], [0.5, 0, 0], RADIUS), limb([0.6, 0, 0.1], 0.87, 0.15)],
    parts: [BACK_LEG, FRONT_LEG],
  },
  motors: [
    { joint: 'bthigh', gear: 120 },
    { joint: 'bshin', gear: 90 },
    { joint: 'bfoot', gear: 60 },
    { joint: 'fthigh', gear: 120 },
    { joint: 'fshin', gear: 60 },
    { joint: 'ffoot', gear: 30 },
  ],
};

const PITCH_LIMIT = (50 * Math.PI) / 180;

const RUNNING = {
  summary: 'A two-legged cheetah in a vertical plane: run fast, spend little.',
  robot: HALF_CHEETAH,
  frameSkip: 5,
  objectives: [{ name: 'Speed' }, { name: 'Efficiency' }],
  resetNoise: { qpos: uniform(0.1), qvel: normal(0.1) },
  unobserved: 1,
  position: alongX,
} satisfies Partial<Task>;

/** What `quick` has for other robots is level here after as many steps, which take 1.8 times as long (docs/benchmarks.md). */
function quickly(more: EnvSettings['settings'] = {}): EnvSettings {
  return { presets: ['quick'], algorithms: ['psl-td3', 'pd-td3'], settings: { ...TD3_AS_PUBLISHED, ...more } };
}

export const halfCheetah = locomotion({
  ...RUNNING,
  id: 'mo-halfcheetah-v2',
  horizon: 500,
  reward({ vx, effort }, out) {
    out[0] = Math.min(4, vx) + 1;
    out[1] = 4 - effort + 1;
  },
  ended: ({ qpos }) => Math.abs(qpos[2]) >= PITCH_LIMIT,
  // Of PD-MORL: undiscounted returns of single-preference TD3 at (1, 0), (0, 1) and (1/2, 1/2).
  keyReturns: [
    [2458.6275146484377, 1526.2019897460937],
    [499.8559997558594, 2493.455078125],
    [2450.69345703125, 2204.8305908203124],
  ],
  settings: [quickly({ learningRate: 1e-3, criticLearningRate: 1e-3 })],
});

/** Has no bounds of speed and pose. */
export const halfCheetahV5 = gymnasiumLocomotion({
  ...RUNNING,
  id: 'mo-halfcheetah-v5',
  horizon: 1000,
  reward({ vx, effort }, out) {
    out[0] = vx;
    out[1] = -effort;
  },
  settings: [quickly()],
});
