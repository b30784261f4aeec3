/** Minecart: drive to one of five mines, dig two ores there and bring them home, with little fuel. */
import { nonDominated } from '../pareto/index.js';
import { OPTIMAL_TRIPS } from './minecart-front.js';
import { checkDiscount, defineEnv } from './registration.js';
import { circle, placed, polygon, rectangle, type ScenePoint } from './scene.js';
import { cube, discrete } from './spaces.js';
import { loadInteger, loadNumber } from './world.js';

export const ACTIONS = ['mine', 'left', 'right', 'accelerate', 'brake', 'nothing'] as const;
/** Every action is repeated so often. */
export const FRAMES = 4;

const DISCOUNT = 0.98;
const ROTATION = 10;
export const ACCELERATION = 0.0075;
const TOP_SPEED = 1;
/** What is slower stands still. */
export const STANDSTILL = 0.001;

/** In a frame. */
const FUEL = { idle: 0.005, accelerate: 0.025, mine: 0.05 };

/** How much the cart holds, of both ores together. */
const CAPACITY = 1.5;
export const BASE_RADIUS = 0.15;
export const MINE_RADIUS = 0.14;
/** Where a mine is, and how much of each ore a frame of digging finds on average. */
export const MINES = [
  { x: 0.16, y: 0.84, ores: [0.2, 0] },
  { x: 0.5, y: 0.84, ores: [0.15, 0.1] },
  { x: 0.84, y: 0.84, ores: [0.2, 0.2] },
  { x: 0.84, y: 0.5, ores: [0.1, 0.15] },
  { x: 0.84, y: 0.16, ores: [0, 0.2] },
];

/** A cart in a square with sides of 1, whose corner at the origin is home. */
export interface Cart {
  x: number;
  y: number;
  /** In a frame. */
  speed: number;
  /** In degrees, from 0 to 360; 0 is along x, 90 along y. */
  angle: number;
  ore1: number;
  ore2: number;
  /** Whether it has left its home, as 0 or 1. */
  departed: number;
}

export const AT_HOME: Readonly<Cart> = { x: 0, y: 0, speed: 0, angle: 45, ore1: 0, ore2: 0, departed: 0 };

/** As MO-Gymnasium has it (docs/fidelity.md). */
function define(id: string, summary: string, deviation: number) {
  return defineEnv({
    id,
    summary,
    family: 'mo-gymnasium',
    source: 'Abels et al., ICML 2019',
    objectives: [{ name: 'First ore' }, { name: 'Second ore' }, { name: 'Fuel' }],
    actionSpace: discrete(ACTIONS.length),
    horizon: 1000,
    // That of MORL-Baselines; the reference point is C-MORL's.
    discount: DISCOUNT,
    discountedReturns: true,
    referencePoint: [-1, -1, -200],
    ...(deviation === 0 && { knownFront: minecartFront }),
    // Random actions bring ore home in every other episode, yet with the settings of its kind a cart never leaves. Speeds are of
    // the size of 0.03, and whether it stands decides whether it can dig: unscaled that is hardly seen (docs/benchmarks.md).
    settings: [
      {
        presets: ['best', 'quick'],
        algorithms: ['psl-ddqn', 'pd-ddqn'],
        settings: {
          hidden: [128, 128],
          batch: 128,
          groups: 16,
          updatesPerStep: 0.5,
          utilityError: 10,
          boundedTargets: true,
          normalise: true,
          double: true,
          nStep: 5,
        },
      },
      { presets: ['quick'], algorithms: ['psl-ddqn', 'pd-ddqn'], settings: { steps: 200_000, evaluations: 6 } },
    ],
    view: { kind: 'scene', width: 1, height: 1, draw },
    make() {
      let cart: Cart = { ...AT_HOME };
      return {
        observationSpace: cube(7, -1, 1),
        start: () => void (cart = { ...AT_HOME }),
        advance(action, reward, random) {
          const isHome = act(cart, action, (mean) => Math.max(0, mean + deviation * random.normal()));
          reward.set([...(isHome ? sold(cart) : [0, 0]), fuelOf(action)]);
          return isHome;
        },
        observe(out) {
          const { x, y, speed, angle, ore1, ore2 } = cart;
          out.set([x, y, speed, Math.sin(radians(angle)), Math.cos(radians(angle)), ore1 / CAPACITY, ore2 / CAPACITY]);
        },
        info: () => ({ ...cart }),
        save: () => ({ ...cart }),
        load(state) {
          cart = {
            x: loadNumber(state, 'x', 0, 1),
            y: loadNumber(state, 'y', 0, 1),
            speed: loadNumber(state, 'speed', 0, TOP_SPEED),
            angle: loadNumber(state, 'angle', 0, 360),
            ore1: loadNumber(state, 'ore1', 0, CAPACITY),
            ore2: loadNumber(state, 'ore2', 0, CAPACITY),
            departed: loadInteger(state, 'departed', 1),
          };
        },
      };
    },
  });
}

export const minecart = define(
  'minecart-v0',
  'Minecart: bring two ores home with little fuel; mines are random.',
  0.05,
);
export const minecartDeterministic = define(
  'minecart-deterministic-v0',
  'Minecart: bring two ores home with little fuel; mines give what they have.',
  0,
);

