/** Lunar landers: come down on the pad, softly and upright, and burn little; with discrete actions or continuous ones. */
import type { Body } from 'planck';
import { Random, type RandomState } from '../random/index.js';
import type { Action, Objective, Space, StateValue } from './contract.js';
import { defineEnv } from './registration.js';
import { circle, line, placed, polygon, type ScenePoint } from './scene.js';
import { continuous, cube, discrete } from './spaces.js';

/** Frames in a second, of which each is a step. */
const FPS = 50;
/** Pixels in a metre: lengths are published in pixels of a screen of 600 by 400. */
const SCALE = 30;
const [WIDTH, HEIGHT] = [600 / SCALE, 400 / SCALE];
/** Drawn above the published picture, at whose upper edge landers begin, so that they are seen whole. */
const SKY = 1.5;
const GRAVITY = -10;
/** Of the force that throws the lander into its first frame, in newtons, in either direction. */
const THROW = 1000;
const HORIZON = 1000;

/** Of the impulse in newton seconds for a metre between the engine and the centre. */
const MAIN = { power: 13, down: 4 / SCALE };
const SIDE = { power: 0.6, away: 12 / SCALE, height: 14 / SCALE, inward: 17 / SCALE };

const HULL = [
  [-14, 17],
  [-17, 0],
  [-17, -10],
  [17, -10],
  [17, 0],
  [14, 17],
] as const;
/** The height of its centre of mass. */
const HULL_CENTRE = 155 / 51 / SCALE;
const LEG = { away: 20 / SCALE, down: 18 / SCALE, halfWidth: 2 / SCALE, halfHeight: 8 / SCALE, torque: 40 };

/** The ground is a line through this many points, of which those in the middle are the pad. */
const POINTS = 11;
const PAD = { height: HEIGHT / 4, from: 3, to: 7 };

/** What collides: the hull and the legs with the ground, and not with each other. */
const CATEGORY = { ground: 0x01, hull: 0x10, leg: 0x20 };

type Physics = typeof import('planck');
let physics: Physics | undefined;

/** Loaded when somebody wants to land: no other environment needs it. */
async function loadPhysics(): Promise<void> {
  physics ??= await import('planck');
}

/** How the engines run in a step: the main one from 0 to 1, the side ones from -1 (left) to 1 (right). */
interface Throttle {
  readonly main: number;
  readonly side: number;
}

/** Draws numbers from 0 to 1. */
type Uniform = () => number;

/** A lander above its ground. Numbers are drawn in the order of the published code. */
export class Lander {
  readonly ground: readonly (readonly [number, number])[];
  private readonly world: InstanceType<Physics['World']>;
  private readonly hull: Body;
  private readonly legs: readonly Body[];
  private hasCrashed = false;
  private readonly onGround = [false, false];
  private shaping: number;

