/** The ants of PG-MORL and MO-Gymnasium: a four-legged robot that runs along x and along y. */
import { gymnasiumLocomotion, locomotion, normal, uniform, type Motion, type Task } from './locomotion.js';
import { capsule, degrees, FREE_ROOT, hinge, sphere, type Body, type Robot, type Vector } from './robot.js';

/** A leg that points to (x, y); its ankle bends about the horizontal axis across it. */
function leg(name: string, number: number, x: 1 | -1, y: 1 | -1, ankle: readonly [number, number]): Body {
  const knee: Vector = [0.2 * x, 0.2 * y, 0];
  const across: Vector = [-x * y, 1, 0];
  return {
    name,
    at: [0, 0, 0],
    joints: [],
    geoms: [capsule([0, 0, 0], knee, 0.08)],
    parts: [
      {
        name: `aux_${number}`,
        at: knee,
        joints: [hinge(`hip_${number}`, [0, 0, 1], { range: degrees(-30, 30) })],
        geoms: [capsule([0, 0, 0], knee, 0.08)],
        parts: [
          {
            name: `foot_${number}`,
            at: knee,
            joints: [hinge(`ankle_${number}`, across, { range: ankle })],
            geoms: [capsule([0, 0, 0], [0.4 * x, 0.4 * y, 0], 0.08)],
          },
        ],
      },
    ],
  };
}

/** Starts with straight legs, which is outside the limits of its ankles: they snap down in the first steps. */
export const ANT: Robot = {
  name: 'ant',
  timestep: 0.01,
  integrator: 'RK4',
  material: { density: 5, touches: 'floor', condim: 3, friction: [1, 0.5, 0.5], margin: 0.01 },
  joints: { armature: 1, damping: 1 },
  torso: {
    name: 'torso',
    at: [0, 0, 0.75],
    joints: [FREE_ROOT],
    geoms: [sphere([0, 0, 0], 0.25)],
    parts: [
      leg('front_left_leg', 1, 1, 1, degrees(30, 70)),
      leg('front_right_leg', 2, -1, 1, degrees(-70, -30)),
      leg('back_leg', 3, -1, -1, degrees(-70, -30)),
      leg('right_back_leg', 4, 1, -1, degrees(30, 70)),
    ],
  },
  motors: [4, 1, 2, 3].flatMap((number) => [
    { joint: `hip_${number}`, gear: 100 },
    { joint: `ankle_${number}`, gear: 100 },
  ]),
};

/** Half as strong again. */
export const ANT_V5: Robot = { ...ANT, name: 'ant-v5', motors: ANT.motors.map((motor) => ({ ...motor, gear: 150 })) };

const TORSO = 1;
const SPEEDS = [{ name: 'Speed along x' }, { name: 'Speed along y' }];

const RUNNING = {
  frameSkip: 5,
  resetNoise: { qpos: uniform(0.1), qvel: normal(0.1) },
  unobserved: 2,
  // The torso as the last stage of the integrator left it, which is some millimetres from qpos: so it was published.
  reads: ['xpos'],
  position({ xpos }, out) {
    out[0] = xpos[3 * TORSO];
    out[1] = xpos[3 * TORSO + 1];
  },
  endsWhenNotFinite: true,
} satisfies Partial<Task>;

export const ant = locomotion({
  ...RUNNING,
  id: 'mo-ant-v2',
  summary: 'A four-legged robot in space: run fast along x, run fast along y.',
  robot: ANT,
  horizon: 500,
  objectives: SPEEDS,
  reward({ vx, vy, effort }, out) {
    out[0] = vx - 0.5 * effort + 1;
    out[1] = vy - 0.5 * effort + 1;
  },
  // Of PD-MORL: undiscounted returns of single-preference TD3 at (1, 0), (0, 1) and (1/2, 1/2).
  keyReturns: [
    [3228.3885986328123, 62.29166131019592],
    [88.39122819900513, 3170.7235107421875],
    [1899.1759155273437, 1954.055078125],
  ],
  // The budgets of PG-MORL's script.
  settings: [
    {
      presets: ['paper'],
      algorithms: ['population'],
      settings: { steps: 48_000_000, warmup: 200, generation: 40 },
    },
  ],
});

/** Contact forces are felt and paid for up to this size. */
const STRONGEST_CONTACT = 1;

const RUNNING_V5 = {
  ...RUNNING,
  robot: ANT_V5,
  horizon: 1000,
  observes: [{ name: 'cfrc_ext', from: 6, limit: STRONGEST_CONTACT }],
  contactForces: true,
  ended: ({ qpos }) => !(qpos[2] >= 0.2 && qpos[2] <= 1),
} satisfies Partial<Task>;

/** What every objective earns besides. */
function aliveAndSoft({ fell, cfrc_ext }: Motion): number {
  let contact = 0;
  for (const force of cfrc_ext) contact += Math.min(STRONGEST_CONTACT, Math.abs(force)) ** 2;
  return (fell ? 0 : 1) - 5e-4 * contact;
}

export const antV5 = gymnasiumLocomotion({
  ...RUNNING_V5,
  id: 'mo-ant-v5',
  summary: 'A four-legged robot in space: run fast along x, run fast along y, spend little.',
  objectives: [...SPEEDS, { name: 'Efficiency' }],
  reward(motion, out) {
    const alive = aliveAndSoft(motion);
    out[0] = motion.vx + alive;
    out[1] = motion.vy + alive;
    out[2] = alive - motion.effort;
  },
});

export const antTwoV5 = gymnasiumLocomotion({
  ...RUNNING_V5,
  id: 'mo-ant-2obj-v5',
  summary: 'A four-legged robot in space: run fast along x, run fast along y.',
  objectives: SPEEDS,
  reward(motion, out) {
    const others = aliveAndSoft(motion) - 0.5 * motion.effort;
    out[0] = motion.vx + others;
    out[1] = motion.vy + others;
  },
});
