export {
  changedFiles,
  isChanged,
  loadModel,
  loadPolicy,
  openBegun,
  openRun,
  readKeys,
  readReturns,
  RunError,
  type BegunRun,
  type Run,
} from './directory.js';
export { heldRuns } from './held-runs.js';
export { LockedError } from './lock.js';
export { originOf } from './origin.js';
export { checkOut } from './out-folder.js';
export { frontPicture, hypervolumePicture, type CurvePoint } from './pictures.js';
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
export type { RunResult } from './writer.js';