  constructor({ Edge, Polygon, Box, ...planck }: Physics, uniform: Uniform) {
    const within = (most: number): number => most * (2 * uniform() - 1);
    this.world = new planck.World({ gravity: { x: 0, y: GRAVITY } });
    this.ground = groundOf(Array.from({ length: POINTS + 1 }, () => (uniform() * HEIGHT) / 2));
    const moon = this.world.createBody();
    moon.createFixture(new Edge({ x: 0, y: 0 }, { x: WIDTH, y: 0 }));
    for (let i = 1; i < POINTS; i++) {
      const [[x1, y1], [x2, y2]] = [this.ground[i - 1], this.ground[i]];
      moon.createFixture(new Edge({ x: x1, y: y1 }, { x: x2, y: y2 }), { friction: 0.1 });
    }

    this.hull = this.world.createDynamicBody({ position: { x: WIDTH / 2, y: HEIGHT } });
    this.hull.createFixture(new Polygon(HULL.map(([x, y]) => ({ x: x / SCALE, y: y / SCALE }))), {
      density: 5,
      friction: 0.1,
      filterCategoryBits: CATEGORY.hull,
      filterMaskBits: CATEGORY.ground,
    });
    balance(this.hull);
    this.hull.applyForceToCenter({ x: within(THROW), y: within(THROW) }, true);

    this.legs = [-1, 1].map((side) => {
      const leg = this.world.createDynamicBody({
        position: { x: WIDTH / 2 - side * LEG.away, y: HEIGHT },
        angle: 0.05 * side,
      });
      leg.createFixture(new Box(LEG.halfWidth, LEG.halfHeight), {
        density: 1,
        filterCategoryBits: CATEGORY.leg,
        filterMaskBits: CATEGORY.ground,
      });
      const [lowerAngle, upperAngle] = side < 0 ? [0.4, 0.9] : [-0.9, -0.4];
      this.world.createJoint(
        new planck.RevoluteJoint({
          bodyA: this.hull,
          bodyB: leg,
          localAnchorA: { x: 0, y: 0 },
          localAnchorB: { x: side * LEG.away, y: LEG.down },
          referenceAngle: 0,
          enableMotor: true,
          maxMotorTorque: LEG.torque,
          motorSpeed: 0.3 * side,
          enableLimit: true,
          lowerAngle,
          upperAngle,
        }),
      );
      return leg;
    });

    this.world.on('begin-contact', (contact) => {
      const touching = [contact.getFixtureA().getBody(), contact.getFixtureB().getBody()];
      if (touching.includes(this.hull)) this.hasCrashed = true;
      this.legs.forEach((leg, i) => (this.onGround[i] ||= touching.includes(leg)));
    });
    this.world.on('end-contact', (contact) => {
      const parting = [contact.getFixtureA().getBody(), contact.getFixtureB().getBody()];
      this.legs.forEach((leg, i) => (this.onGround[i] &&= !parting.includes(leg)));
    });

    this.fire({ main: 0, side: 0 }, uniform);
    this.shaping = shapingOf(this.observation());
  }

  /** Takes a step, fills in the rewards, and returns whether it has crashed, flown away or landed. */
  step(throttle: Throttle, reward: Float64Array, uniform: Uniform): boolean {
    this.fire(throttle, uniform);
    const observation = this.observation();
    const shaping = shapingOf(observation);
    const hasLanded = !this.hull.isAwake();
    const isLost = this.hasCrashed || Math.abs(observation[0]) >= 1;
    reward[0] = hasLanded ? 100 : isLost ? -100 : 0;
    reward[1] = shaping - this.shaping;
    reward[2] = -throttle.main;
    reward[3] = -Math.abs(throttle.side);
    this.shaping = shaping;
    return isLost || hasLanded;
  }

  /** Place, velocity, angle and angular velocity, about the size of one, and which legs touch the ground. */
  observation(): readonly number[] {
    const { x, y } = this.hull.getPosition();
    const velocity = this.hull.getLinearVelocity();
    return [
      (x - WIDTH / 2) / (WIDTH / 2),
      (y - PAD.height - LEG.down) / (HEIGHT / 2),
      (velocity.x * WIDTH) / 2 / FPS,
      (velocity.y * HEIGHT) / 2 / FPS,
      this.hull.getAngle(),
      (20 * this.hull.getAngularVelocity()) / FPS,
      Number(this.onGround[0]),
      Number(this.onGround[1]),
    ];
  }

  /** A frame. Engines sit not quite where they should: their place is drawn, also while they are off. */
  private fire({ main, side }: Throttle, uniform: Uniform): void {
    const angle = this.hull.getAngle();
    const [up, right] = [Math.cos(angle), Math.sin(angle)];
    const off = [uniform(), uniform()].map((share) => (2 * share - 1) / SCALE);
    const { x, y } = this.hull.getPosition();
    if (main > 0) {
      const down = MAIN.down + 2 * off[0];
      const dx = right * down - up * off[1];
      const dy = -up * down - right * off[1];
      const impulse = MAIN.power * main;
      this.hull.applyLinearImpulse({ x: -dx * impulse, y: -dy * impulse }, { x: x + dx, y: y + dy }, true);
    }
    if (side !== 0) {
      const away = 3 * off[1] + Math.sign(side) * SIDE.away;
      const dx = right * off[0] - up * away;
      const dy = -up * off[0] - right * away;
      const impulse = SIDE.power * Math.abs(side);
      const place = { x: x + dx - right * SIDE.inward, y: y + dy + up * SIDE.height };
      this.hull.applyLinearImpulse({ x: -dx * impulse, y: -dy * impulse }, place, true);
    }
    this.world.step(1 / FPS, 6 * 30, 2 * 30);
  }
}

