/** The humanoids of PG-MORL and MO-Gymnasium: a walking robot with arms, for speed and low energy. */
import { gymnasiumLocomotion, locomotion, uniform, type Task } from './locomotion.js';
import { capsule, degrees, FREE_ROOT, hinge, sphere, type Body, type Robot, type Vector } from './robot.js';

/** Legs and arms are written for the left side (y = 1) and mirrored. They are not quite alike, and were published so. */
interface Side {
  readonly name: 'right' | 'left';
  readonly y: 1 | -1;
  readonly hipArmature: number;
  readonly kneeStiffness: number;
  readonly shoulder: readonly [number, number];
}

const RIGHT: Side = { name: 'right', y: -1, hipArmature: 0.008, kneeStiffness: 0, shoulder: degrees(-85, 60) };
const LEFT: Side = { name: 'left', y: 1, hipArmature: 0.01, kneeStiffness: 1, shoulder: degrees(-60, 85) };

function leg({ name, y, hipArmature, kneeStiffness }: Side): Body {
  const hip = { armature: 0.01, damping: 5, stiffness: 10 };
  return {
    name: `${name}_thigh`,
    at: [0, 0.1 * y, -0.04],
    joints: [
      hinge(`${name}_hip_x`, [-y, 0, 0], { ...hip, range: degrees(-25, 5) }),
      hinge(`${name}_hip_z`, [0, 0, -y], { ...hip, range: degrees(-60, 35) }),
      hinge(`${name}_hip_y`, [0, 1, 0], { ...hip, range: degrees(-110, 20), armature: hipArmature, stiffness: 20 }),
    ],
    geoms: [capsule([0, 0, 0], [0, -0.01 * y, -0.34], 0.06)],
    parts: [
      {
        name: `${name}_shin`,
        at: [0, -0.01 * y, -0.403],
        joints: [
          hinge(`${name}_knee`, [0, -1, 0], {
            at: [0, 0, 0.02],
            range: degrees(-160, -2),
            armature: 0.006,
            stiffness: kneeStiffness,
          }),
        ],
        geoms: [capsule([0, 0, 0], [0, 0, -0.3], 0.049)],
        parts: [{ name: `${name}_foot`, at: [0, 0, -0.45], joints: [], geoms: [sphere([0, 0, 0.1], 0.075)] }],
      },
    ],
  };
}

function arm({ name, y, shoulder }: Side): Body {
  return {
    name: `${name}_upper_arm`,
    at: [0, 0.17 * y, 0.06],
    joints: [
      hinge(`${name}_shoulder1`, [2, -y, 1], { range: shoulder, armature: 0.0068, stiffness: 1 }),
      hinge(`${name}_shoulder2`, [0, y, 1], { range: shoulder, armature: 0.0051, stiffness: 1 }),
    ],
    geoms: [capsule([0, 0, 0], [0.16, 0.16 * y, -0.16], 0.04)],
    parts: [
      {
        name: `${name}_lower_arm`,
        at: [0.18, 0.18 * y, -0.18],
        joints: [hinge(`${name}_elbow`, [0, -1, -y], { range: degrees(-90, 50), armature: 0.0028 })],
        geoms: [
          capsule([0.01, -0.01 * y, 0.01], [0.17, -0.17 * y, 0.17], 0.031),
          sphere([0.18, -0.18 * y, 0.18], 0.04),
        ],
      },
    ],
  };
}

const ABDOMEN = { armature: 0.02, damping: 5, stiffness: 10 };
const WAIST: Vector = [0, 0, 0.065];

