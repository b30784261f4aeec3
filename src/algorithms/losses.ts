/**
 * Terms that the losses of several learners share: smooth L1, and the angle between Q and the direction in which it
 * should point.
 */
import { constant, select } from '../tensor/index.js';
import type { Tensor } from '../tensor/index.js';

/** Smooth L1 with its bend at 1, entry by entry. */
export function smoothL1(x: Tensor): Tensor {
  const size = x.abs();
  return select(size.less(1), x.square().mul(0.5), size.sub(0.5));
}

/** Vectors along the last axis, measured from an origin. */
export function above(x: Tensor, origin: readonly number[] = []): Tensor {
  return origin.every((value) => value === 0) ? x : x.sub(constant(origin, [origin.length]));
}

/** Cosine of the angle between vectors along the last axis, in [0, 0.9999] as published. */
export function cosine(a: Tensor, b: Tensor): Tensor {
  // Before the root, whose slope at zero is infinite.
  const norm = (x: Tensor): Tensor => x.square().sum(-1).maximum(1e-16).sqrt();
  return a
    .mul(b)
    .sum(-1)
    .div(norm(a).mul(norm(b)))
    .clamp(0, 0.9999);
}

/** That angle in degrees, as PD-MORL measures it: from 0.81 to 90. */
export function degreesBetween(a: Tensor, b: Tensor): Tensor {
  return cosine(a, b)
    .acos()
    .mul(180 / Math.PI);
}
