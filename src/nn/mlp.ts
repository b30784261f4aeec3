/**
 * Multilayer perceptrons, as functions of their parameters. Parameters are plain trees of tensors, so that a policy
 * family can compute them instead of storing them.
 */
import type { Random } from '../random/index.js';
import { float32 } from '../tensor/index.js';
import type { Spec, Tensor } from '../tensor/index.js';
import { orthogonal, xavierNormal } from './initialise.js';

/** Parameters of a network: for each layer a weight [in, out] and a bias [out]. */
export type Parameters<T> = Readonly<Record<string, LayerParameters<T>>>;
export type LayerParameters<T> = {
  readonly weight: T;
  readonly bias: T;
};

/** A function with parameters. Parameters may have leading axes, one network each, that match those of the input. */
export interface Network {
  readonly inputs: number;
  readonly outputs: number;
  /** Between layers. */
  readonly activation: HiddenActivation;
  readonly specs: Parameters<Spec>;
  init(random: Random): Parameters<Float32Array>;
  /** Rows in, rows out: [..., rows, inputs] to [..., rows, outputs]. */
  apply(parameters: Parameters<Tensor>, x: Tensor): Tensor;
  /** The same with the linear part of each layer computed by a given function. */
  forward(x: Tensor, linearPart: (layer: string, signal: Tensor) => Tensor): Tensor;
}

export type HiddenActivation = 'relu' | 'tanh';
export type Activation = HiddenActivation | 'none';
export type Initialiser =
  | { readonly kind: 'xavier-normal' }
  /** Orthogonal with one gain for the hidden layers and one for the last. */
  | { readonly kind: 'orthogonal'; readonly gain: number; readonly outputGain: number };

export interface MlpOptions {
  readonly inputs: number;
  readonly hidden: readonly number[];
  readonly outputs: number;
  /** Between layers; relu by default. */
  readonly activation?: HiddenActivation;
  /** Layer normalisation after the linear part of each hidden layer; not by default. */
  readonly normalise?: boolean;
  /** After the last layer; none by default. */
  readonly outputActivation?: Activation;
  /** Biases always start at zero. */
  readonly initialiser?: Initialiser;
}

export function mlp(options: MlpOptions): Network {
  const { inputs, hidden, outputs, activation = 'relu', outputActivation = 'none' } = options;
  const { initialiser = { kind: 'xavier-normal' }, normalise = false } = options;
  const sizes = [inputs, ...hidden, outputs];
  const layers = sizes.slice(1).map((fanOut, i) => ({ name: `layer${i}`, fanIn: sizes[i], fanOut }));
  const isLast = (i: number): boolean => i === layers.length - 1;
  const hiddenLayer = (x: Tensor): Tensor => activate(normalise ? layerNorm(x) : x, activation);
  const forward: Network['forward'] = (x, linearPart) =>
    layers.reduce((signal, { name }, i) => {
      const raw = linearPart(name, signal);
      return isLast(i) ? activate(raw, outputActivation) : hiddenLayer(raw);
    }, x);
  return {
    inputs,
    outputs,
    activation,
    specs: specsOf(layers),
    init: (random) =>
      Object.fromEntries(
        layers.map(({ name, fanIn, fanOut }, i) => {
          const weight =
            initialiser.kind === 'xavier-normal'
              ? xavierNormal(random, fanIn, fanOut)
              : orthogonal(random, fanIn, fanOut, isLast(i) ? initialiser.outputGain : initialiser.gain);
          return [name, { weight, bias: new Float32Array(fanOut) }];
        }),
      ),
    apply: (parameters, x) => forward(x, (layer, signal) => linear(parameters[layer], signal)),
    forward,
  };
}

/** Sizes of linear layers by name. */
export interface LayerSizes {
  readonly name: string;
  readonly fanIn: number;
  readonly fanOut: number;
}

export function specsOf(layers: readonly LayerSizes[]): Parameters<Spec> {
  return Object.fromEntries(
    layers.map(({ name, fanIn, fanOut }) => [name, { weight: float32(fanIn, fanOut), bias: float32(fanOut) }]),
  );
}

/** x W + b, where W and b may have leading axes of their own. */
export function linear({ weight, bias }: LayerParameters<Tensor>, x: Tensor): Tensor {
  const row = bias.rank > 1 ? bias.reshape([...bias.shape.slice(0, -1), 1, bias.shape[bias.rank - 1]]) : bias;
  return x.matmul(weight).add(row);
}

/** Layer normalisation without parameters (Ba et al. 2016): each row with mean zero and deviation one. */
export function layerNorm(x: Tensor): Tensor {
  const centred = x.sub(x.mean(-1, true));
  return centred.div(centred.square().mean(-1, true).add(1e-5).sqrt());
}

function activate(x: Tensor, activation: Activation): Tensor {
  switch (activation) {
    case 'relu':
      return x.relu();
    case 'tanh':
      return x.tanh();
    case 'none':
      return x;
  }
}
