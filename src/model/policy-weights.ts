/** Models and policies as one safetensors file each, which says about itself what its numbers mean. */
import { policyFacts } from './json.js';
import { encodeWeights, type Model, type Precision } from './model.js';
import type { PlainPolicy } from './plain-policy.js';
import { encodeSafetensors, type NamedTensor } from './safetensors.js';

/** A whole model: model.safetensors, with what model.json says as the text `description`. */
export function modelAsSafetensors(model: Model, precision?: Precision): Uint8Array {
  return encodeWeights(model, precision, { description: JSON.stringify(model.description) });
}

/** The network of the preference that a policy is at: `layer0.weight` [inputs, outputs] and so on. */
export function policyAsSafetensors(policy: PlainPolicy, precision: Precision = 'float32'): Uint8Array {
  const tensors = new Map<string, NamedTensor>();
  const isHalf = precision === 'float16' && { isHalf: true as const };
  policy.layers.forEach(({ weight, bias }, i) => {
    const outputs = bias.length;
    tensors.set(`layer${i}.weight`, { shape: [weight.length / outputs, outputs], values: weight, ...isHalf });
    tensors.set(`layer${i}.bias`, { shape: [outputs], values: bias, ...isHalf });
  });
  const { moments } = policy;
  for (const part of ['mean', 'scale'] as const) {
    if (moments) tensors.set(`observations.${part}`, { shape: [moments[part].length], values: moments[part] });
  }
  const limit = moments && { limit: moments.limit };
  return encodeSafetensors(tensors, { description: JSON.stringify({ ...policyFacts(policy), ...limit }) });
}