/**
 * Puts the centre of mass where it is. The height of a polygon's centre is wrong in planck up to 1.4.2 (its `addVec2`); later
 * releases differ in nothing else that is used here, but declare that they need Node 24.
 */
function balance(hull: Body): void {
  const mass = hull.getMass();
  const inertia = hull.getInertia() - mass * hull.getLocalCenter().y ** 2;
  hull.setMassData({ mass, center: { x: 0, y: HULL_CENTRE }, I: inertia + mass * HULL_CENTRE ** 2 });
}

/** The line of the ground, each point at about the mean height of itself and its neighbours. */
function groundOf(heights: number[]): [number, number][] {
  heights.fill(PAD.height, PAD.from, PAD.to + 1);
  return Array.from({ length: POINTS }, (_, i) => {
    const before = heights.at(i - 1)!;
    return [(WIDTH / (POINTS - 1)) * i, 0.33 * (before + heights[i] + heights[i + 1])];
  });
}

/** Better near the pad, slow, upright and with legs on the ground. */
function shapingOf([x, y, vx, vy, angle, , left, right]: readonly number[]): number {
  return -100 * (Math.hypot(x, y) + Math.hypot(vx, vy) + Math.abs(angle)) + 10 * (left + right);
}

const OBJECTIVES: readonly Objective[] = [
  { name: 'Landing' },
  { name: 'Shaping' },
  { name: 'Main engine' },
  { name: 'Side engines' },
];
const BOUNDS = [2.5, 2.5, 10, 10, Math.fround(2 * Math.PI), 10];

/** As MO-Gymnasium has it (docs/fidelity.md). */
function define(id: string, summary: string, actionSpace: Space, throttleOf: (action: Action) => Throttle) {
  return defineEnv({
    id,
    summary,
    family: 'mo-gymnasium',
    source: 'MO-Gymnasium (Felten et al., NeurIPS 2023), with the lander of Klimov, 2016',
    objectives: OBJECTIVES,
    actionSpace,
    horizon: HORIZON,
    discount: 0.99,
    // That of MORL-Baselines.
    referencePoint: [-101, -1001, -101, -101],
    // Small networks learn no less than those of their kind, in less time; slow targets and small steps keep more of what was
    // learned (docs/benchmarks.md).
    settings: [
      {
        presets: ['quick'],
        algorithms: ['psl-ddqn', 'pd-ddqn'],
        settings: {
          steps: 300_000,
          nStep: 5,
          double: true,
          boundedTargets: true,
          hidden: [128, 128],
          batch: 128,
          learningRate: 3e-4,
          updatesPerStep: 0.5,
        },
      },
      {
        presets: ['quick'],
        algorithms: ['psl-td3', 'pd-td3'],
        settings: {
          steps: 200_000,
          nStep: 5,
          atoms: 51,
          policyDelay: 10,
          hidden: [128, 128],
          criticHidden: [128, 128],
          batch: 128,
          updatesPerStep: 0.5,
          evaluations: 10,
          // With one, an evaluation says more about luck than about the policies.
          episodes: 3,
        },
      },
    ],
    view: { kind: 'scene', width: WIDTH, height: HEIGHT + SKY, stepSeconds: 1 / FPS, draw },
    prepare: loadPhysics,
    make() {
      let episode = begin(new Random(0));
      return {
        observationSpace: continuous([...BOUNDS.map((bound) => -bound), 0, 0], [...BOUNDS, 1, 1]),
        start: (random) => void (episode = begin(random)),
        advance(action, reward, random) {
          const throttle = throttleOf(action);
          episode.throttles.push(throttle.main, throttle.side);
          return episode.lander.step(throttle, reward, () => random.uniform());
        },
        observe: (out) => out.set(episode.lander.observation()),
        info: () => ({ ground: episode.lander.ground }),
        // What the physics knows about contacts cannot be saved; the same steps from the same start lead to it.
        save: () => ({ random: { ...episode.random }, throttles: [...episode.throttles] }),
        load: (state) => void (episode = replayed(state)),
      };
    },
  });
}

