/**
 * Makes environments of robots that move: the simulation, the observation, the rewards, and what the explorer needs to
 * draw and push the robot. Each robot has a file with its body and its task.
 */
import type { Random } from '../../random/index.js';
import type { Continuous, Environment, Objective, Reset } from '../contract.js';
import { defineEnv, type EnvInfo, type EnvSettings } from '../registration.js';
import { continuous, cube } from '../spaces.js';
import { checkLength, environmentOf, type World } from '../world.js';
import type { Inertials } from './mjcf.js';
import { bodiesOf, type Robot, type Vector } from './robot.js';
import { loadMujoco, modelOf, Simulation, type Arrays, type Derived, type Model } from './simulation.js';

/** What a robot is asked to do: all that differs between the environments of one publication. */
export interface Task extends Pick<EnvInfo, 'settings' | 'keyReturns' | 'keyTraining'> {
  readonly id: string;
  readonly summary: string;
  readonly robot: Robot;
  /** Simulation steps per action. */
  readonly frameSkip: number;
  readonly horizon: number;
  // Without units: most rewards add a bonus for being alive to a speed or a cost, so their sums are in no unit.
  readonly objectives: readonly Objective[];
  /** What is added to the reference pose when an episode starts. */
  readonly resetNoise: { readonly qpos: Noise; readonly qvel: Noise };
  /** The first entries of qpos, the place on the ground, are not observed; the others are, then those of qvel. */
  readonly unobserved: number;
  /** Velocities are clipped to this where they are observed. */
  readonly velocityLimit?: number;
  /** Observed after the velocities. */
  readonly observes?: readonly Observed[];
  /** Whether contact forces are computed, which costs time: they are zeros otherwise. */
  readonly contactForces?: boolean;
  /** Read by `position`. */
  readonly reads?: readonly Derived[];
  /** Fills in where the robot is, x and y in metres, which come as zeros. */
  position(arrays: Arrays, out: Float64Array): void;
  reward(motion: Motion, out: Float64Array): void;
  /** The published rewards are rounded to float32, with one exception. */
  readonly unroundedReward?: boolean;
  /** Whether the robot has fallen. */
  ended?(arrays: Arrays): boolean;
  /** Whether numbers that are no longer finite end the episode. They are an error otherwise. */
  readonly endsWhenNotFinite?: boolean;
}

/** What is seen of a derived array. */
export interface Observed {
  readonly name: Derived;
  /** The first entry; those before it say nothing. */
  readonly from?: number;
  /** Entries are clipped to this. */
  readonly limit?: number;
}

/** One step as it is rewarded. */
export interface Motion {
  /** Metres per second. */
  readonly vx: number;
  readonly vy: number;
  /** The sum of squares of the clipped action. */
  readonly effort: number;
  /** After the step. */
  readonly qpos: Float64Array;
  /** Contact forces on all bodies, six numbers each. */
  readonly cfrc_ext: Float64Array;
  /** Whether the robot has fallen with this step. */
  readonly fell: boolean;
}

type Noise = (random: Random) => number;

export function uniform(most: number): Noise {
  return (random) => most * (2 * random.uniform() - 1);
}

export function normal(deviation: number): Noise {
  return (random) => deviation * random.normal();
}

/** The position of a robot whose first coordinate is its x and which has no y. */
export function alongX({ qpos }: Arrays, out: Float64Array): void {
  out[0] = qpos[0];
}

/** An environment with a body: its pose can be read, set, drawn and disturbed. Every array is new. */
export interface RobotEnvironment extends Environment {
  readonly robot: {
    /** What to draw, in an order that does not change. */
    readonly geoms: readonly RobotGeom[];
    /** Simulated time of one step. */
    readonly stepSeconds: number;
    /** In kilograms. */
    readonly mass: number;
    /** Joint coordinates in MuJoCo's order; a free root is a position and a quaternion (w, x, y, z). */
    qpos(): Float64Array;
    qvel(): Float64Array;
    /** Moves the robot, in the middle of an episode too; returns what that looks like. */
    place(qpos: ArrayLike<number>, qvel: ArrayLike<number>): Reset;
    /** Where the geoms are. */
    picture(): RobotPicture;
    /** A force in newtons, in world axes, for the whole of the next step, on one of its bodies: the torso unless named. */
    push(force: Vector, body?: string): void;
  };
}

export interface RobotGeom {
  /** The name of the body that it is a part of, or "world". */
  readonly body: string;
  /** A capsule lies along its own z axis; a plane is the floor, which has no end. */
  readonly kind: 'plane' | 'sphere' | 'capsule';
  readonly radius: number;
  /** Of the straight part of a capsule. */
  readonly halfLength: number;
}

export interface RobotPicture {
  /** Three numbers per geom, in metres. */
  readonly positions: Float64Array;
  /** Nine numbers per geom: a rotation matrix, row by row. */
  readonly rotations: Float64Array;
  readonly centreOfMass: Float64Array;
}

export function isRobotEnvironment(env: Environment): env is RobotEnvironment {
  return 'robot' in env;
}

