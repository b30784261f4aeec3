/** The swimmers of PG-MORL and MO-Gymnasium: three links in a viscous plane, for speed and low energy. */
import type { EnvSettings } from '../registration.js';
import { gymnasiumLocomotion, locomotion, TD3_AS_PUBLISHED, uniform, type Task } from './locomotion.js';
import { capsule, degrees, hinge, slide, type Robot } from './robot.js';

export const SWIMMER: Robot = {
  name: 'swimmer',
  timestep: 0.01,
  integrator: 'RK4',
  medium: { density: 4000, viscosity: 0.1 },
  material: { density: 1000, touches: 'nothing', condim: 1 },
  floor: { height: -0.1 },
  joints: { armature: 0.1, damping: 0 },
  torso: {
    name: 'torso',
    at: [0, 0, 0],
    joints: [slide('slider1', [1, 0, 0]), slide('slider2', [0, 1, 0]), hinge('rot', [0, 0, 1])],
    geoms: [capsule([1.5, 0, 0], [0.5, 0, 0], 0.1)],
    parts: [
      {
        name: 'mid',
        at: [0.5, 0, 0],
        joints: [hinge('rot2', [0, 0, 1], { range: degrees(-100, 100) })],
        geoms: [capsule([0, 0, 0], [-1, 0, 0], 0.1)],
        parts: [
          {
            name: 'back',
            at: [-1, 0, 0],
            joints: [hinge('rot3', [0, 0, 1], { range: degrees(-100, 100) })],
            geoms: [capsule([0, 0, 0], [-1, 0, 0], 0.1)],
          },
        ],
      },
    ],
  },
  motors: [
    { joint: 'rot2', gear: 300 },
    { joint: 'rot3', gear: 300 },
  ],
};

/** Half as strong. */
export const SWIMMER_V5: Robot = {
  ...SWIMMER,
  name: 'swimmer-v5',
  motors: SWIMMER.motors.map((motor) => ({ ...motor, gear: 150 })),
};

const SWIMMING = {
  summary: 'Three links in a thick fluid, in a horizontal plane: swim fast, spend little.',
  frameSkip: 4,
  objectives: [{ name: 'Speed' }, { name: 'Efficiency' }],
  resetNoise: { qpos: uniform(0.1), qvel: uniform(0.1) },
  unobserved: 2,
  position({ qpos: [x, y] }, out) {
    out[0] = x;
    out[1] = y;
  },
} satisfies Partial<Task>;

/** With what TD3 has elsewhere the first of them learns nothing (results/td3-screening.md). */
const SETTINGS: EnvSettings = {
  presets: ['best', 'quick'],
  algorithms: ['psl-td3', 'pd-td3'],
  settings: TD3_AS_PUBLISHED,
};

export const swimmer = locomotion({
  ...SWIMMING,
  id: 'mo-swimmer-v2',
  robot: SWIMMER,
  horizon: 500,
  reward({ vx, effort }, out) {
    out[0] = vx;
    out[1] = 0.3 - 0.15 * effort;
  },
  // Of PD-MORL: undiscounted returns of single-preference TD3 at (1, 0), (0, 1) and (1/2, 1/2).
  keyReturns: [
    [257.4129104614258, 19.847727394104005],
    [4.292927038669586, 149.99191284179688],
    [126.07158279418945, 129.29445037841796],
  ],
  keyTraining: { policyDelay: 5, capacity: 1_000_000, startSteps: 10_000 },
  settings: [
    SETTINGS,
    { presets: ['paper'], settings: { keySteps: 1_000_000 } },
    {
      presets: ['quick'],
      algorithms: ['psl-td3', 'pd-td3'],
      settings: {
        steps: 200_000,
        evaluations: 20,
        hidden: [256, 256],
        criticHidden: [256, 256],
        learningRate: 1e-3,
        criticLearningRate: 1e-3,
      },
    },
    // The budgets of PG-MORL's script.
    {
      presets: ['paper'],
      algorithms: ['population'],
      settings: { steps: 12_000_000, warmup: 40, generation: 10 },
    },
  ],
});

export const swimmerV5 = gymnasiumLocomotion({
  ...SWIMMING,
  id: 'mo-swimmer-v5',
  robot: SWIMMER_V5,
  horizon: 1000,
  reward({ vx, effort }, out) {
    out[0] = vx;
    out[1] = -effort;
  },
  settings: [SETTINGS],
});
