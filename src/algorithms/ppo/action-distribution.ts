/** How PPO draws actions from what its actor says: around each of some numbers, or one of some choices. */
import type { Space } from '../../envs/index.js';
import type { Random } from '../../random/index.js';
import { constant, float32 } from '../../tensor/index.js';
import type { Spec, Tensor, Values } from '../../tensor/index.js';

type Named<T> = Readonly<Record<string, T>>;

export interface ActionDistribution {
  readonly kind: 'normal' | 'categorical';
  /** Numbers that the actor says for each row. */
  readonly outputs: number;
  /** Numbers of an action; a discrete one is its index. */
  readonly size: number;
  /** What is learned beside the actor, from zeros on. */
  readonly spread: Named<Spec>;
  /** One number for each row. */
  readonly logProbability: (action: Tensor, said: Tensor, spread: Named<Tensor>) => Tensor;
  /** The mean over all rows, but for a constant. */
  readonly entropy: (said: Tensor, spread: Named<Tensor>) => Tensor;
  /** The most probable actions. */
  readonly best: (said: Tensor) => Tensor;
  /** What `draw` has to be told besides what the actor says. */
  readonly told: (spread: Named<Tensor>) => Named<Tensor>;
  /** Fills in as many actions as there are rows of what the actor says. */
  readonly draw: (said: Values, told: Named<Values>, random: Random, actions: Float32Array) => void;
  /** How much is left to chance, as a diagnostic. */
  readonly chance: (said: Tensor, spread: Named<Tensor>) => Named<Tensor>;
}

export function actionDistribution(space: Space): ActionDistribution {
  return space.kind === 'continuous' ? normal(space.low.map(finite), space.high.map(finite)) : categorical(space.n);
}

function finite(bound: number): number {
  return Math.max(-1e30, Math.min(1e30, bound));
}

/** Independent normal distributions around what the actor says, whose deviations are the same everywhere. */
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
    told: ({ logDeviation }) => ({ deviation: logDeviation.exp() }),
    draw: (means, { deviation }, random, actions) => {
      random.fillNormal(actions);
      for (let i = 0; i < actions.length; i++) actions[i] = means[i] + deviation[i % size] * actions[i];
    },
    chance: (_, { logDeviation }) => ({ deviation: logDeviation.exp().mean() }),
  };
}

/** One of so many choices, each the more probable the more the actor says for it. */
function categorical(choices: number): ActionDistribution {
  /** The numbers of each row, counted from its largest one, and what their exponentials add up to. */
  const measured = (said: Tensor) => {
    const below = said.sub(said.max(1, true).stopGradient());
    return { below, total: below.exp().sum(1) };
  };
  const entropy = (said: Tensor): Tensor => {
    const { below, total } = measured(said);
    return total.log().sub(below.exp().mul(below).sum(1).div(total)).mean();
  };
  return {
    kind: 'categorical',
    outputs: choices,
    size: 1,
    spread: {},
    logProbability: (action, said) => {
      const { below, total } = measured(said);
      const chosen = action.reshape([action.shape[0]]).toInt().oneHot(choices);
      return below.mul(chosen).sum(1).sub(total.log());
    },
    entropy,
    best: (said) => said.argmax(1),
    told: () => ({}),
    draw: (said, _, random, actions) => {
      for (let row = 0; row < actions.length; row++) {
        const own = said.subarray(row * choices, (row + 1) * choices);
        const most = Math.max(...own);
        let total = 0;
        for (const value of own) total += Math.exp(value - most);
        let left = random.uniform() * total;
        let choice = 0;
        // The last one takes what rounding leaves over.
        for (; choice < choices - 1; choice++) {
          left -= Math.exp(own[choice] - most);
          if (left < 0) break;
        }
        actions[row] = choice;
      }
    },
    chance: (said) => ({ entropy: entropy(said) }),
  };
}