/** Of all robots. */
const SETTINGS: readonly EnvSettings[] = [
  { presets: ['paper'], algorithms: ['population'], options: { resetNoise: 'none' } },
];

/** Critics, actor, exploration and relabelling of TD3 as they are published, where a preset has others. */
export const TD3_AS_PUBLISHED = {
  criticNorm: 'none',
  rewardScale: false,
  atoms: 0,
  criticLearningRate: 3e-4,
  policyDelay: 10,
  averaging: 0,
  saturation: 0,
  saturationFrom: 0,
  hidden: [400, 400],
  exploration: 0.1,
  relabelling: 'abs-normal',
} satisfies EnvSettings['settings'];

/** The environment of a task of PG-MORL, whose robots PD-MORL took over. */
export function locomotion(task: Task) {
  const actionSpace = actionsOf(task.robot);
  return defineEnv({
    id: task.id,
    summary: task.summary,
    family: 'pg-morl',
    source: 'Xu et al., ICML 2020',
    objectives: task.objectives,
    actionSpace,
    options: {
      inertials: {
        summary: 'Masses and inertias of capsules: as the MuJoCo of the published results approximated them, or exact.',
        values: ['legacy', 'exact'],
        default: 'legacy',
      },
      resetNoise: {
        summary:
          'How episodes start: with the noise of PD-MORL, or in the reference pose (PG-MORL, except its humanoid).',
        values: ['pd-morl', 'none'],
        default: 'pd-morl',
      },
    },
    horizon: task.horizon,
    discount: 0.995,
    discountedReturns: false,
    referencePoint: task.objectives.map(() => 0),
    settings: [...SETTINGS, ...(task.settings ?? [])],
    ...(task.keyReturns !== undefined && { keyReturns: task.keyReturns }),
    ...(task.keyTraining !== undefined && { keyTraining: task.keyTraining }),
    view: { kind: 'robot' },
    prepare: loadMujoco,
    make: ({ inertials, resetNoise }) => makeRobot(task, actionSpace, inertials, resetNoise === 'pd-morl'),
  });
}

/** The environment of a task of MO-Gymnasium, whose robots are those of Gymnasium (docs/fidelity.md). */
export function gymnasiumLocomotion(task: Task) {
  const actionSpace = actionsOf(task.robot);
  return defineEnv({
    id: task.id,
    summary: task.summary,
    family: 'mo-gymnasium',
    source: 'Felten et al., NeurIPS 2023, with the robots of Gymnasium v5',
    objectives: task.objectives,
    actionSpace,
    horizon: task.horizon,
    // With these and this reference point hypervolumes are published (MORL-Baselines, C-MORL).
    discount: 0.99,
    discountedReturns: true,
    referencePoint: task.objectives.map(() => -100),
    ...(task.settings !== undefined && { settings: task.settings }),
    view: { kind: 'robot' },
    prepare: loadMujoco,
    make: () => makeRobot(task, actionSpace, 'exact', true),
  });
}

function actionsOf({ motors }: Robot): Continuous {
  const limits = motors.map(({ limit = 1 }) => limit);
  return continuous(
    limits.map((limit) => -limit),
    limits,
  );
}

/** The first body after the world. */
const TORSO = 1;

/** By MuJoCo's number. */
const GEOM_KINDS: Readonly<Record<number, RobotGeom['kind']>> = { 0: 'plane', 2: 'sphere', 3: 'capsule' };

