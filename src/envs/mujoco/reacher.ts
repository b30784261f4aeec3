/** The reacher of MO-Gymnasium: an arm of two links in a plane, whose tip is to be near four targets at once. */
import { defineEnv } from '../registration.js';
import { circle, line, type ScenePoint } from '../scene.js';
import { cube, discrete } from '../spaces.js';
import { loadMujoco, modelOfXml, Simulation } from './simulation.js';

/** Where the targets are, in metres. */
const TARGETS = [
  [0.14, 0],
  [-0.14, 0],
  [0, 0.14],
  [0, -0.14],
] as const;

/** The torques of both joints, one pair for each action. */
const TORQUES = [-1, 0, 1].flatMap((first) => [-1, 0, 1].map((second) => [first, second] as const));

const XML = `
<mujoco model="reacher">
  <compiler angle="radian"/>
  <option timestep="0.01" integrator="RK4"><flag autoreset="disable"/></option>
  <size memory="1M"/>
  <default><geom contype="0" conaffinity="0"/></default>
  <worldbody>
    <body pos="0 0 0.01">
      <joint name="shoulder" axis="0 0 1" armature="1" damping="1"/>
      <geom type="capsule" fromto="0 0 0 0.1 0 0" size="0.01"/>
      <body pos="0.1 0 0">
        <joint name="elbow" axis="0 0 1" armature="1" damping="1" range="-3 3"/>
        <geom type="capsule" fromto="0 0 0 0.1 0 0" size="0.01"/>
        <body pos="0.11 0 0"><geom type="sphere" size="0.01"/></body>
      </body>
    </body>
    ${TARGETS.map(
      ([x, y]) => `
    <body pos="${x} ${y} 0.01">
      <joint type="slide" axis="1 0 0" ref="${x}"/>
      <joint type="slide" axis="0 1 0" ref="${y}"/>
      <geom type="sphere" size="0.009"/>
    </body>`,
    ).join('')}
  </worldbody>
  <actuator>
    <motor joint="shoulder" gear="200" ctrlrange="-1 1"/>
    <motor joint="elbow" gear="200" ctrlrange="-1 1"/>
  </actuator>
</mujoco>`;

/** Of bodies: the world, both links, the tip, and then the targets. */
const TIP = 3;
/** Of the coordinates, which those of the targets follow. */
const JOINTS = 2;
const FRAME_SKIP = 2;

/** Of a picture, from its middle to its rim, in metres. */
const REACH = 0.25;

/** The arm from above, and the targets where they begin: that they drift is not observed. */
function draw([cos1, cos2, sin1, sin2]: readonly number[]) {
  const shoulder: ScenePoint = [REACH, REACH];
  const elbow: ScenePoint = [REACH + 0.1 * cos1, REACH + 0.1 * sin1];
  const tip: ScenePoint = [
    elbow[0] + 0.11 * (cos1 * cos2 - sin1 * sin2),
    elbow[1] + 0.11 * (sin1 * cos2 + cos1 * sin2),
  ];
  return [
    ...TARGETS.map(([x, y], k) => circle(k, [REACH + x, REACH + y], 0.02)),
    line('actor', [shoulder, elbow, tip]),
    circle('ground', shoulder, 0.012),
    circle('actor', tip, 0.015),
  ];
}

/** As MO-Gymnasium has it (docs/fidelity.md): a step earns by where it begins. */
export const reacher = defineEnv({
  id: 'mo-reacher-v5',
  summary: 'An arm of two links in a plane: be near each of four targets.',
  family: 'mo-gymnasium',
  source: 'Alegre, Bazzan and da Silva, ICML 2022',
  objectives: ['right', 'left', 'front', 'back'].map((side) => ({ name: `Target ${side}` })),
  actionSpace: discrete(TORQUES.length),
  horizon: 50,
  discount: 0.99,
  discountedReturns: true,
  // Below what an arm earns that is always as far away as it can be.
  referencePoint: TARGETS.map(() => -50),
  view: { kind: 'scene', width: 2 * REACH, height: 2 * REACH, stepSeconds: 0.02, draw },
  prepare: loadMujoco,
  make() {
    const simulation = new Simulation(modelOfXml(XML), ['xpos']);
    return {
      observationSpace: cube(3 * JOINTS, -Infinity, Infinity),
      start(random) {
        simulation.rewind();
        const { qpos, qvel } = simulation.arrays;
        qpos.set([0, 3.1415 / 2]);
        // All but the last target begin to drift: so it was published.
        for (let i = 0; i < qvel.length - 2; i++) qvel[i] = 0.005 * (2 * random.uniform() - 1);
        simulation.forward();
      },
      advance(action, reward) {
        const { ctrl, xpos } = simulation.arrays;
        for (const k of TARGETS.keys()) reward[k] = Math.fround(1 - 4 * distance(xpos, TIP, TIP + 1 + k));
        ctrl.set(TORQUES[action]);
        simulation.step(FRAME_SKIP);
        return false;
      },
      observe(out) {
        const { qpos, qvel } = simulation.arrays;
        for (let i = 0; i < JOINTS; i++) {
          out[i] = Math.cos(qpos[i]);
          out[JOINTS + i] = Math.sin(qpos[i]);
          out[2 * JOINTS + i] = 0.1 * qvel[i];
        }
      },
      save: () => simulation.save(),
      load: (state) => simulation.load(state),
      close: () => simulation.close(),
    };
  },
});

/** Between two bodies, in the plane. */
function distance(xpos: Float64Array, a: number, b: number): number {
  return Math.hypot(xpos[3 * a] - xpos[3 * b], xpos[3 * a + 1] - xpos[3 * b + 1]);
}
