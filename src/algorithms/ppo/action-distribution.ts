/**
 * The distributions that PPO draws actions from. For continuous actions the actor's outputs are the means of independent
 * normal distributions; for discrete actions they are the logits of a categorical distribution.
 */
import type { Space } from '../../envs/index.js';
import type { Random } from '../../random/index.js';
import { constant, float32 } from '../../tensor/index.js';
import type { Spec, Tensor, Values } from '../../tensor/index.js';

type Named<T> = Readonly<Record<string, T>>;

export interface ActionDistribution {
  readonly kind: 'normal' | 'categorical';
  /** How many outputs the actor has. */
  readonly outputs: number;
  /** How many numbers an action has; a discrete one is its index. */
  readonly size: number;
  /** Parameters that are learned beside the actor, starting from zero. */
  readonly spread: Named<Spec>;
  /** One number for each row. */
  readonly logProbability: (action: Tensor, output: Tensor, spread: Named<Tensor>) => Tensor;
  /** The mean over all rows, up to a constant. */
  readonly entropy: (output: Tensor, spread: Named<Tensor>) => Tensor;
  /** The most probable actions. */
  readonly best: (output: Tensor) => Tensor;
  /** Further inputs of `draw`. */
  readonly drawInputs: (spread: Named<Tensor>) => Named<Tensor>;
  /** Fills in one action for each row of the actor's outputs. */
  readonly draw: (output: Values, drawInputs: Named<Values>, random: Random, actions: Float32Array) => void;
  /** How wide the distribution is, as a diagnostic. */
  readonly width: (output: Tensor, spread: Named<Tensor>) => Named<Tensor>;
}

export function actionDistribution(space: Space): ActionDistribution {
  return space.kind === 'continuous' ? normal(space.low.map(finite), space.high.map(finite)) : categorical(space.n);
}

function finite(bound: number): number {
  return Math.max(-1e30, Math.min(1e30, bound));
}

/** Independent normal distributions around the actor's outputs; their deviations do not depend on the observation. */
function normal(low: readonly number[], high: readonly number[]): ActionDistribution {
  const size = low.length;
  return {
    kind: 'normal',
    outputs: size,
    size,
    spread: { logDeviation: float32(size) },
    // The sum over the actions is a matrix product, and no result has a last axis of one: onnxruntime takes over ten
    // times as long to broadcast along short axes.
    logProbability: (action, mean, { logDeviation }) => {
      const precision = logDeviation.mul(-2).exp().reshape([size, 1]);
      const distance = action.sub(mean).square().matmul(precision).reshape([action.shape[0]]);
      return distance.mul(-0.5).sub(logDeviation.sum().add((size / 2) * Math.log(2 * Math.PI)));
    },
    entropy: (_, { logDeviation }) => logDeviation.sum(),
    best: (mean) => mean.maximum(constant(low, [size])).minimum(constant(high, [size])),
    drawInputs: ({ logDeviation }) => ({ deviation: logDeviation.exp() }),
    draw: (means, { deviation }, random, actions) => {
      random.fillNormal(actions);
      for (let i = 0; i < actions.length; i++) actions[i] = means[i] + deviation[i % size] * actions[i];
    },
    width: (_, { logDeviation }) => ({ deviation: logDeviation.exp().mean() }),
  };
}

/** One of so many choices, with the softmax of the actor's outputs as probabilities. */
function categorical(choices: number): ActionDistribution {
  /** The logits less the largest one of their row, so that exponentials do not overflow, and the sum of these. */
  const shifted = (logits: Tensor) => {
    const below = logits.sub(logits.max(1, true).stopGradient());
    return { below, total: below.exp().sum(1) };
  };
  const entropy = (logits: Tensor): Tensor => {
    const { below, total } = shifted(logits);
    return total.log().sub(below.exp().mul(below).sum(1).div(total)).mean();
  };
  return {
    kind: 'categorical',
    outputs: choices,
    size: 1,
    spread: {},
    logProbability: (action, logits) => {
      const { below, total } = shifted(logits);
      const chosen = action.reshape([action.shape[0]]).toInt().oneHot(choices);
      return below.mul(chosen).sum(1).sub(total.log());
    },
    entropy,
    best: (logits) => logits.argmax(1),
    drawInputs: () => ({}),
    draw: (logits, _, random, actions) => {
      for (let row = 0; row < actions.length; row++) {
        const rowLogits = logits.subarray(row * choices, (row + 1) * choices);
        const most = Math.max(...rowLogits);
        let total = 0;
        for (const value of rowLogits) total += Math.exp(value - most);
        let left = random.uniform() * total;
        let choice = 0;
        // The last one takes what rounding leaves over.
        for (; choice < choices - 1; choice++) {
          left -= Math.exp(rowLogits[choice] - most);
          if (left < 0) break;
        }
        actions[row] = choice;
      }
    },
    width: (logits) => ({ entropy: entropy(logits) }),
  };
}
