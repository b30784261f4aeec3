/** The hoppers of PG-MORL and MO-Gymnasium: one leg in a vertical plane, with two objectives or three. */
import type { EnvSettings } from '../registration.js';
import { alongX, gymnasiumLocomotion, locomotion, uniform, type Task } from './locomotion.js';
import { capsule, degrees, hinge, planarRoot, type Body, type Robot, type Vector } from './robot.js';

/** Positive angles bend the leg forward, hence the axis to the right. */
const RIGHT: Vector = [0, -1, 0];
const SKIN: Vector = [0.9, 0.005, 0.0001];
const SOLE: Vector = [2, 0.005, 0.0001];

type Range = readonly [number, number];

/** Joints without a range move freely. */
function torso(thigh?: Range, knee?: Range, ankle?: Range): Body {
  const within = (range: Range | undefined) => range && { range };
  return {
    name: 'torso',
    at: [0, 0, 1.25],
    joints: planarRoot(1.25),
    geoms: [{ ...capsule([0, 0, 0.2], [0, 0, -0.2], 0.05), friction: SKIN }],
    parts: [
      {
        name: 'thigh',
        at: [0, 0, -0.2],
        joints: [hinge('thigh_joint', RIGHT, within(thigh))],
        geoms: [{ ...capsule([0, 0, 0], [0, 0, -0.45], 0.05), friction: SKIN }],
        parts: [
          {
            name: 'leg',
            at: [0, 0, -0.7],
            joints: [hinge('leg_joint', RIGHT, { at: [0, 0, 0.25], ...within(knee) })],
            geoms: [{ ...capsule([0, 0, 0.25], [0, 0, -0.25], 0.04), friction: SKIN }],
            parts: [
              {
                name: 'foot',
                at: [0.065, 0, -0.25],
                joints: [hinge('foot_joint', RIGHT, { at: [-0.065, 0, 0], ...within(ankle) })],
                geoms: [{ ...capsule([-0.195, 0, 0], [0.195, 0, 0], 0.06), friction: SOLE }],
              },
            ],
          },
        ],
      },
    ],
  };
}

export const HOPPER: Robot = {
  name: 'hopper',
  timestep: 0.002,
  integrator: 'RK4',
  material: { density: 1000, touches: 'everything', condim: 1, margin: 0.001, solimp: [0.8, 0.8, 0.01] },
  floor: { condim: 3 },
  joints: { armature: 1, damping: 40 },
  torso: torso(),
  motors: [
    { joint: 'thigh_joint', gear: 200, limit: 2 },
    { joint: 'leg_joint', gear: 200, limit: 2 },
    { joint: 'foot_joint', gear: 300, limit: 4 },
  ],
};

/** Looser and weaker, with joints that have limits. */
export const HOPPER_V5: Robot = {
  ...HOPPER,
  name: 'hopper-v5',
  joints: { armature: 1, damping: 1 },
  torso: torso(degrees(-150, 0), degrees(-150, 0), degrees(-45, 45)),
  motors: HOPPER.motors.map(({ joint }) => ({ joint, gear: 200 })),
};

const QUARTER_TURN = Math.PI / 2;
const SPEED_AND_HEIGHT = [{ name: 'Speed' }, { name: 'Height' }];

/** Of both hoppers of PG-MORL. */
const SETTINGS: readonly EnvSettings[] = [
  { presets: ['paper'], settings: { alpha: 0.03 } },
  { presets: ['paper'], algorithms: ['psl-td3', 'pd-td3'], settings: { policyDelay: 20 } },
  // The budgets of PG-MORL's script.
  { presets: ['paper'], algorithms: ['population'], settings: { steps: 48_000_000, warmup: 200, generation: 40 } },
];

/** Of all four. */
const ONE_LEG = {
  resetNoise: { qpos: uniform(0.005), qvel: uniform(0.005) },
  unobserved: 1,
  position: alongX,
  velocityLimit: 10,
} satisfies Partial<Task>;

const HOPPING = {
  ...ONE_LEG,
  robot: HOPPER,
  frameSkip: 5,
  horizon: 500,
  ended({ qpos }) {
    if (!(qpos[1] > 0.4)) return true;
    for (let i = 2; i < 6; i++) if (!(Math.abs(qpos[i]) < QUARTER_TURN)) return true;
    return false;
  },
  keyTraining: { policyDelay: 10, capacity: 1_000_000, startSteps: 10_000 },
} satisfies Partial<Task>;

export const hopper = locomotion({
  ...HOPPING,
  id: 'mo-hopper-v2',
  summary: 'A one-legged robot in a vertical plane: hop fast, hop high.',
  objectives: SPEED_AND_HEIGHT,
  reward({ vx, effort, qpos }, out) {
    out[0] = 1.5 * vx + 1 - 2e-4 * effort;
    out[1] = 12 * (qpos[1] - 1.25) + 1 - 2e-4 * effort;
  },
  // Of PD-MORL: undiscounted returns of single-preference TD3 at (1, 0), (0, 1) and (1/2, 1/2). The last one is worse than
  // both others: that run evidently failed.
  keyReturns: [
    [3533.1955322265626, 3165.8176513671874],
    [1778.3151001, 4971.92060547],
    [1227.723211669922, 1310.2695007324219],
  ],
  settings: SETTINGS,
});

export const hopper3 = locomotion({
  ...HOPPING,
  id: 'mo-hopper-v3',
  summary: 'A one-legged robot in a vertical plane: hop fast, hop high, spend little.',
  objectives: [...SPEED_AND_HEIGHT, { name: 'Efficiency' }],
  reward({ vx, effort, qpos }, out) {
    out[0] = 1.5 * vx + 1;
    out[1] = 12 * (qpos[1] - 1.25) + 1;
    out[2] = 4 - effort + 1;
  },
  unroundedReward: true,
  settings: [
    ...SETTINGS,
    // PG-MORL's script.
    { presets: ['paper', 'best', 'quick'], algorithms: ['population'], settings: { sparsityWeight: 1e6 } },
    { presets: ['paper'], algorithms: ['population'], settings: { steps: 120_000_000 } },
  ],
});

const HOPPING_V5 = {
  ...ONE_LEG,
  robot: HOPPER_V5,
  frameSkip: 4,
  horizon: 1000,
  ended({ qpos, qvel }) {
    const isUpright = qpos[1] > 0.7 && Math.abs(qpos[2]) < 0.2;
    const isModerate = (value: number) => Math.abs(value) < 100;
    return !(isUpright && qpos.subarray(2).every(isModerate) && qvel.every(isModerate));
  },
} satisfies Partial<Task>;

export const hopperV5 = gymnasiumLocomotion({
  ...HOPPING_V5,
  id: 'mo-hopper-v5',
  summary: 'A one-legged robot in a vertical plane: hop fast, hop high, spend little.',
  objectives: [...SPEED_AND_HEIGHT, { name: 'Efficiency' }],
  reward({ vx, effort, qpos, fell }, out) {
    const alive = fell ? 0 : 1;
    out[0] = vx + alive;
    out[1] = 10 * (qpos[1] - 1.25) + alive;
    out[2] = alive - effort;
  },
});

export const hopperTwoV5 = gymnasiumLocomotion({
  ...HOPPING_V5,
  id: 'mo-hopper-2obj-v5',
  summary: 'A one-legged robot in a vertical plane: hop fast, hop high.',
  objectives: SPEED_AND_HEIGHT,
  reward({ vx, effort, qpos, fell }, out) {
    const others = (fell ? 0 : 1) - 1e-3 * effort;
    out[0] = vx + others;
    out[1] = 10 * (qpos[1] - 1.25) + others;
  },
});
