import { describe, expect, it } from 'vitest';
import { Random } from '../random/index.js';
import { envInfo, makeEnv } from './index.js';
import { act, ACTIONS, AT_HOME, fuelOf, MINES } from './minecart.js';
import { OPTIMAL_TRIPS } from './minecart-front.js';
import { Bounds, searchRoute, type Trip, Trips } from './minecart-search.js';

const ID = 'minecart-deterministic-v0';
const { discount, knownFront, referencePoint } = envInfo(ID);
const MINE = ACTIONS.indexOf('mine');

const optimal = OPTIMAL_TRIPS.map((trip) => Array.from(trip, Number));

/** Plays actions in the environment: the returns, and all that can be told apart on the way. */
function play(actions: readonly number[]) {
  const env = makeEnv(ID);
  env.reset();
  const returns = [0, 0, 0];
  const states = [JSON.stringify(env.saveState().world)];
  let isHome = false;
  for (const [step, action] of actions.entries()) {
    expect(isHome).toBe(false);
    const { reward, terminated } = env.step(action);
    for (const [k, value] of reward.entries()) returns[k] += discount ** step * value;
    states.push(JSON.stringify(env.saveState().world));
    isHome = terminated;
  }
  expect(isHome).toBe(true);
  return { returns, states };
}

/** The mines where actions dig. */
function routeOf(actions: readonly number[]): number[] {
  const cart = { ...AT_HOME };
  return actions.flatMap((action) => {
    const before = cart.ore1 + cart.ore2;
    act(cart, action, (mean) => mean);
    if (action !== MINE || cart.ore1 + cart.ore2 === before) return [];
    const distances = MINES.map(({ x, y }) => Math.hypot(cart.x - x, cart.y - y));
    return [distances.indexOf(Math.min(...distances))];
  });
}

describe('the known front of the deterministic minecart', () => {
  it('has a point for each optimal trip, which the environment gives for its actions', () => {
    const played = optimal.map((actions) => play(actions).returns);
    const byFuel = (points: readonly (readonly number[])[]) => [...points].sort((a, b) => a[2] - b[2] || a[0] - b[0]);
    const front = byFuel(knownFront!(discount));
    expect(front).toHaveLength(optimal.length);
    for (const [i, point] of byFuel(played).entries()) {
      for (const [k, value] of point.entries()) expect(front[i][k]).toBeCloseTo(value, 12);
    }
    for (const point of front) expect(point.every((value, k) => value > referencePoint[k])).toBe(true);
  });

  it('is that of policies without memory: no trip comes to the same state twice', () => {
    for (const actions of optimal) {
      const { states } = play(actions);
      expect(new Set(states).size).toBe(states.length);
    }
  });

  it('is unknown where mines are random, and with another discount', () => {
    expect(envInfo('minecart-v0').knownFront).toBeUndefined();
    for (const other of [1, 0.99, 0.9]) expect(knownFront!(other)).toEqual([]);
  });
});

describe('the search of the minecart', () => {
  it('finds the way out and back that burns least, alone', () => {
    const trips = new Trips();
    searchRoute([], trips, { discount, beam: 30 });
    searchRoute([], trips, { discount });
    const best = Math.max(...knownFront!(discount).map((point) => point[2]));
    expect(trips.all.map(({ returns }) => returns[2])).toEqual([expect.closeTo(best, 9)]);
  });

  it('finds nothing better than the known front', () => {
    const trips = new Trips();
    const known = optimal.map((actions): Trip => ({ actions, returns: play(actions).returns }));
    for (const trip of known) trips.add(trip);
    for (const route of [[], [0, 4]]) searchRoute(route, trips, { discount });
    expect(new Set(trips.all)).toEqual(new Set(known));
  });

  it('never expects less of a trip than it comes to', () => {
    const random = new Random(1);
    const checked = [...optimal, ...randomTrips(random, 20)];
    for (const actions of checked) {
      const route = routeOf(actions);
      // By fuel alone, and by steps before fuel.
      for (const hurry of [0, 1000]) {
        const bounds = new Bounds(route, new Trips(), discount, hurry);
        const cart = { ...AT_HOME };
        const fuels = actions.map((action, step) => -fuelOf(action) * discount ** step);
        const total = fuels.reduce((sum, fuel) => sum + fuel, 0);
        let [spent, digs] = [0, 0];
        for (const [step, action] of actions.slice(0, -1).entries()) {
          const before = cart.ore1 + cart.ore2;
          act(cart, action, (mean) => mean);
          spent += fuels[step];
          if (cart.ore1 + cart.ore2 > before) digs += 1;
          const actual = total + hurry * (actions.length - 1 - step);
          expect(bounds.promise(cart, digs, step, spent)).toBeLessThanOrEqual(actual + 1e-9);
        }
      }
    }
  });
});

/** Trips of random actions that dig at most twice. */
function randomTrips(random: Random, count: number): number[][] {
  const trips: number[][] = [];
  while (trips.length < count) {
    const cart = { ...AT_HOME };
    const actions: number[] = [];
    let isHome = false;
    while (!isHome && actions.length < 200) {
      const action = random.integer(ACTIONS.length);
      actions.push(action);
      isHome = act(cart, action, (mean) => mean);
    }
    if (isHome && routeOf(actions).length <= 2) trips.push(actions);
  }
  return trips;
}
