/** Models and policies as one safetensors file each, which says about itself what its numbers mean. */
import { policyFacts } from './json.js';
import { encodeWeights, inHalf, type Model, type Precision } from './model.js';
import type { PlainPolicy } from './plain-policy.js';
import { encodeSafetensors, type NamedTensor } from './safetensors.js';

/** A whole model: model.safetensors, with what model.json says as the text `description`. */
export function modelAsSafetensors(model: Model, precision?: Precision): Uint8Array {
  return encodeWeights(model, precision, { description: JSON.stringify(model.description) });
}

/** The network of the preference that a policy is at: `layer0.weight` [inputs, outputs] and so on. */
export function policyAsSafetensors(policy: PlainPolicy, precision: Precision = 'float32'): Uint8Array {
  const tensors = new Map<string, NamedTensor>();
  policy.layers.forEach(({ weight, bias }, i) => {
    const outputs = bias.length;
    const parts = {
      weight: { shape: [weight.length / outputs, outputs], values: weight },
      bias: { shape: [outputs], values: bias },
    };
    for (const [part, tensor] of Object.entries(parts)) {
      const name = `layer${i}.${part}`;
      tensors.set(name, precision === 'float16' ? inHalf(name, tensor) : tensor);
    }
  });
  const { moments } = policy;
  for (const part of ['mean', 'scale'] as const) {
    if (moments) tensors.set(`observations.${part}`, { shape: [moments[part].length], values: moments[part] });
  }
  const limit = moments && { limit: moments.limit };
  return encodeSafetensors(tensors, { description: JSON.stringify({ ...policyFacts(policy), ...limit }) });
}
