/**
 * What the last layer of a critic stands for: values themselves, fitted by regression, or logits of a distribution over
 * values, fitted by classification. Both give a value for each objective.
 */
import { constant } from '../tensor/index.js';
import type { Tensor } from '../tensor/index.js';
import { smoothL1 } from './losses.js';
import { LARGEST_RETURN } from './reward-scale.js';

export interface CriticHead {
  /** Outputs of the network. */
  readonly outputs: number;
  /** Values [rows, objectives] of its outputs. */
  values(raw: Tensor): Tensor;
  /** Mean loss against target values [rows, objectives]. */
  loss(raw: Tensor, target: Tensor): Tensor;
}

export function regressionHead(objectives: number, error: 'smooth-l1' | 'squared'): CriticHead {
  return {
    outputs: objectives,
    values: (raw) => raw,
    loss: (raw, target) => {
      const apart = raw.sub(target);
      return (error === 'squared' ? apart.square() : smoothL1(apart)).mean();
    },
  };
}

/** Deviation of the smoothed target in widths of a bin (Farebrother et al. 2024, "Stop regressing"). */
const SMOOTHING = 0.75;

/**
 * HL-Gauss: logits over `atoms` values from -5 to 5, and cross entropy against a normal distribution around the target,
 * cut into bins. Needs scaled rewards, whose returns lie in that range.
 */
export function classificationHead(objectives: number, atoms: number): CriticHead {
  const width = (2 * LARGEST_RETURN) / (atoms - 1);
  const values = Array.from({ length: atoms }, (_, i) => i * width - LARGEST_RETURN);
  const support = constant(values, [atoms]);
  const edges = (side: number) =>
    constant(
      values.map((value) => value + (side * width) / 2),
      [atoms],
    );
  const deviation = SMOOTHING * width;
  /** Logits relative to the largest, which changes neither the probabilities nor their gradient. */
  const logitsOf = (raw: Tensor): Tensor => {
    const logits = raw.reshape([raw.shape[0], objectives, atoms]);
    return logits.sub(logits.max(-1, true).stopGradient());
  };
  return {
    outputs: objectives * atoms,
    values: (raw) => {
      const odds = logitsOf(raw).exp();
      return odds.mul(support).sum(-1).div(odds.sum(-1));
    },
    loss: (raw, target) => {
      const logits = logitsOf(raw);
      const y = target.clamp(-LARGEST_RETURN, LARGEST_RETURN).reshape([...target.shape, 1]);
      const below = (side: number) => normalCdf(edges(side).sub(y).div(deviation));
      const mass = below(1).sub(below(-1)).stopGradient();
      const share = mass.div(mass.sum(-1, true));
      return logits.exp().sum(-1).log().sub(share.mul(logits).sum(-1)).mean();
    },
  };
}

/** The normal distribution function to about 3e-4 (Page 1977), from what every device has. */
function normalCdf(x: Tensor): Tensor {
  return x
    .add(x.square().mul(x).mul(0.044715))
    .mul(Math.sqrt(2 / Math.PI))
    .tanh()
    .add(1)
    .mul(0.5);
}
