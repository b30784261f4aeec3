/** Models that compress better: fewer bits where the policy depends least on them. */
import type { Model } from './model.js';

/** Significant bits of single precision. */
const SINGLE_BITS = 24;

/**
 * The model with heads of its hypernetwork whose numbers have so many significant bits. They are most of a model's numbers, and
 * of what they generate a fused policy has a share alpha alone. Throws a RangeError where the model has no hypernetwork.
 */
export function withCoarseHeads({ description, tensors }: Model, bits: number): Model {
  const { generated } = description.policy.parameters;
  if (generated === undefined) throw new RangeError('the model has no hypernetwork whose heads could have fewer bits.');
  const heads = `${generated.tensors}.heads.`;
  const coarse = Array.from(
    tensors,
    ([name, values]) => [name, name.startsWith(heads) ? toSignificant(values, bits) : values] as const,
  );
  return { description, tensors: new Map(coarse) };
}

/** The nearest finite numbers with so many significant bits, of two that are equally near that with an even last bit. */
export function toSignificant(values: Float32Array, bits: number): Float32Array {
  const rounded = values.slice();
  const stored = new Uint32Array(rounded.buffer);
  const places = SINGLE_BITS - bits;
  const belowHalf = 2 ** (places - 1) - 1;
  for (let i = 0; i < stored.length; i++) {
    const isOdd = (stored[i] >>> places) & 1;
    // A carry out of the mantissa counts the exponent up, which is right.
    stored[i] = ((stored[i] + belowHalf + isOdd) >>> places) << places;
  }
  return rounded;
}
