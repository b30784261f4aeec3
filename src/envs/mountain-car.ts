/** Mountain cars: an engine too weak for the hill, with discrete actions or continuous ones. */
import type { Objective } from './contract.js';
import { defineEnv, type EnvView, type Rules } from './registration.js';
import { circle, line, polygon, type ScenePoint } from './scene.js';
import { continuous, cube, discrete } from './spaces.js';
import { loadNumber } from './world.js';

const [LEFTMOST, RIGHTMOST] = [-1.2, 0.6];
const TOP_SPEED = 0.07;
const GRAVITY = 0.0025;

const TIME: Objective = { name: 'Time', unit: 'steps' };

/** A car in a valley. What differs between the two are the engine and the goal, as in Gymnasium. */
function makeCar(power: number, goal: number) {
  let position = 0;
  let velocity = 0;
  return {
    /** Pushes with a force from -1 to 1; whether the goal is reached. */
    push(force: number): boolean {
      const speed = velocity + force * power - GRAVITY * Math.cos(3 * position);
      velocity = Math.max(-TOP_SPEED, Math.min(TOP_SPEED, speed));
      position = Math.max(LEFTMOST, Math.min(RIGHTMOST, position + velocity));
      if (position === LEFTMOST && velocity < 0) velocity = 0;
      return position >= goal && velocity >= 0;
    },
    speed: () => Math.abs(velocity),
    rules: {
      observationSpace: continuous([LEFTMOST, -TOP_SPEED].map(Math.fround), [RIGHTMOST, TOP_SPEED].map(Math.fround)),
      start(random) {
        position = -0.6 + 0.2 * random.uniform();
        velocity = 0;
      },
      observe: (out) => out.set([position, velocity]),
      info: () => ({ position, velocity }),
      save: () => ({ position, velocity }),
      load(state) {
        const saved = loadNumber(state, 'position', LEFTMOST, RIGHTMOST);
        velocity = loadNumber(state, 'velocity', -TOP_SPEED, TOP_SPEED);
        position = saved;
      },
    } satisfies Omit<Rules, 'advance'>,
  };
}

/** The valley, whose slope is that of gravity, the goal and the car. */
function viewOf(goal: number): EnvView {
  const at = (position: number): ScenePoint => [position - LEFTMOST, 0.1 + 0.45 * (1 + Math.sin(3 * position))];
  const valley = Array.from({ length: 61 }, (_, i) => at(LEFTMOST + ((RIGHTMOST - LEFTMOST) * i) / 60));
  const [x, y] = at(goal);
  return {
    kind: 'scene',
    width: RIGHTMOST - LEFTMOST,
    height: 1.2,
    draw(observation) {
      const [carX, carY] = at(observation[0]);
      return [
        polygon('ground', [[0, 0], ...valley, [RIGHTMOST - LEFTMOST, 0]]),
        line('mark', [
          [x, y],
          [x, y + 0.15],
        ]),
        circle('actor', [carX, carY + 0.035], 0.035),
      ];
    },
  };
}

const STEPS = 200;
const GOAL = 0.5;
const [BACK, , FORTH] = [0, 1, 2];

/** An objective of the car with discrete actions: what it earns with an action, at a speed, and its worst return. */
interface Term extends Objective {
  readonly earns: (action: number, speed: number) => number;
  readonly worst: number;
}

const REVERSE: Term = { name: 'Reverse', earns: (action) => (action === BACK ? -1 : 0), worst: -STEPS };
const FORWARD: Term = { name: 'Forward', earns: (action) => (action === FORTH ? -1 : 0), worst: -STEPS };
const MOVE: Term = { name: 'Move', earns: (action) => (action === BACK || action === FORTH ? -1 : 0), worst: -STEPS };
const SPEED: Term = { name: 'Speed', earns: (_, speed) => 15 * speed, worst: 0 };