export const HUMANOID: Robot = {
  name: 'humanoid',
  timestep: 0.003,
  integrator: 'RK4',
  solver: { name: 'PGS', iterations: 50 },
  material: { density: 1000, touches: 'everything', condim: 1, margin: 0.001 },
  floor: { condim: 3, friction: [1, 0.1, 0.1] },
  joints: { armature: 1, damping: 1 },
  torso: {
    name: 'torso',
    at: [0, 0, 1.4],
    joints: [FREE_ROOT],
    geoms: [
      capsule([0, -0.07, 0], [0, 0.07, 0], 0.07),
      sphere([0, 0, 0.19], 0.09),
      capsule([-0.01, -0.06, -0.12], [-0.01, 0.06, -0.12], 0.06),
    ],
    parts: [
      {
        name: 'lwaist',
        at: [-0.01, 0, -0.26],
        turned: [1, 0, -0.002, 0],
        joints: [
          hinge('abdomen_z', [0, 0, 1], { ...ABDOMEN, at: WAIST, range: degrees(-45, 45), stiffness: 20 }),
          hinge('abdomen_y', [0, 1, 0], { ...ABDOMEN, at: WAIST, range: degrees(-75, 30) }),
        ],
        geoms: [capsule([0, -0.06, 0], [0, 0.06, 0], 0.06)],
        parts: [
          {
            name: 'pelvis',
            at: [0, 0, -0.165],
            turned: [1, 0, -0.002, 0],
            joints: [hinge('abdomen_x', [1, 0, 0], { ...ABDOMEN, at: [0, 0, 0.1], range: degrees(-35, 35) })],
            geoms: [capsule([-0.02, -0.07, 0], [-0.02, 0.07, 0], 0.09)],
            parts: [leg(RIGHT), leg(LEFT)],
          },
        ],
      },
      arm(RIGHT),
      arm(LEFT),
    ],
  },
  motors: [
    ...['abdomen_y', 'abdomen_z', 'abdomen_x'].map((joint) => ({ joint, gear: 100, limit: 0.4 })),
    ...['right', 'left'].flatMap((side) => [
      { joint: `${side}_hip_x`, gear: 100, limit: 0.4 },
      { joint: `${side}_hip_z`, gear: 100, limit: 0.4 },
      { joint: `${side}_hip_y`, gear: 300, limit: 0.4 },
      { joint: `${side}_knee`, gear: 200, limit: 0.4 },
    ]),
    ...['right', 'left'].flatMap((side) =>
      ['shoulder1', 'shoulder2', 'elbow'].map((joint) => ({ joint: `${side}_${joint}`, gear: 25, limit: 0.4 })),
    ),
  ],
};

/** With MuJoCo's default solver. */
export const HUMANOID_V5: Robot = { ...HUMANOID, name: 'humanoid-v5', solver: { name: 'Newton', iterations: 50 } };

const WALKING = {
  summary: 'A person-like robot in space: walk fast, spend little.',
  frameSkip: 5,
  horizon: 1000,
  objectives: [{ name: 'Speed' }, { name: 'Efficiency' }],
  resetNoise: { qpos: uniform(0.01), qvel: uniform(0.01) },
  unobserved: 2,
  reads: ['subtree_com'],
  position({ subtree_com: [x, y] }, out) {
    out[0] = x;
    out[1] = y;
  },
} satisfies Partial<Task>;

export const humanoid = locomotion({
  ...WALKING,
  id: 'mo-humanoid-v2',
  robot: HUMANOID,
  // cfrc_ext stays zero, because the published code never asks MuJoCo to compute it.
  observes: [{ name: 'cinert' }, { name: 'cvel' }, { name: 'qfrc_actuator' }, { name: 'cfrc_ext' }],
  reward({ vx, effort }, out) {
    out[0] = 1.25 * vx + 3;
    out[1] = 3 - 4 * effort + 3;
  },
  ended: ({ qpos }) => qpos[2] < 1 || qpos[2] > 2,
  // The budgets of PG-MORL's script.
  settings: [
    {
      presets: ['paper'],
      algorithms: ['population'],
      settings: { steps: 120_000_000, warmup: 200, generation: 40, children: 8, discount: 0.99, episodes: 6 },
    },
  ],
});

export const humanoidV5 = gymnasiumLocomotion({
  ...WALKING,
  id: 'mo-humanoid-v5',
  robot: HUMANOID_V5,
  // Without the world and without the root, on which no motor acts.
  observes: [
    { name: 'cinert', from: 10 },
    { name: 'cvel', from: 6 },
    { name: 'qfrc_actuator', from: 6 },
    { name: 'cfrc_ext', from: 6 },
  ],
  contactForces: true,
  reward({ vx, effort, cfrc_ext, fell }, out) {
    const alive = (fell ? 0 : 5) - Math.min(10, 5e-7 * sumOfSquares(cfrc_ext));
    out[0] = vx + alive;
    out[1] = alive - effort;
  },
  ended: ({ qpos }) => !(qpos[2] > 1 && qpos[2] < 2),
});

function sumOfSquares(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value * value, 0);
}
