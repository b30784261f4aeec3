export { assertPreference } from './check.js';
export { simplexGrid, subspaces, type GridOptions } from './grid.js';
export { fitInterpolator, type Interpolator, type InterpolatorOptions } from './interpolator.js';
export { keyPreferences, sweepPreferences } from './key.js';
export { absNormal, roundPreference, uniformSimplex, type AbsNormalOptions, type Vector } from './sample.js';
