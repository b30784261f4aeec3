export * from './family.js';
export { hypernetwork } from './hypernetwork.js';
export type { Hypernetwork, HypernetworkOptions, HypernetworkParameters } from './hypernetwork.js';
export { orthogonal, xavierNormal } from './initialise.js';
export { linear, mlp } from './mlp.js';
export type {
  Activation,
  HiddenActivation,
  Initialiser,
  LayerParameters,
  MlpOptions,
  Network,
  Parameters,
} from './mlp.js';
export { residual, type ResidualOptions } from './residual.js';
export { adam, adamSpecs, clipByGlobalNorm, clipped, softUpdate } from './optimise.js';
export type { AdamOptions, AdamState } from './optimise.js';
