/** The walkers of PG-MORL and MO-Gymnasium: two legs in a vertical plane, for speed and low energy. */
import { alongX, gymnasiumLocomotion, locomotion, uniform, type Task } from './locomotion.js';
import { capsule, degrees, hinge, planarRoot, type Body, type Robot, type Vector } from './robot.js';

/** Positive angles bend the legs forward, hence the axis to the right. */
const RIGHT: Vector = [0, -1, 0];
const SKIN: Vector = [0.9, 0.1, 0.1];
const SOLE: Vector = [1.9, 0.1, 0.1];

function leg(side: '' | '_left', sole: Vector): Body {
  return {
    name: `thigh${side}`,
    at: [0, 0, -0.2],
    joints: [hinge(`thigh${side}_joint`, RIGHT, { range: degrees(-150, 0) })],
    geoms: [{ ...capsule([0, 0, 0], [0, 0, -0.45], 0.05), friction: SKIN }],
    parts: [
      {
        name: `leg${side}`,
        at: [0, 0, -0.7],
        joints: [hinge(`leg${side}_joint`, RIGHT, { at: [0, 0, 0.25], range: degrees(-150, 0) })],
        geoms: [{ ...capsule([0, 0, 0.25], [0, 0, -0.25], 0.04), friction: SKIN }],
        parts: [
          {
            name: `foot${side}`,
            at: [0.1, 0, -0.25],
            joints: [hinge(`foot${side}_joint`, RIGHT, { at: [-0.1, 0, 0], range: degrees(-45, 45) })],
            geoms: [{ ...capsule([-0.1, 0, 0], [0.1, 0, 0], 0.06), friction: sole }],
          },
        ],
      },
    ],
  };
}

export const WALKER2D: Robot = {
  name: 'walker2d',
  timestep: 0.002,
  integrator: 'RK4',
  material: { density: 1500, touches: 'floor', condim: 3, friction: [0.7, 0.1, 0.1] },
  joints: { armature: 0.01, damping: 3 },
  torso: {
    name: 'torso',
    at: [0, 0, 1.25],
    joints: planarRoot(1.25),
    geoms: [{ ...capsule([0, 0, 0.2], [0, 0, -0.2], 0.05), friction: SKIN }],
    // The left sole grips better than the right one: so it is in the published model.
    parts: [leg('', SKIN), leg('_left', SOLE)],
  },
  motors: ['thigh', 'leg', 'foot', 'thigh_left', 'leg_left', 'foot_left'].map((name) => ({
    joint: `${name}_joint`,
    gear: 100,
  })),
};

/** Lighter, looser, and with two soles that are alike. */
export const WALKER2D_V5: Robot = {
  ...WALKER2D,
  name: 'walker2d-v5',
  material: { ...WALKER2D.material, density: 1000 },
  joints: { armature: 0.01, damping: 0.1 },
  torso: { ...WALKER2D.torso, parts: [leg('', SOLE), leg('_left', SOLE)] },
};

const WALKING = {
  summary: 'A two-legged robot in a vertical plane: walk fast, spend little.',
  frameSkip: 4,
  objectives: [{ name: 'Speed' }, { name: 'Efficiency' }],
  resetNoise: { qpos: uniform(0.005), qvel: uniform(0.005) },
  unobserved: 1,
  position: alongX,
  velocityLimit: 10,
  ended({ qpos: [, height, pitch] }) {
    return !(height > 0.8 && height < 2 && Math.abs(pitch) < 1);
  },
} satisfies Partial<Task>;

export const walker2d = locomotion({
  ...WALKING,
  id: 'mo-walker2d-v2',
  robot: WALKER2D,
  horizon: 500,
  reward({ vx, effort }, out) {
    out[0] = vx + 1;
    out[1] = 4 - effort + 1;
  },
  // Of PD-MORL: undiscounted returns of single-preference TD3 at (1, 0), (0, 1) and (1/2, 1/2).
  keyReturns: [
    [2602.103564453125, 691.5010070800781],
    [497.2413299560547, 2494.5884033203124],
    [1639.5962036132812, 2156.5128173828125],
  ],
});

export const walker2dV5 = gymnasiumLocomotion({
  ...WALKING,
  id: 'mo-walker2d-v5',
  robot: WALKER2D_V5,
  horizon: 1000,
  reward({ vx, effort, fell }, out) {
    const alive = fell ? 0 : 1;
    out[0] = vx + alive;
    out[1] = alive - effort;
  },
});
