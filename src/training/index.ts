export {
  createLearner,
  discountOf,
  evaluationPreferences,
  isOffPolicy,
  returnDiscountOf,
  StoppedError,
  type Evaluated,
  type LoopConfig,
  type Plan,
  type Progress,
} from './definition.js';
export { DIVERGED } from './evaluation.js';
export { loopFields, onPolicyFields } from './fields.js';
export { heldRuns } from './held-runs.js';
export { frontPicture, hypervolumePicture, type CurvePoint } from './pictures.js';
export {
  checkDivisions,
  LARGEST_SEED,
  loopFieldsOf,
  planTraining,
  settingsOf,
  type TrainingPlan,
  type TrainingRequest,
} from './plan.js';
export { presetFor, presetNames, type Preset, type PresetName } from './presets.js';
export { protocolOf, type Protocol, type ScoredPreferences } from './protocol.js';
export {
  changedFiles,
  isChanged,
  loadPolicy,
  openBegun,
  openRun,
  readKeys,
  readReturns,
  RunError,
  type BegunRun,
  type Run,
} from './run-directory.js';
export type { RunResult } from './run-writer.js';
export { CheckpointError } from './checkpoint.js';
export { LockedError } from './lock.js';
export { checkOut } from './out-folder.js';
export {
  evaluateRun,
  planToResume,
  resumeRun,
  trainRun,
  type EvaluateRunOptions,
  type ResumeOptions,
  type TrainedRuns,
  type TrainRunOptions,
} from './run.js';
export { SickTraining } from './sickness.js';
export type { Trained, TrainingEvents } from './loop.js';
export { train } from './train.js';
