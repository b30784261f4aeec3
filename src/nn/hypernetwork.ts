import type { Random } from '../random/index.js';
import { concat, constant, float32 } from '../tensor/index.js';
import type { Operand, Spec, Tensor } from '../tensor/index.js';
import { xavierDeviation } from './initialise.js';
import { mlp } from './mlp.js';
import type { LayerParameters, Network, Parameters } from './mlp.js';

export interface HypernetworkOptions {
  readonly objectives: number;
  /** The network whose parameters are generated. */
  readonly target: Network;
  /** Width of the hidden layers on the preference. */
  readonly hidden?: readonly number[];
  /** Numbers that the preference is turned into before the linear output layer. */
  readonly features?: number;
}

/**
 * The linear output layer is kept as one piece per generated tensor, so that nothing has to be cut out of a long vector:
 * one row for each feature, and a last one for the offset, which a feature that is always 1 stands for.
 */
export type HypernetworkParameters<T> = {
  readonly trunk: Parameters<T>;
  readonly heads: Parameters<T>;
};

/**
 * phi: an MLP from a preference to all parameters of a target network. The last layer is linear, so the
 * parameters are affine in a few features of the preference.
 */
export interface Hypernetwork {
  readonly specs: HypernetworkParameters<Spec>;
  init(random: Random): HypernetworkParameters<Float32Array>;
  /** Features of preferences [G, objectives], and a 1 behind them: [G, features + 1]. */
  featuresOf(parameters: HypernetworkParameters<Tensor>, preferences: Tensor): Tensor;
}

export function hypernetwork(options: HypernetworkOptions): Hypernetwork {
  const { objectives, target, hidden = [128, 128], features = 10 } = options;
  const trunk = mlp({ inputs: objectives, hidden, outputs: features });
  return {
    specs: { trunk: trunk.specs, heads: mapLayers(target.specs, ({ shape }) => float32(features + 1, ...shape)) },
    init: (random) => {
      const trunkValues = trunk.init(random);
      // Not below 0.1: a narrow trunk can start with dead features, which nothing should be divided by.
      const magnitude = Math.max(0.1, featureMagnitude(trunkValues, objectives));
      const scale = 1 / (Math.sqrt(features) * magnitude);
      const values = ({ shape }: Spec): Float32Array => {
        const size = shape.reduce((product, d) => product * d, 1);
        const rows = new Float32Array((features + 1) * size);
        // Biases start at zero, as they do in the target network itself, and so do offsets.
        if (shape.length === 2) {
          random.fillNormal(rows.subarray(0, features * size), 0, scale * xavierDeviation(shape[0], shape[1]));
        }
        return rows;
      };
      return { trunk: trunkValues, heads: mapLayers(target.specs, values) };
    },
    featuresOf: (parameters, preferences) =>
      concat([trunk.apply(parameters.trunk, preferences), constant(1).broadcastTo([preferences.shape[0], 1])], 1),
  };
}

/**
 * scale * phi(w) + base for one generated tensor, with a leading axis of one entry per preference. The scale goes to
 * the features, so the work on the large result is a single matrix product.
 */
export function generate(head: Tensor, features: Tensor, scale: Operand, base?: Tensor): Tensor {
  const [count, ...shape] = head.shape;
  const size = head.size / count;
  const generated = features.mul(scale).matmul(head.reshape([count, size]));
  const sum = base === undefined ? generated : generated.add(base.reshape([size]));
  return sum.reshape([features.shape[0], ...shape]);
}

/** Scaled features as `linearOfRows` takes them: [features + 1, G, 1]. */
export function featureColumns(features: Tensor, scale: Operand): Tensor {
  const [rows, count] = features.shape;
  return features.mul(scale).transpose([1, 0]).reshape([count, rows, 1]);
}

/**
 * A linear layer whose every row has generated parameters of its own, without making them: with features f of a row,
 * x (sum_k f_k U_k) + sum_k f_k b_k is the sum of all f_k (x U_k + b_k). Exact, and the rows share what is read of each U_k.
 */
export function linearOfRows(
  head: LayerParameters<Tensor>,
  columns: Tensor,
  x: Tensor,
  base?: LayerParameters<Tensor>,
): Tensor {
  const [count, , outputs] = head.weight.shape;
  const each = x
    .reshape([1, ...x.shape])
    .matmul(head.weight)
    .add(head.bias.reshape([count, 1, outputs]));
  const generated = each.mul(columns).sum(0);
  return base === undefined ? generated : generated.add(x.matmul(base.weight).add(base.bias));
}

export function mapLayers<T, U>(
  layers: Parameters<T>,
  map: (value: T, layer: string, part: keyof LayerParameters<T>) => U,
): Parameters<U> {
  return Object.fromEntries(
    Object.entries(layers).map(([name, { weight, bias }]) => [
      name,
      { weight: map(weight, name, 'weight'), bias: map(bias, name, 'bias') },
    ]),
  );
}

/**
 * Root mean square of the features over the corners and the centre of the simplex, at the start. Dividing the output
 * rows by it gives generated weights the deviation of an ordinary initialisation (as Chang et al., 2020, argue).
 */
function featureMagnitude(trunk: Parameters<Float32Array>, objectives: number): number {
  const corners = Array.from({ length: objectives }, (_, i) =>
    Array.from({ length: objectives }, (_, j) => +(i === j)),
  );
  const preferences = [...corners, new Array<number>(objectives).fill(1 / objectives)];
  let squares = 0;
  let count = 0;
  for (const preference of preferences) {
    const layers = Object.values(trunk);
    const out = layers.reduce<ArrayLike<number>>((x, { weight, bias }, i) => {
      const y = Array.from(bias, (b, j) => {
        let sum = b;
        for (let k = 0; k < x.length; k++) sum += x[k] * weight[k * bias.length + j];
        return i === layers.length - 1 ? sum : Math.max(0, sum);
      });
      return y;
    }, preference);
    for (let k = 0; k < out.length; k++) squares += out[k] * out[k];
    count += out.length;
  }
  return Math.sqrt(squares / count);
}
