/** The ant of MO-MuJoCo: a four-legged robot that runs along x and along y. */
import { locomotion, normal, uniform } from './locomotion.js';
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

const TORSO = 1;

export const ant = locomotion({
  id: 'mo-ant-v2',
  summary: 'A four-legged robot in space: run fast along x, run fast along y.',
  robot: ANT,
  frameSkip: 5,
  horizon: 500,
  objectives: [{ name: 'Speed along x' }, { name: 'Speed along y' }],
  resetNoise: { qpos: uniform(0.1), qvel: normal(0.1) },
  unobserved: 2,
  // The torso as the last stage of the integrator left it, which is some millimetres from qpos: so it was published.
  reads: ['xpos'],
  position({ xpos }, out) {
    out[0] = xpos[3 * TORSO];
    out[1] = xpos[3 * TORSO + 1];
  },
  reward({ vx, vy, effort }, out) {
    out[0] = vx - 0.5 * effort + 1;
    out[1] = vy - 0.5 * effort + 1;
  },
  endsWhenNotFinite: true,
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
