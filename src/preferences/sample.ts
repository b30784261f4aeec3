/** Random preferences: the distributions on the simplex that are drawn from in training. */
import type { Random } from '../random/index.js';

/** An array that a function fills for its caller. */
export interface Vector {
  readonly length: number;
  [index: number]: number;
}

/** Fills `out` with a preference drawn uniformly from the simplex (Dirichlet with all parameters 1) and returns it. */
export function uniformSimplex<V extends Vector>(random: Random, out: V): V {
  // Exponential variables divided by their sum. The logarithm of 1 - u is finite, since u is never 1.
  return drawNormalised(out, () => -Math.log1p(-random.uniform()));
}

/**
 * Fills `out` with a preference drawn uniformly from a random face of the simplex, and returns it: first how many
 * objectives matter, then which, then how much. A grid over many objectives lies almost wholly on such faces (with six
 * and a step of 0.1 all but 126 of 3003 vectors have a zero), which draws from the whole simplex never reach.
 */
export function uniformFace<V extends Vector>(random: Random, out: V): V {
  const kept = 1 + random.integer(out.length);
  const order = random.shuffle(Array.from({ length: out.length }, (_, i) => i));
  const part = uniformSimplex(random, new Float64Array(kept));
  for (let i = 0; i < out.length; i++) out[order[i]] = i < kept ? part[i] : 0;
  return out;
}

export interface AbsNormalOptions {
  /** Rounds to this many decimals (3 in PD-MORL); the entries may then not sum to exactly one. */
  readonly decimals?: number;
}

/**
 * Fills `out` with the absolute values of normal numbers divided by their sum, and returns it. Published for hindsight
 * relabelling (PD-MORL) and for episodes (Envelope); it is not uniform on the simplex but favours its middle.
 */
export function absNormal<V extends Vector>(random: Random, out: V, { decimals }: AbsNormalOptions = {}): V {
  drawNormalised(out, () => Math.abs(random.normal()));
  return decimals === undefined ? out : roundPreference(out, decimals);
}

/** Rounds the entries in place, as PD-MORL does to 3 decimals with every preference it acts on. */
export function roundPreference<V extends Vector>(preference: V, decimals: number): V {
  if (!Number.isSafeInteger(decimals) || decimals < 0 || decimals > 15) {
    throw new RangeError(`decimals is ${decimals}, but must be an integer from 0 to 15.`);
  }
  const scale = 10 ** decimals;
  for (let i = 0; i < preference.length; i++) preference[i] = Math.round(preference[i] * scale) / scale;
  return preference;
}

function drawNormalised<V extends Vector>(out: V, draw: () => number): V {
  if (out.length === 0) throw new RangeError('out has 0 entries, but must have one per objective.');
  let sum = 0;
  // All draws can be zero, though hardly ever; then there is no direction to normalise.
  while (sum === 0) {
    for (let i = 0; i < out.length; i++) sum += out[i] = draw();
  }
  for (let i = 0; i < out.length; i++) out[i] /= sum;
  return out;
}
