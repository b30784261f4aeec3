/**
 * Searches the Pareto front of the deterministic minecart. Every action sequence is followed until a bound shows that nothing
 * it can still become is better than what is known: what the search leaves out is no better than what it gives.
 */
import {
  ACCELERATION,
  ACTIONS,
  act,
  AT_HOME,
  BASE_RADIUS,
  type Cart,
  FRAMES,
  fuelOf,
  MINE_RADIUS,
  MINES,
  sold,
  STANDSTILL,
} from './minecart.js';

/** A way from home to home. */
export interface Trip {
  readonly actions: readonly number[];
  readonly returns: readonly number[];
}

/** The mines at which it is dug, in their order; twice the same is to dig there for two steps. */
export type Route = readonly number[];

const [MINE, , , ACCELERATE, BRAKE, NOTHING] = ACTIONS.keys();
const COSTS = Array.from(ACTIONS.keys(), (action) => -fuelOf(action));
const IDLE = COSTS[NOTHING];
/** Of distances and returns: rounding alone is no difference. */
const TOLERANCE = 1e-9;

/** Two steps of digging fill every cart, so that no other route brings more: none, one or two. */
export function allRoutes(): Route[] {
  const mines = [...MINES.keys()];
  return [[], ...mines.map((mine) => [mine]), ...mines.flatMap((first) => mines.map((second) => [first, second]))];
}

/** Trips of which none is better than another. */
export class Trips {
  #trips: Trip[] = [];
  #returns = new Float64Array();

  get all(): readonly Trip[] {
    return this.#trips;
  }

  /** Whether one of them is at least as good in all objectives. */
  dominates(first: number, second: number, fuel: number): boolean {
    const returns = this.#returns;
    for (let i = 0; i < returns.length; i += 3) {
      // From little fuel to much.
      if (returns[i + 2] < fuel - TOLERANCE) return false;
      if (returns[i] >= first - TOLERANCE && returns[i + 1] >= second - TOLERANCE) return true;
    }
    return false;
  }

  add(trip: Trip): void {
    const [first, second, fuel] = trip.returns;
    if (this.dominates(first, second, fuel)) return;
    const isKept = ({ returns }: Trip) => returns.some((value, k) => value > trip.returns[k] + TOLERANCE);
    this.#trips = [...this.#trips.filter(isKept), trip].sort((a, b) => b.returns[2] - a.returns[2]);
    this.#returns = Float64Array.from(this.#trips.flatMap(({ returns }) => returns));
  }
}

/** The least that a part of a trip takes: steps, and fuel as discounted to its beginning. */
interface Least {
  readonly steps: number;
  readonly fuel: number;
}

export interface SearchOptions {
  /** Less than 1. */
  readonly discount: number;
  /** The most sequences that are followed at a time, the most promising ones; without it all, and the search is exact. */
  readonly beam?: number;
  /** What a step is worth in fuel to a beam. */
  readonly hurry?: number;
}

/** Adds the trips of a route that nothing known is better than. Returns how many sequences were followed. */
export function searchRoute(
  route: Route,
  trips: Trips,
  { discount, beam = Infinity, hurry = 0 }: SearchOptions,
): number {
  const bounds = new Bounds(route, trips, discount, hurry);
  const past = new Past();
  const cart = { ...AT_HOME };
  let layer = new Layer();
  layer.add(cart, 0, 0, 0, -1);
  for (let step = 0; layer.size > 0; step++) {
    const factor = discount ** step;
    const next = new Layer();
    for (let from = 0; from < layer.size; from++) {
      for (const action of ACTIONS.keys()) {
        let digs = layer.digs[from];
        layer.put(from, cart);
        if (isPointless(cart, action, digs, route)) continue;
        const isHome = act(cart, action, (mean) => mean);
        if (action === MINE) digs += 1;
        const fuel = layer.fuels[from] + factor * COSTS[action];
        if (isHome) {
          if (digs < route.length) continue;
          const returns = [...bounds.load.map((ore) => factor * ore), -fuel];
          trips.add({ actions: [...past.actionsTo(layer.ids[from]), action], returns });
          continue;
        }
        const promise = bounds.promise(cart, digs, step, fuel);
        if (promise < Infinity && !next.has(cart, digs, fuel)) {
          next.add(cart, digs, fuel, promise, past.add(layer.ids[from], action));
        }
      }
    }
    layer = next.size > beam ? next.best(beam) : next;
  }
  return past.size;
}

/** The front, exact but for rounding: first what beams find, which bounds then cut with, route by route. */
export function searchFront(discount: number, told: (route: Route, followed: number) => void = () => {}): Trip[] {
  const trips = new Trips();
  const routes = allRoutes();
  for (const hurry of [0, 0.02, 0.1, 0.5]) {
    for (const route of routes) searchRoute(route, trips, { discount, hurry, beam: 500 });
  }
  for (const route of routes) told(route, searchRoute(route, trips, { discount }));
  return [...trips.all];
}

