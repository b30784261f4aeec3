import type { Tensor } from '../tensor/index.js';
import { xavierNormal } from './initialise.js';
import { layerNorm, linear, specsOf } from './mlp.js';
import type { LayerSizes, Network } from './mlp.js';

export interface ResidualOptions {
  readonly inputs: number;
  /** Units of the signal that blocks add to. */
  readonly width: number;
  readonly blocks: number;
  readonly outputs: number;
}

/** The hidden layer of a block is this many times as wide as the signal. */
const EXPANSION = 4;

/**
 * A network of residual blocks with normalisation first (SimBa, Lee et al. 2024): a linear layer, blocks that each add a
 * perceptron of the normalised signal to it, and a linear layer of the normalised sum.
 */
export function residual({ inputs, width, blocks, outputs }: ResidualOptions): Network {
  const names = Array.from({ length: blocks }, (_, i) => ({ expand: `expand${i}`, contract: `contract${i}` }));
  const layers: readonly LayerSizes[] = [
    { name: 'input', fanIn: inputs, fanOut: width },
    ...names.flatMap(({ expand, contract }) => [
      { name: expand, fanIn: width, fanOut: EXPANSION * width },
      { name: contract, fanIn: EXPANSION * width, fanOut: width },
    ]),
    { name: 'output', fanIn: width, fanOut: outputs },
  ];
  const forward: Network['forward'] = (x, linearPart) => {
    let signal: Tensor = linearPart('input', x);
    for (const { expand, contract } of names) {
      signal = signal.add(linearPart(contract, linearPart(expand, layerNorm(signal)).relu()));
    }
    return linearPart('output', layerNorm(signal));
  };
  return {
    inputs,
    outputs,
    activation: 'relu',
    specs: specsOf(layers),
    init: (random) =>
      Object.fromEntries(
        layers.map(({ name, fanIn, fanOut }) => {
          return [name, { weight: xavierNormal(random, fanIn, fanOut), bias: new Float32Array(fanOut) }];
        }),
      ),
    apply: (parameters, x) => forward(x, (layer, signal) => linear(parameters[layer], signal)),
    forward,
  };
}