function makeRobot(task: Task, actionSpace: Continuous, inertials: Inertials, noisy: boolean): RobotEnvironment {
  const { id, robot, frameSkip, horizon, objectives, unobserved, velocityLimit = Infinity, observes = [] } = task;
  const derived = [...(task.reads ?? []), ...observes.map(({ name }) => name)];
  const simulation = new Simulation(modelOf(robot, inertials), derived);
  const nq = simulation.arrays.qpos.length;
  const nv = simulation.arrays.qvel.length;
  const observed = observes.reduce(
    (size, { name, from = 0 }) => size + simulation.arrays[name].length - from,
    nq - unobserved + nv,
  );
  const isFree = robot.torso.joints.some(({ kind }) => kind === 'free');
  const dt = robot.timestep * frameSkip;
  const { high } = actionSpace;
  const { qpos, cfrc_ext } = simulation.arrays;
  const motion = { vx: 0, vy: 0, effort: 0, qpos, cfrc_ext, fell: false };
  let here = new Float64Array(2);
  let before = new Float64Array(2);
  let closed = false;

  const bodies = ['world', ...bodiesOf(robot).map(({ name }) => name)];

  function locate(): void {
    here.fill(0);
    task.position(simulation.arrays, here);
  }

  /** Brings everything in line with qpos and qvel. */
  function settle(): void {
    if (isFree) normalise(simulation.arrays.qpos.subarray(3, 7));
    simulation.forward();
    locate();
  }

  const world: World<Continuous> = {
    id,
    observationSpace: cube(observed, -Infinity, Infinity),
    actionSpace,
    objectives,
    horizon,

    start(random) {
      simulation.rewind();
      if (noisy) {
        const { qpos, qvel } = simulation.arrays;
        for (let i = 0; i < nq; i++) qpos[i] += task.resetNoise.qpos(random);
        for (let i = 0; i < nv; i++) qvel[i] += task.resetNoise.qvel(random);
      }
      settle();
    },

    advance(action, reward) {
      const { ctrl, xfrc_applied: forces } = simulation.arrays;
      motion.effort = 0;
      for (let i = 0; i < high.length; i++) {
        ctrl[i] = clip(action[i], high[i]);
        motion.effort += ctrl[i] * ctrl[i];
      }
      simulation.step(frameSkip);
      if (task.contactForces === true) simulation.findContactForces();
      forces.fill(0);
      [before, here] = [here, before];
      locate();
      const lost = task.endsWhenNotFinite === true && !isFiniteState(simulation.arrays);
      if (lost) {
        // Learners read the observation of a terminal state too, so it becomes a pose that exists, reached at rest.
        simulation.rewind();
        settle();
        before.set(here);
      }
      motion.vx = (here[0] - before[0]) / dt;
      motion.vy = (here[1] - before[1]) / dt;
      ({ qpos: motion.qpos, cfrc_ext: motion.cfrc_ext } = simulation.arrays);
      motion.fell = lost || (task.ended?.(simulation.arrays) ?? false);
      task.reward(motion, reward);
      if (task.unroundedReward !== true) for (let k = 0; k < reward.length; k++) reward[k] = Math.fround(reward[k]);
      return motion.fell;
    },

    observe(out) {
      const { arrays } = simulation;
      let offset = 0;
      for (let i = unobserved; i < nq; i++) out[offset++] = arrays.qpos[i];
      for (let i = 0; i < nv; i++) out[offset++] = clip(arrays.qvel[i], velocityLimit);
      for (const { name, from = 0, limit = Infinity } of observes) {
        const array = arrays[name];
        for (let i = from; i < array.length; i++) out[offset++] = clip(array[i], limit);
      }
    },

    info: () => ({ x: here[0], y: here[1] }),
    save: () => simulation.save(),

    load(state) {
      simulation.load(state);
      locate();
    },

    close() {
      closed = true;
      simulation.close();
    },
  };

  function arraysFor(method: string): Arrays {
    if (closed) throw new Error(`${method}() of ${id} was called after close(); make a new environment.`);
    return simulation.arrays;
  }

  return {
    ...environmentOf(world),
    robot: {
      geoms: geomsOf(bodies, simulation.model),
      stepSeconds: dt,
      mass: simulation.model.body_mass.reduce((sum, mass) => sum + mass, 0),
      qpos: () => arraysFor('qpos').qpos.slice(),
      qvel: () => arraysFor('qvel').qvel.slice(),
      place(qpos, qvel) {
        const arrays = arraysFor('place');
        checkFinite('qpos', qpos, nq);
        checkFinite('qvel', qvel, nv);
        arrays.qpos.set(qpos);
        arrays.qvel.set(qvel);
        settle();
        const observation = new Float32Array(observed);
        world.observe(observation);
        return { observation, info: world.info() };
      },
      picture() {
        const { geom_xpos, geom_xmat, subtree_com } = arraysFor('picture');
        return { positions: geom_xpos.slice(), rotations: geom_xmat.slice(), centreOfMass: subtree_com.slice(0, 3) };
      },
      push(force, body = bodies[TORSO]) {
        checkFinite('force', force, 3);
        const index = bodies.indexOf(body);
        if (index < TORSO) {
          throw new RangeError(`body is "${body}", but must be one of ${bodies.slice(TORSO).join(', ')}.`);
        }
        arraysFor('push').xfrc_applied.set(force, 6 * index);
      },
    },
  };
}

function geomsOf(names: readonly string[], model: Model): RobotGeom[] {
  const { geom_type: types, geom_size: sizes, geom_bodyid: bodies } = model;
  return Array.from(types, (type, i) => {
    const [radius, halfLength] = sizes.subarray(3 * i);
    const kind = GEOM_KINDS[type];
    return {
      body: names[bodies[i]],
      kind,
      radius: kind === 'plane' ? 0 : radius,
      halfLength: kind === 'capsule' ? halfLength : 0,
    };
  });
}

/** In place; a unit quaternion stays as it is, bit for bit, by MuJoCo's own criterion. */
function normalise(quaternion: Float64Array): void {
  const length = Math.hypot(...quaternion);
  if (Math.abs(length - 1) > 1e-15) for (let i = 0; i < 4; i++) quaternion[i] /= length;
}

function clip(value: number, limit: number): number {
  return Math.max(-limit, Math.min(limit, value));
}

function isFiniteState({ qpos, qvel }: Arrays): boolean {
  return qpos.every(Number.isFinite) && qvel.every(Number.isFinite);
}

function checkFinite(name: string, values: ArrayLike<number>, length: number): void {
  checkLength(name, values, length);
  for (let i = 0; i < length; i++) {
    if (Number.isFinite(values[i])) continue;
    throw new RangeError(`${name}[${i}] is ${values[i]}, but must be a finite number.`);
  }
}
