export type { Answers } from './answers.js';
export {
  CALIBRATION_EPISODES,
  CALIBRATION_SEED,
  checkCalibration,
  LEAST_CALIBRATION_EPISODES,
  MOST_CALIBRATION_EPISODES,
  NoGainError,
  CALIBRATION_PARTS,
  TOLERANCE,
  type CalibrationOptions,
} from './calibrate.js';
export { checkpointFolder } from './checkpoint.js';
export {
  changedFiles,
  hasLast,
  isChanged,
  loadModel,
  loadPolicy,
  openBegun,
  openRun,
  readKeys,
  readReturns,
  type BegunRun,
  type ReadFile,
  type Run,
} from './directory.js';
export { importModule, importRunModules, moduleFiles, type Imported, type ModulePart } from './modules.js';
export { evaluateRun, evaluationOptions, type EvaluateRunOptions } from './evaluate-run.js';
export { exportRun, HALF_BITS, LEAST_BITS, type ExportedRun, type ExportRunOptions } from './export-run.js';
export { heldRuns } from './held-runs.js';
export { isBeingTrained, LockedError } from './lock.js';
export { isMachine } from './machine.js';
export { originOf } from './origin.js';
export { checkOut } from './out-folder.js';
export { frontPicture, hypervolumePicture, type CurvePoint } from './pictures.js';
export { planFromRun } from './plan-from-run.js';
export { isAlive, thisProcess, type ProcessIdentity } from './process-identity.js';
export { runEvents, type RunEvent, type Watched } from './run-events.js';
export { RunError } from './run-error.js';
export { lastCheckpoint, type RecorderOptions, type TrainedRuns } from './recorder.js';
export { EVENT_FILE, eventFile } from './tensorboard.js';
export {
  ProcessDiedError,
  trainApart,
  trainHere,
  type ApartOptions,
  type JobEvents,
  type JobProgress,
} from './train-apart.js';
export { planToResume, resumeRun, trainRun, type ResumeOptions, type TrainRunOptions } from './train-run.js';
export { snapshotsOf } from './snapshots.js';
export type { Machine, RunResult } from './run-files.js';
