export { answering, withAnswers, withoutAnswers, type Answering } from './answers.js';
export { bestAction } from './best-action.js';
export { withCoarseHeads } from './coarse-heads.js';
export {
  DESCRIPTION_FILE,
  MODEL_FORMAT,
  observationSize,
  OLDEST_MODEL_FORMAT,
  tensorShapes,
  WEIGHTS_FILE,
  type ModelDescription,
  type ParametersDescription,
  type PolicyDescription,
} from './description.js';
export { modelAsJson, policyAsJson } from './json.js';
export { encodeWeights, fitsHalf, readModel, type Model, type Precision } from './model.js';
export { modelAsOnnx, policyAsOnnx } from './onnx.js';
export { plainPolicy, type Layer, type Moments, type PlainPolicy } from './plain-policy.js';
export { decodeSafetensors, encodeSafetensors, halvesInPlanes, type NamedTensor } from './safetensors.js';
export { countRows, type Policy } from './policy.js';
export { modelAsSafetensors, policyAsSafetensors } from './policy-weights.js';
export { bestRow } from './utility.js';
