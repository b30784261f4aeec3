/** Initial weights of linear layers: Xavier normal, which off-policy learners use, and orthogonal, which PPO uses. */
import type { Random } from '../random/index.js';

/** Glorot and Bengio (2010): the standard deviation that keeps signals and gradients alike through a linear layer. */
export function xavierDeviation(fanIn: number, fanOut: number): number {
  return Math.sqrt(2 / (fanIn + fanOut));
}

/** A [fanIn, fanOut] matrix of normal numbers with that deviation. */
export function xavierNormal(random: Random, fanIn: number, fanOut: number): Float32Array {
  const values = new Float32Array(fanIn * fanOut);
  random.fillNormal(values, 0, xavierDeviation(fanIn, fanOut));
  return values;
}

/**
 * A [fanIn, fanOut] matrix with orthonormal columns (or rows, where they are fewer), times a gain; uniformly
 * distributed over all such matrices (Saxe et al., 2014): Gram-Schmidt on a normal matrix, in float64.
 */
export function orthogonal(random: Random, fanIn: number, fanOut: number, gain = 1): Float32Array {
  const [length, count] = [Math.max(fanIn, fanOut), Math.min(fanIn, fanOut)];
  const vectors = Array.from({ length: count }, () => random.fillNormal(new Float64Array(length), 0, 1));
  vectors.forEach((vector, i) => {
    // Twice, because one pass leaves rounding of the order of the condition number.
    for (let pass = 0; pass < 2; pass++) {
      for (let j = 0; j < i; j++) addScaled(vector, vectors[j], -dot(vector, vectors[j]));
    }
    const norm = Math.sqrt(dot(vector, vector));
    for (let k = 0; k < length; k++) vector[k] /= norm;
  });
  const out = new Float32Array(fanIn * fanOut);
  vectors.forEach((vector, i) => {
    for (let k = 0; k < length; k++) out[fanIn >= fanOut ? k * fanOut + i : i * fanOut + k] = gain * vector[k];
  });
  return out;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
  return sum;
}

function addScaled(a: Float64Array, b: Float64Array, scale: number): void {
  for (let k = 0; k < a.length; k++) a[k] += scale * b[k];
}
