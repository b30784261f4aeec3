/**
 * A trained model and its policy, in a browser and in Node alike: what `psl-morl/policy` gives. It needs neither a device nor
 * any package, and acts synchronously.
 * @module psl-morl/policy
 */
export { fetchModel } from './model/fetch-model.js';
export { readModel, type Model } from './model/model.js';
export { plainPolicy, type Layer, type Moments, type PlainPolicy } from './model/plain-policy.js';
export type {
  HiddenActivation,
  ModelDescription,
  Output,
  ParametersDescription,
  PolicyDescription,
} from './model/description.js';
