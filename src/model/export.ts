/** The policy of one preference by itself, for programs that know nothing of families: as ONNX and as JSON. */
import { exportOnnx } from '../tensor/onnx/export.js';
import { constant, leaf } from '../tensor/tensor.js';
import type { Tensor } from '../tensor/tensor.js';
import type { PlainPolicy } from './plain-policy.js';

/** One observation in, one action out: the network of this preference alone, for any ONNX runtime. */
export function policyAsOnnx({ model, preference: asked, layers, observations }: PlainPolicy): Uint8Array {
  const { actionSpace, objectives, activation, squashed, choice, members } = model;
  // A policy of a finite set does not see what it was chosen by.
  const preference = members === undefined ? Array.from(asked) : [];
  const size = layers[0].weight.length / layers[0].bias.length - preference.length;
  const observation = leaf('observation', [1, size]);
  const seen =
    observations === undefined
      ? observation
      : observation
          .sub(constant(observations.mean, [size]))
          .mul(constant(observations.scale, [size]))
          .clamp(-10, 10);
  // The preference is an input that never changes, so its part of the first layer is a part of the bias.
  const [first, ...rest] = layers;
  const width = first.bias.length;
  const bias = first.bias.map((value, j) => {
    return preference.reduce((sum, weight, k) => sum + weight * first.weight[(size + k) * width + j], value);
  });
  const own = { weight: first.weight.subarray(0, size * width), bias };
  const output = [own, ...rest].reduce((signal: Tensor, layer, i) => {
    const outputs = layer.bias.length;
    const weight = constant(layer.weight, [layer.weight.length / outputs, outputs]);
    const sum = signal.matmul(weight).add(constant(layer.bias, [outputs]));
    if (i === layers.length - 1) return sum;
    return activation === 'tanh' ? sum.tanh() : sum.relu();
  }, seen);
  if (actionSpace.kind === 'continuous') {
    const [low, high] = [actionSpace.low, actionSpace.high].map((bound) => constant(bound, [bound.length]));
    const action = squashed ? output.tanh().mul(high) : output.maximum(low).minimum(high);
    return exportOnnx({ observation }, { action }, { name: `${model.env} policy` });
  }
  const scores =
    choice === 'score'
      ? output
      : output
          .reshape([1, actionSpace.n, objectives])
          .mul(constant(preference, [objectives]))
          .sum(-1);
  const action = scores.argmax(1);
  return exportOnnx({ observation }, { action }, { name: `${model.env} policy` });
}

export function policyAsJson({ model, preference, layers, observations }: PlainPolicy) {
  const { env, algorithm, actionSpace, activation, squashed, choice, members } = model;
  const ofChoices =
    choice === 'score'
      ? 'a score for each action; take the action of the largest'
      : 'values [actions, objectives]; take the action whose values times the preference are largest';
  return {
    env,
    algorithm,
    preference: Array.from(preference),
    input: `the observation, normalised where there is a mean${members === undefined ? ', then the preference' : ''}`,
    output:
      actionSpace.kind === 'continuous'
        ? `the action, as ${squashed ? 'tanh(output) times the limits' : 'the output cut off at the limits'}`
        : ofChoices,
    actionSpace,
    observations: observations && { mean: [...observations.mean], scale: [...observations.scale], limit: 10 },
    hiddenActivation: activation,
    layers: layers.map(({ weight, bias }) => ({ weight: rows(weight, bias.length), bias: [...bias] })),
  };
}

function rows(values: Float32Array, width: number): number[][] {
  return Array.from({ length: values.length / width }, (_, i) => [...values.subarray(i * width, (i + 1) * width)]);
}
