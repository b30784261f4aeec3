/**
 * Key solutions (PD-MORL): returns that are known to be possible at a few key preferences. Interpolating between them
 * gives I(w), the direction in which Q should point at any preference w, which the angle term of the losses compares Q
 * with.
 */
import type { StateValue } from '../envs/index.js';
import { fitInterpolator, keyPreferences } from '../preferences/index.js';
import type { Interpolator } from '../preferences/index.js';
import type { HostState } from './host-state.js';

/** A return at each key preference, in their order. */
export type KeyReturns = readonly (readonly number[])[];

/** The key solutions of a replica, which are replaced as better returns are reached. */
export class KeySolutions {
  readonly preferences: readonly (readonly number[])[];
  private kept: KeyReturns;
  private interpolate: Interpolator;
  private norm: 'l1' | 'l2' = 'l2';

  /** @param origin from which the directions of returns are measured */
  constructor(
    objectives: number,
    returns: KeyReturns,
    private readonly origin: readonly number[] = new Array<number>(objectives).fill(0),
  ) {
    this.preferences = keyPreferences(objectives);
    this.kept = returns;
    this.interpolate = this.fit('l2');
  }

  get returns(): KeyReturns {
    return this.kept;
  }

  /** Replaces the returns of each key preference at which the given ones have a higher utility; returns how many were. */
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
    for (let start = 0; start < preferences.length; start += width) {
      this.interpolate(preferences.subarray(start, start + width), out.subarray(start, start + width));
    }
  }

  private fit(norm: 'l1' | 'l2'): Interpolator {
    this.norm = norm;
    const above = this.kept.map((point) => point.map((value, k) => value - this.origin[k]));
    return fitInterpolator(this.preferences, above, { norm });
  }
}

/** The key solutions of all replicas as one. */
export function keysAsHostState(all: readonly KeySolutions[]): HostState {
  return {
    save: () => all.map((one) => one.save()),
    load: (saved) => all.forEach((one, i) => one.load((saved as readonly StateValue[])[i])),
    saveReplica: (replica) => all[replica].save(),
    loadReplica: (replica, saved, isElsewhere) => {
      if (!isElsewhere) all[replica].load(saved);
    },
  };
}

/** The best returns of a known front at the key preferences. */
export function keysOfFront(objectives: number, front: readonly (readonly number[])[]): KeyReturns {
  return keyPreferences(objectives).map((w) => front.reduce((a, b) => (scalarised(w, b) > scalarised(w, a) ? b : a)));
}

function scalarised(w: readonly number[], point: readonly number[]): number {
  return w.reduce((sum, weight, k) => sum + weight * point[k], 0);
}