/** The lander and its pad. Of the ground around it nothing is observed. */
function draw(observation: readonly number[]) {
  const centre: ScenePoint = [
    WIDTH / 2 + (observation[0] * WIDTH) / 2,
    PAD.height + LEG.down + (observation[1] * HEIGHT) / 2,
  ];
  const angle = observation[4];
  const side = WIDTH / (POINTS - 1);
  const foot = (i: number): ScenePoint => [i * LEG.away * 1.5, -LEG.down];
  const legs = [-1, 1].map((i) => line('actor', placed([[i * LEG.away * 0.7, 0], foot(i)], centre, angle)));
  const touching = [-1, 1].flatMap((i, leg) =>
    observation[6 + leg] > 0 ? [circle('mark', placed([foot(-i)], centre, angle)[0], 0.15)] : [],
  );
  return [
    line('ground', [
      [PAD.from * side, PAD.height],
      [PAD.to * side, PAD.height],
    ]),
    ...[PAD.from + 1, PAD.to - 1].map((point) => {
      return line('mark', [
        [point * side, PAD.height],
        [point * side, PAD.height + 1],
      ]);
    }),
    ...legs,
    polygon(
      'actor',
      placed(
        HULL.map(([x, y]): ScenePoint => [x / SCALE, y / SCALE]),
        centre,
        angle,
      ),
    ),
    ...touching,
  ];
}

interface Episode {
  readonly lander: Lander;
  /** Before the first draw. */
  readonly random: RandomState;
  /** Of the main engine and the side ones, step by step. */
  readonly throttles: number[];
}

function begin(random: Random): Episode {
  const { state } = random;
  return { lander: new Lander(physics!, () => random.uniform()), random: state, throttles: [] };
}

function replayed(saved: StateValue): Episode {
  const { random: state, throttles } = (saved ?? {}) as { random?: RandomState; throttles?: unknown };
  const isThrottle = (value: unknown) => typeof value === 'number' && Math.abs(value) <= 1;
  if (!Array.isArray(throttles) || throttles.length > 2 * HORIZON || !throttles.every(isThrottle)) {
    throw new RangeError(`state.world.throttles must be a list of at most ${2 * HORIZON} numbers from -1 to 1.`);
  }
  const random = Random.fromState(state!);
  const episode = begin(random);
  const reward = new Float64Array(OBJECTIVES.length);
  for (let i = 0; i < throttles.length; i += 2) {
    const [main, side] = throttles.slice(i, i + 2) as [number, number];
    episode.lander.step({ main, side }, reward, () => random.uniform());
    episode.throttles.push(main, side);
  }
  return episode;
}

export const lunarLander = define(
  'mo-lunar-lander-v3',
  'Lunar lander: come down on the pad, softly and upright, and burn little.',
  discrete(4),
  // Nothing, left, main, right.
  (action) => ({ main: action === 2 ? 1 : 0, side: action === 1 ? -1 : action === 3 ? 1 : 0 }),
);

export const lunarLanderContinuous = define(
  'mo-lunar-lander-continuous-v3',
  'Lunar lander with continuous engines: come down on the pad, softly and upright, and burn little.',
  cube(2, -1, 1),
  (action) => {
    const [main, side] = Array.from(action as ArrayLike<number>, (value) =>
      Math.fround(Math.max(-1, Math.min(1, value))),
    );
    // Engines run with half of their power at least, and the side ones only where they are wanted clearly.
    return { main: main > 0 ? (main + 1) / 2 : 0, side: Math.abs(side) > 0.5 ? side : 0 };
  },
);