/** As MO-Gymnasium has them: -1 for every step but that to the goal, and some of the other objectives. */
function define(id: string, summary: string, terms: readonly Term[]) {
  return defineEnv({
    id,
    summary,
    family: 'mo-gymnasium',
    source: 'Vamplew et al., Machine Learning 2011, with the car of Moore, 1990',
    objectives: [TIME, ...terms.map(({ name }) => ({ name }))],
    actionSpace: discrete(3),
    horizon: STEPS,
    discount: 0.99,
    // The worst that an episode can earn.
    referencePoint: [-STEPS, ...terms.map(({ worst }) => worst)],
    settings: [
      // Of episodes with single random actions none is up in time, with repeated ones one in twenty-five; returns of many steps
      // make much of those few, and there have to be enough of them (docs/benchmarks.md).
      {
        presets: ['quick'],
        algorithms: ['psl-ddqn', 'pd-ddqn'],
        settings: {
          epsilonRepeat: 1.7,
          epsilonEnd: 0.5,
          nStep: 20,
          normalise: true,
          double: true,
          boundedTargets: true,
          hidden: [64, 64],
          batch: 128,
          updatesPerStep: 0.12,
          tau: 0.02,
          finalLearningRate: 0.01,
          children: 20,
          steps: 320_000,
          evaluations: 8,
        },
      },
    ],
    view: viewOf(GOAL),
    make() {
      const car = makeCar(0.001, GOAL);
      return {
        ...car.rules,
        advance(action, reward) {
          const isThere = car.push(action - 1);
          reward.set([isThere ? 0 : -1, ...terms.map(({ earns }) => earns(action, car.speed()))]);
          return isThere;
        },
      };
    },
  });
}

export const mountainCars = [
  define('mo-mountaincar-v0', 'Mountain car: be up soon, reverse little, drive forward little.', [REVERSE, FORWARD]),
  define('mo-mountaincar-3d-v0', 'Mountain car: be up soon, use the engine little, be fast.', [MOVE, SPEED]),
  define('mo-mountaincar-timemove-v0', 'Mountain car: be up soon, use the engine little.', [MOVE]),
  define('mo-mountaincar-timespeed-v0', 'Mountain car: be up soon, be fast.', [SPEED]),
];

const CONTINUOUS_STEPS = 999;
const CONTINUOUS_GOAL = 0.45;

/** As MO-Gymnasium has it: -1 for every step but that to the goal, and the square of the action as fuel. */
export const mountainCarContinuous = defineEnv({
  id: 'mo-mountaincarcontinuous-v0',
  summary: 'Mountain car with continuous actions: be up soon, burn little.',
  family: 'mo-gymnasium',
  source: 'MO-Gymnasium (Felten et al., NeurIPS 2023), with the car of Moore, 1990',
  objectives: [TIME, { name: 'Fuel' }],
  actionSpace: cube(1, -1, 1),
  horizon: CONTINUOUS_STEPS,
  discount: 0.99,
  // The worst that an episode can earn.
  referencePoint: [-CONTINUOUS_STEPS, -CONTINUOUS_STEPS],
  // A hill is climbed by pushing one way for many steps: noise that changes with every step finds the way up too rarely, and
  // what it finds is lost again unless it is seen many steps ahead (docs/benchmarks.md).
  settings: [
    {
      presets: ['best', 'quick'],
      algorithms: ['psl-td3', 'pd-td3'],
      settings: { exploration: 0.5, explorationCorrelation: 0.9, nStep: 10 },
    },
  ],
  view: viewOf(CONTINUOUS_GOAL),
  make() {
    const car = makeCar(0.0015, CONTINUOUS_GOAL);
    return {
      ...car.rules,
      advance(action, reward) {
        const force = Math.max(-1, Math.min(1, action[0]));
        const isThere = car.push(force);
        reward.set([isThere ? 0 : -1, -(force ** 2)]);
        return isThere;
      },
    };
  },
});
