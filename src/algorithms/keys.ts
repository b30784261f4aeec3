import type { StateValue } from '../envs/index.js';
import { fitInterpolator, keyPreferences } from '../preferences/index.js';
import type { Interpolator } from '../preferences/index.js';

/** A return at each key preference, in their order. */
export type KeyReturns = readonly (readonly number[])[];

/**
 * The returns that are known to be possible at a few key preferences. Between them PD-MORL's interpolator says in which
 * direction Q should point at any preference; they are replaced as better ones are found.
 */
export class KeySolutions {
  readonly preferences: readonly (readonly number[])[];
  private kept: KeyReturns;
  private interpolate: Interpolator;
  private norm: 'l1' | 'l2' = 'l2';

  constructor(objectives: number, returns: KeyReturns) {
    this.preferences = keyPreferences(objectives);
    this.kept = returns;
    this.interpolate = this.fit('l2');
  }

  get returns(): KeyReturns {
    return this.kept;
  }

  /** Takes over the returns that are worth more at their preference than those there were, and says how many. */
  offer(returns: KeyReturns): number {
    const isBetter = this.preferences.map((w, k) => scalarised(w, returns[k]) > scalarised(w, this.kept[k]));
    this.kept = this.kept.map((old, k) => (isBetter[k] ? returns[k] : old));
    // Every refit divides by the other norm, as published; directions at the keys themselves do not depend on it.
    this.interpolate = this.fit('l1');
    return isBetter.filter(Boolean).length;
  }

  save(): StateValue {
    return { returns: this.kept.map((point) => Float64Array.from(point)), norm: this.norm };
  }

  load(saved: StateValue): void {
    const { returns, norm } = saved as Readonly<{ returns: readonly Float64Array[]; norm: 'l1' | 'l2' }>;
    this.kept = returns.map((point) => [...point]);
    this.interpolate = this.fit(norm);
  }

  /** Fills in I(w) for rows of preferences below each other. */
  directions(preferences: Float32Array, out: Float32Array): void {
    const width = this.preferences[0].length;
    for (let at = 0; at < preferences.length; at += width) {
      this.interpolate(preferences.subarray(at, at + width), out.subarray(at, at + width));
    }
  }

  private fit(norm: 'l1' | 'l2'): Interpolator {
    this.norm = norm;
    return fitInterpolator(this.preferences, this.kept, { norm });
  }
}

/** The best returns of a known front at the key preferences. */
export function keysOfFront(objectives: number, front: readonly (readonly number[])[]): KeyReturns {
  return keyPreferences(objectives).map((w) => front.reduce((a, b) => (scalarised(w, b) > scalarised(w, a) ? b : a)));
}

function scalarised(w: readonly number[], point: readonly number[]): number {
  return w.reduce((sum, weight, k) => sum + weight * point[k], 0);
}

/**
 * What PD-MORL starts from on each robot: undiscounted returns of single-preference TD3 at (1, 0), (0, 1) and (1/2, 1/2),
 * one to two million steps each. The last one of the hopper is worse than both others: that run evidently failed.
 */
export const publishedKeys: Readonly<Record<string, KeyReturns>> = {
  'mo-walker2d-v2': [
    [2602.103564453125, 691.5010070800781],
    [497.2413299560547, 2494.5884033203124],
    [1639.5962036132812, 2156.5128173828125],
  ],
  'mo-halfcheetah-v2': [
    [2458.6275146484377, 1526.2019897460937],
    [499.8559997558594, 2493.455078125],
    [2450.69345703125, 2204.8305908203124],
  ],
  'mo-ant-v2': [
    [3228.3885986328123, 62.29166131019592],
    [88.39122819900513, 3170.7235107421875],
    [1899.1759155273437, 1954.055078125],
  ],
  'mo-swimmer-v2': [
    [257.4129104614258, 19.847727394104005],
    [4.292927038669586, 149.99191284179688],
    [126.07158279418945, 129.29445037841796],
  ],
  'mo-hopper-v2': [
    [3533.1955322265626, 3165.8176513671874],
    [1778.3151001, 4971.92060547],
    [1227.723211669922, 1310.2695007324219],
  ],
};
