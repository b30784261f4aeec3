/** Models as JSON: all parameters with their description, and the policy of one preference as plain layers. */
import { tensorShapes, type Output } from './description.js';
import type { Model } from './model.js';
import type { PlainPolicy } from './plain-policy.js';

/** What to make of the network's output y. */
const MEANINGS: Readonly<Record<Output, string>> = {
  tanh: 'the action is tanh(y) times the upper bounds',
  'tanh-normal': 'the first half of y are means, of which the action is tanh(mean) times the upper bounds',
  normal: 'the action is y, cut off at the bounds',
  categorical: 'y has a score for each action; take the one with the largest',
  values: 'y has values [actions, objectives]; take the action whose values times the preference are largest',
};

/** The network of this preference alone, with a sentence on how to use it, for a program of one's own. */
export function policyAsJson(plain: PlainPolicy) {
  const { layers, moments } = plain;
  return {
    ...policyFacts(plain),
    normalisation: moments && { ...moments, mean: [...moments.mean], scale: [...moments.scale] },
    layers: layers.map(({ weight, bias }) => ({ weight: rows(weight, bias.length), bias: [...bias] })),
  };
}

/** What there is to know about the network of a preference besides its numbers. */
export function policyFacts({ model, preference, used }: PlainPolicy) {
  const { env, algorithm, actionSpace, policy } = model.description;
  return {
    env,
    algorithm,
    preference: Array.from(used),
    asked: Array.from(preference),
    inputs: policy.inputs,
    activation: policy.activation,
    output: policy.output,
    meaning: MEANINGS[policy.output],
    actionSpace,
  };
}

/** A whole model: what model.json says, and every tensor with its shape and its numbers. */
export function modelAsJson({ description, tensors }: Model) {
  const shapes = tensorShapes(description.policy, description.objectives.length);
  return {
    ...description,
    tensors: Object.fromEntries(
      shapes.map(([name, shape]) => [name, { shape, values: Array.from(tensors.get(name)!) }]),
    ),
  };
}

function rows(values: Float32Array, width: number): number[][] {
  return Array.from({ length: values.length / width }, (_, i) => [...values.subarray(i * width, (i + 1) * width)]);
}