/**
 * To dig in vain is to do nothing for more fuel, and to dig elsewhere another route. Where it stands, nothing changes by doing
 * nothing: a policy without memory would do so for ever.
 */
function isPointless(cart: Cart, action: number, digs: number, route: Route): boolean {
  const stands = cart.speed < STANDSTILL;
  if (action === NOTHING) return stands;
  if (action === BRAKE) return cart.speed === 0;
  return action === MINE && (!stands || digs === route.length || distanceToMine(cart, route[digs]) > 0);
}

/** What a sequence can still become at best. */
export class Bounds {
  /** What is sold in the end. */
  readonly load: readonly [number, number];
  /** For each number of digs that is done: the least from the next one on, that included. */
  readonly #afterDriving: readonly (readonly Least[])[];
  readonly #powers = new Float64Array(2000);

  constructor(
    private readonly route: Route,
    private readonly trips: Trips,
    private readonly discount: number,
    private readonly hurry: number,
  ) {
    this.load = loadOf(route);
    for (let i = 0; i < this.#powers.length; i++) this.#powers[i] = discount ** i;
    const afterDriving: Least[][] = [[{ steps: 0, fuel: 0 }]];
    for (let digs = route.length - 1; digs >= 0; digs--) {
      const { x, y } = MINES[route[digs]];
      const isLast = digs === route.length - 1;
      const [distance, next] = isLast
        ? [Math.hypot(x, y) - BASE_RADIUS, -1]
        : [distanceToMine({ x, y }, route[digs + 1]), route[digs + 1]];
      const least = afterDriving[0].flatMap((then) =>
        this.#drives(0, route[digs] === next ? 0 : distance - MINE_RADIUS, !isLast, then),
      );
      afterDriving.unshift(
        least.map(({ steps, fuel }) => ({ steps: steps + 1, fuel: this.#delayed(COSTS[MINE] + discount * fuel) })),
      );
    }
    this.#afterDriving = afterDriving;
  }

  /** Infinity if nothing known is worse than what follows can be, or else how little it can cost, with so much for each step. */
  promise(cart: Cart, digs: number, step: number, fuel: number): number {
    const isLast = digs === this.route.length;
    const distance = !isLast
      ? distanceToMine(cart, this.route[digs])
      : cart.departed === 1
        ? Math.hypot(cart.x, cart.y) - BASE_RADIUS
        : 0;
    let promise = Infinity;
    for (const then of this.#afterDriving[digs]) {
      for (const least of this.#drives(cart.speed, distance, !isLast, then)) {
        const last = this.#powers[step + least.steps];
        const spent = fuel + this.#powers[step + 1] * least.fuel;
        if (this.trips.dominates(last * this.load[0], last * this.load[1], -spent)) continue;
        promise = Math.min(promise, spent + this.hurry * least.steps);
      }
    }
    return promise;
  }

  /**
   * The least of driving so far from a speed, and of braking where that is the aim, before what comes then: for each number of
   * times that it accelerates, if more save steps. The distance is the larger the earlier that is, the fuel less the later.
   */
  #drives(speed: number, distance: number, isToStop: boolean, then: Least): Least[] {
    if (isToStop && distance <= 0 && speed < STANDSTILL) return [then];
    const options: Least[] = [];
    let fewest = Infinity;
    let { fuel } = then;
    if (isToStop) fuel = this.#delayed(IDLE + this.discount * fuel);
    for (let times = 0; ; times++) {
      const frames = FRAMES * times;
      const left = distance - TOLERANCE - frames * speed - (ACCELERATION * frames * (frames + 1)) / 2;
      // What stands does not move.
      const perStep = times === 0 && speed < STANDSTILL ? 0 : FRAMES * (speed + ACCELERATION * frames);
      const coasting = left <= 0 ? 0 : Math.ceil(left / perStep);
      if (times + coasting < fewest) {
        fewest = times + coasting;
        const forever = this.#forever;
        options.push({
          steps: then.steps + fewest + (isToStop ? 1 : 0),
          fuel: forever - this.#powers[coasting] * (forever - fuel),
        });
      }
      if (left <= 0) return options;
      fuel = this.#delayed(COSTS[ACCELERATE] + this.discount * fuel);
    }
  }

  /** The least that fuel can become by waiting, which saves some where more is put off than to wait for ever costs. */
  #delayed(fuel: number): number {
    return Math.min(fuel, this.#forever);
  }

  get #forever(): number {
    return IDLE / (1 - this.discount);
  }
}

/** How far a cart is from where it can dig in a mine. */
function distanceToMine({ x, y }: Pick<Cart, 'x' | 'y'>, mine: number): number {
  return Math.hypot(x - MINES[mine].x, y - MINES[mine].y) - MINE_RADIUS;
}

function loadOf(route: Route): [number, number] {
  const cart = { ...AT_HOME };
  for (const mine of route) {
    const { x, y } = MINES[mine];
    Object.assign(cart, { x, y });
    act(cart, MINE, (mean) => mean);
  }
  return sold(cart);
}

/** All sequences that were followed, each as one of them and an action more. */
class Past {
  size = 0;
  #parents = new Int32Array(1024);
  #actions = new Uint8Array(1024);

  add(parent: number, action: number): number {
    if (this.size === this.#parents.length) {
      this.#parents = longer(this.#parents, new Int32Array(2 * this.size));
      this.#actions = longer(this.#actions, new Uint8Array(2 * this.size));
    }
    this.#parents[this.size] = parent;
    this.#actions[this.size] = action;
    return this.size++;
  }

  actionsTo(id: number): number[] {
    const actions: number[] = [];
    for (let at = id; at >= 0; at = this.#parents[at]) actions.push(this.#actions[at]);
    return actions.reverse();
  }
}

/** Carts after the same number of steps, in flat arrays: there are millions of them. */
class Layer {
  size = 0;
  digs = new Uint8Array(1024);
  fuels = new Float64Array(1024);
  ids = new Int32Array(1024);
  #promises = new Float64Array(1024);
  /** x, y, speed and angle of each; the angle is negative as long as home was not left. */
  #places = new Float64Array(4 * 1024);
  /** Which cart is in a place of the hash table, plus 1. */
  #table = new Int32Array(4 * 1024);

  add(cart: Cart, digs: number, fuel: number, promise: number, id: number): void {
    if (this.size === this.ids.length) this.#grow();
    const at = this.size++;
    this.#places.set([cart.x, cart.y, cart.speed, signedAngle(cart)], 4 * at);
    this.digs[at] = digs;
    this.fuels[at] = fuel;
    this.ids[at] = id;
    this.#promises[at] = promise;
    this.#enter(at);
  }

  /** Whether the same cart is there with no more fuel spent. */
  has(cart: Cart, digs: number, fuel: number): boolean {
    const [places, table] = [this.#places, this.#table];
    const angle = signedAngle(cart);
    for (let slot = hash(cart.x, cart.y, angle, table.length); table[slot] !== 0; slot = (slot + 1) % table.length) {
      const at = table[slot] - 1;
      const isThere = places[4 * at] === cart.x && places[4 * at + 1] === cart.y && places[4 * at + 3] === angle;
      if (isThere && places[4 * at + 2] === cart.speed && this.digs[at] === digs && this.fuels[at] <= fuel) return true;
    }
    return false;
  }

  put(at: number, cart: Cart): void {
    const angle = this.#places[4 * at + 3];
    cart.x = this.#places[4 * at];
    cart.y = this.#places[4 * at + 1];
    cart.speed = this.#places[4 * at + 2];
    cart.angle = angle < 0 ? -angle - 1 : angle;
    cart.departed = angle < 0 ? 0 : 1;
  }

  /** The most promising ones. */
  best(count: number): Layer {
    const chosen = Array.from(this.ids.subarray(0, this.size).keys());
    chosen.sort((a, b) => this.#promises[a] - this.#promises[b]);
    const layer = new Layer();
    const cart = { ...AT_HOME };
    for (const at of chosen.slice(0, count)) {
      this.put(at, cart);
      layer.add(cart, this.digs[at], this.fuels[at], this.#promises[at], this.ids[at]);
    }
    return layer;
  }

  #enter(at: number): void {
    const [places, table] = [this.#places, this.#table];
    let slot = hash(places[4 * at], places[4 * at + 1], places[4 * at + 3], table.length);
    while (table[slot] !== 0) slot = (slot + 1) % table.length;
    table[slot] = at + 1;
  }

  #grow(): void {
    const length = 2 * this.size;
    this.digs = longer(this.digs, new Uint8Array(length));
    this.fuels = longer(this.fuels, new Float64Array(length));
    this.ids = longer(this.ids, new Int32Array(length));
    this.#promises = longer(this.#promises, new Float64Array(length));
    this.#places = longer(this.#places, new Float64Array(4 * length));
    this.#table = new Int32Array(4 * length);
    for (let at = 0; at < this.size; at++) this.#enter(at);
  }
}

function longer<T extends Uint8Array | Int32Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

function signedAngle({ angle, departed }: Cart): number {
  return departed === 1 ? angle : -angle - 1;
}

const numbers = new Float64Array(3);
const words = new Int32Array(numbers.buffer);

function hash(x: number, y: number, angle: number, length: number): number {
  numbers[0] = x;
  numbers[1] = y;
  numbers[2] = angle;
  let mixed = 0;
  for (const word of words) mixed = Math.imul(mixed ^ word, 0x9e3779b1) ^ (mixed >>> 15);
  return ((mixed ^ (mixed >>> 16)) >>> 0) % length;
}
