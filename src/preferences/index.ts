export { assertPreference } from './check.js';
export {
  elicit,
  type Answer,
  type Choice,
  type ElicitOptions,
  type Elicited,
  type Importance,
  type Outcomes,
  type Question,
} from './elicit.js';
export { gridSize, isPublishedGrid, preferenceGrid, simplexGrid, subspaces, type GridOptions } from './grid.js';
export { fitInterpolator, type Interpolator, type InterpolatorOptions } from './interpolator.js';
export { keyPreferences, sweepPreferences } from './key.js';
export {
  absNormal,
  roundPreference,
  uniformFace,
  uniformSimplex,
  type AbsNormalOptions,
  type Vector,
} from './sample.js';
