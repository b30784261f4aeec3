export { policyAsJson, policyAsOnnx } from './export.js';
export { plainPolicy, readModel, type Layer, type Model, type Moments, type PlainPolicy } from './plain-policy.js';
export { decodeSafetensors, encodeSafetensors, type NamedTensor } from './safetensors.js';
