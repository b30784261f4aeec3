/** The policy of one preference by itself, for programs that know nothing of families: as ONNX and as JSON. */
import { exportOnnx } from '../tensor/onnx/export.js';
import { constant, leaf } from '../tensor/tensor.js';
import type { Tensor } from '../tensor/tensor.js';
import { bestAction } from './best-action.js';
import type { Output } from './description.js';
import type { Layer, PlainPolicy } from './plain-policy.js';

/** One observation in, one action out: the network of this preference alone, for any ONNX runtime. */
export function policyAsOnnx({ model, preference, layers, moments }: PlainPolicy): Uint8Array {
  const { env, policy } = model.description;
  const seen = policy.inputs.length === 1 ? layers : withoutPreference(layers, preference);
  const size = seen[0].weight.length / seen[0].bias.length;
  const observation = leaf('observation', [1, size]);
  const input =
    moments === undefined
      ? observation
      : observation
          .sub(constant(moments.mean, [size]))
          .mul(constant(moments.scale, [size]))
          .clamp(-moments.limit, moments.limit);
  const output = seen.reduce((signal: Tensor, { weight, bias }, i) => {
    const outputs = bias.length;
    const sum = signal.matmul(constant(weight, [weight.length / outputs, outputs])).add(constant(bias, [outputs]));
    if (i === layers.length - 1) return sum;
    return policy.activation === 'tanh' ? sum.tanh() : sum.relu();
  }, input);
  const action = bestAction(output, model.description, constant(Array.from(preference), [1, preference.length]));
  return exportOnnx({ observation }, { action }, { name: `${env} policy` });
}

/** The preference is an input that never changes, so its part of the first layer is a part of the bias. */
function withoutPreference([first, ...rest]: readonly Layer[], preference: ArrayLike<number>): Layer[] {
  const width = first.bias.length;
  const size = first.weight.length / width - preference.length;
  const bias = first.bias.map((value, j) => {
    return Array.from(preference).reduce((sum, w, k) => sum + w * first.weight[(size + k) * width + j], value);
  });
  return [{ weight: first.weight.subarray(0, size * width), bias }, ...rest];
}

/** What to make of the network's output y. */
const MEANINGS: Readonly<Record<Output, string>> = {
  tanh: 'the action is tanh(y) times the upper bounds',
  'tanh-normal': 'the first half of y are means, of which the action is tanh(mean) times the upper bounds',
  normal: 'the action is y, cut off at the bounds',
  categorical: 'y has a score for each action; take the one with the largest',
  values: 'y has values [actions, objectives]; take the action whose values times the preference are largest',
};

/** The network of this preference alone, with a sentence on how to use it, for a program of one's own. */
export function policyAsJson({ model, preference, layers, moments }: PlainPolicy) {
  const { env, algorithm, actionSpace, policy } = model.description;
  return {
    env,
    algorithm,
    preference: Array.from(preference),
    inputs: policy.inputs,
    normalisation: moments && { ...moments, mean: [...moments.mean], scale: [...moments.scale] },
    activation: policy.activation,
    output: policy.output,
    meaning: MEANINGS[policy.output],
    actionSpace,
    layers: layers.map(({ weight, bias }) => ({ weight: rows(weight, bias.length), bias: [...bias] })),
  };
}

function rows(values: Float32Array, width: number): number[][] {
  return Array.from({ length: values.length / width }, (_, i) => [...values.subarray(i * width, (i + 1) * width)]);
}
