/**
 * PD-MORL's interpolator I(w): from the returns at a few key preferences to the expected direction of returns at any
 * preference.
 */
import type { Vector } from './sample.js';
import { solveInPlace } from './solve.js';

export interface InterpolatorOptions {
  /**
   * What each vector is divided by before the fit. Only directions are used later, so this decides nothing but how the
   * nodes are blended between them. PD-MORL: L2 for its discrete tasks and for the first fit of the continuous ones,
   * L1 for every refit during training.
   */
  readonly norm?: 'l2' | 'l1';
}

/** Fills `out`, one entry per objective, with the vector expected at a preference, and returns it. */
export type Interpolator = <V extends Vector>(preference: ArrayLike<number>, out: V) => V;

/**
 * Fits PD-MORL's interpolator: a radial basis function with the linear kernel -r and a constant term, exact at the nodes,
 * I(w) = d - sum_i c_i |w - w_i| with weights c_i that sum to zero. With two objectives all preferences lie on one line,
 * and I is piecewise linear between the nodes and constant beyond them.
 */
export function fitInterpolator(
  preferences: readonly ArrayLike<number>[],
  vectors: readonly ArrayLike<number>[],
  { norm = 'l2' }: InterpolatorOptions = {},
): Interpolator {
  checkNodes(preferences, vectors);
  const count = preferences.length;
  const objectives = vectors[0].length;
  const nodes = preferences.map((preference) => Float64Array.from(preference));

  // One row per node, [K 1] c = vector with K_ij = -|w_i - w_j|, and a last one that makes the weights sum to zero.
  const rows = nodes.map((node) => Float64Array.from([...nodes.map((other) => -distance(node, other)), 1]));
  rows.push(Float64Array.from({ length: count + 1 }, (_, j) => (j < count ? 1 : 0)));
  const weights = vectors.map((vector, i) => normalised(vector, norm, i));
  weights.push(new Float64Array(objectives));
  if (!solveInPlace(rows, weights)) {
    throw new RangeError('preferences has nodes that are too close to each other, but they must be distinct.');
  }
  const constant = weights[count];
  const distances = new Float64Array(count);

  return (preference, out) => {
    // All distances before the first write, because `out` may be the preference.
    for (let i = 0; i < count; i++) distances[i] = distance(nodes[i], preference);
    for (let j = 0; j < objectives; j++) {
      let sum = constant[j];
      for (let i = 0; i < count; i++) sum -= weights[i][j] * distances[i];
      out[j] = sum;
    }
    return out;
  };
}

function distance(node: Float64Array, preference: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < node.length; i++) sum += (node[i] - preference[i]) ** 2;
  return Math.sqrt(sum);
}

function normalised(vector: ArrayLike<number>, norm: 'l2' | 'l1', index: number): Float64Array {
  const values = Float64Array.from(vector);
  const length = norm === 'l2' ? Math.hypot(...values) : values.reduce((sum, value) => sum + Math.abs(value), 0);
  if (!(length > 0 && length < Infinity)) {
    throw new RangeError(`vectors[${index}] is [${values.join(', ')}], but must be finite and not zero.`);
  }
  return values.map((value) => value / length);
}

function checkNodes(preferences: readonly ArrayLike<number>[], vectors: readonly ArrayLike<number>[]): void {
  if (preferences.length === 0) throw new RangeError('preferences has 0 nodes, but must have at least 1.');
  if (vectors.length !== preferences.length) {
    throw new RangeError(
      `vectors has ${vectors.length} entries, but must have one for each of the ${preferences.length} preferences.`,
    );
  }
  preferences.forEach((preference, i) => {
    if (preference.length !== preferences[0].length || !Array.from(preference).every(Number.isFinite)) {
      throw new RangeError(
        `preferences[${i}] is [${Array.from(preference).join(', ')}], ` +
          `but must be ${preferences[0].length} finite numbers, like the first.`,
      );
    }
    const earlier = preferences
      .slice(0, i)
      .findIndex((other) => Array.from(other).every((v, j) => v === preference[j]));
    if (earlier >= 0) {
      throw new RangeError(`preferences[${i}] is equal to preferences[${earlier}], but nodes must be distinct.`);
    }
  });
  vectors.forEach((vector, i) => {
    if (vector.length !== vectors[0].length) {
      throw new RangeError(
        `vectors[${i}] has ${vector.length} entries, but must have ${vectors[0].length} like the first.`,
      );
    }
  });
}
