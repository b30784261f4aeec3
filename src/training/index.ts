export {
  createLearner,
  discountOf,
  returnDiscountOf,
  StoppedError,
  type Evaluated,
  type LoopConfig,
  type Plan,
  type Progress,
} from './definition.js';
export { DIVERGED } from './evaluation.js';
export { loopFields } from './fields.js';
export { reasonOf } from './files.js';
export { frontOf, type ReturnsAt } from './front.js';
export { frontPicture, hypervolumePicture, type CurvePoint } from './pictures.js';
export {
  checkDivisions,
  LARGEST_SEED,
  planTraining,
  settingsOf,
  type TrainingPlan,
  type TrainingRequest,
} from './plan.js';
export { presetFor, presetNames, type Preset, type PresetName } from './presets.js';
export { protocolOf, type Protocol, type ScoredPreferences } from './protocol.js';
export {
  loadPolicy,
  openRun,
  readKeys,
  readReturns,
  unfinishedPlan,
  RunError,
  type Run,
  type RunResult,
} from './run-directory.js';
export { CheckpointError } from './checkpoint.js';
export { LockedError } from './lock.js';
export {
  checkOut,
  evaluateRun,
  resumeRun,
  trainRun,
  type EvaluateRunOptions,
  type ResumeOptions,
  type TrainedRuns,
  type TrainRunOptions,
} from './run.js';
export { decodeSafetensors, encodeSafetensors, type NamedTensor } from './safetensors.js';
export { ceilingOf, score, shareOf, type Score } from './score.js';
export { train, type Trained, type TrainingEvents } from './train.js';