/** Home, the mines with the shares of their ores, and the cart with what it carries. */
function draw([x, y, , sin, cos, ore1, ore2]: readonly number[]) {
  const angle = Math.atan2(sin, cos);
  const bar = (share: number, at: number) => rectangle(at, [x - 0.03 + 0.035 * at, y + 0.05], 0.025, 0.15 * share);
  const cart: ScenePoint[] = [
    [0.035, 0],
    [-0.025, 0.022],
    [-0.025, -0.022],
  ];
  return [
    circle('ground', [0, 0], BASE_RADIUS),
    ...MINES.flatMap((mine) => [
      circle('ground', [mine.x, mine.y], MINE_RADIUS),
      ...mine.ores.map((ore, k) => circle(k, [mine.x - 0.05 + 0.1 * k, mine.y], 0.2 * ore)),
    ]),
    polygon('actor', placed(cart, [x, y], angle)),
    bar(ore1, 0),
    bar(ore2, 1),
  ];
}

/** The returns of the trips that are optimal with the published discount (minecart-search.ts finds them); with another one others are. */
function minecartFront(discount: number): number[][] {
  checkDiscount(discount);
  if (discount !== DISCOUNT) return [];
  return nonDominated(OPTIMAL_TRIPS.map((trip) => returnsOf(Array.from(trip, Number), discount)));
}

/** The returns of actions that end at home where mines give what they have. */
function returnsOf(actions: readonly number[], discount: number): number[] {
  const cart = { ...AT_HOME };
  const returns = [0, 0, 0];
  for (const [step, action] of actions.entries()) {
    const isHome = act(cart, action, (mean) => mean);
    const rewards = [...(isHome ? sold(cart) : [0, 0]), fuelOf(action)];
    for (const [k, reward] of rewards.entries()) returns[k] += discount ** step * reward;
  }
  return returns;
}

/** What an action earns of fuel, which is negative. */
export function fuelOf(action: number): number {
  const name = ACTIONS[action];
  const extra = name === 'accelerate' ? FUEL.accelerate : name === 'mine' ? FUEL.mine : 0;
  return Math.fround(-(FUEL.idle + extra) * FRAMES);
}

/** The ores of a cart that has come home, which are gone then. */
export function sold(cart: Cart): [number, number] {
  const ores: [number, number] = [Math.fround(cart.ore1), Math.fround(cart.ore2)];
  cart.ore1 = cart.ore2 = 0;
  return ores;
}

/** Takes an action, with what a frame of digging finds of an ore with this mean; whether the cart has come home. */
export function act(cart: Cart, action: number, found: (mean: number) => number): boolean {
  const name = ACTIONS[action];
  let isHome = false;
  for (let frame = 0; frame < FRAMES; frame++) {
    if (name === 'left') turn(cart, -ROTATION);
    else if (name === 'right') turn(cart, ROTATION);
    else if (name === 'accelerate') cart.speed = Math.min(TOP_SPEED, cart.speed + ACCELERATION);
    else if (name === 'brake') cart.speed = 0;
    else if (name === 'mine') dig(cart, found);
    // The frame after the arrival still acts, as in the published code.
    if (isHome) break;
    drive(cart);
    if (Math.hypot(cart.x, cart.y) >= BASE_RADIUS) cart.departed = 1;
    else if (cart.departed === 1) isHome = true;
  }
  return isHome;
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

function turn(cart: Cart, degrees: number): void {
  cart.angle = (cart.angle + degrees + 360) % 360;
}

/** Digs in the nearest mine, if the cart stands still in it; what is more than it holds stays there in proportion. */
function dig(cart: Cart, found: (mean: number) => number): void {
  if (cart.speed >= STANDSTILL) return;
  const distance = (mine: { x: number; y: number }) => Math.hypot(cart.x - mine.x, cart.y - mine.y);
  const mine = MINES.reduce((nearest, each) => (distance(each) < distance(nearest) ? each : nearest));
  if (distance(mine) > MINE_RADIUS) return;
  const [ore1, ore2] = mine.ores.map(found);
  const free = CAPACITY - (cart.ore1 + cart.ore2);
  const share = ore1 + ore2 > free ? free / (ore1 + ore2) : 1;
  // Not even by rounding more than it holds.
  cart.ore1 = Math.min(CAPACITY, cart.ore1 + share * ore1);
  cart.ore2 = Math.min(CAPACITY, cart.ore2 + share * ore2);
}

/** A frame of motion. Against a wall it turns along it, and is as fast as it then really moves. */
function drive(cart: Cart): void {
  if (cart.speed < STANDSTILL) return;
  const { x, y } = cart;
  const vx = cart.speed * Math.cos(radians(cart.angle));
  const vy = cart.speed * Math.sin(radians(cart.angle));
  const isAtSide = x === 0 || x === 1;
  const isAtEnd = y === 0 || y === 1;
  if (!isAtEnd && Math.abs(vy) > STANDSTILL) {
    if (x === 1 && vx > 0) turn(cart, Math.sign(vy) * ROTATION);
    if (x === 0 && vx < 0) turn(cart, -Math.sign(vy) * ROTATION);
  }
  if (!isAtSide && Math.abs(vx) > STANDSTILL) {
    if (y === 1 && vy > 0) turn(cart, -Math.sign(vx) * ROTATION);
    if (y === 0 && vy < 0) turn(cart, Math.sign(vx) * ROTATION);
  }
  cart.x = Math.max(0, Math.min(1, x + vx));
  cart.y = Math.max(0, Math.min(1, y + vy));
  cart.speed = Math.hypot(cart.x - x, cart.y - y);
}
