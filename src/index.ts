// First, so that threads which a program begins later find telemetry turned off.
import './tensor/onnx/telemetry.js';

export { VERSION } from './version.js';

export * from './envs/index.js';
export * from './nn/index.js';
export * from './pareto/index.js';
export * from './preferences/index.js';
export * from './random/index.js';
export * from './tensor/index.js';
export { algorithm, algorithmNames, type Algorithm } from './algorithms/index.js';
export {
  bestEntries,
  bootstrapInterval,
  ceilingOf,
  compareFronts,
  frontOf,
  interquartileMean,
  parseFront,
  permutationTest,
  probabilityOfImprovement,
  quantile,
  readFront,
  score,
  statistics,
} from './fronts/index.js';
export type {
  BootstrapOptions,
  ComparedEntry,
  ComparedPair,
  Comparison,
  Contender,
  FrontFile,
  FrontUnion,
  Interval,
  MeasuredFront,
  Origin,
  PermutationOptions,
  PermutationTest,
  ReturnsAt,
  Score,
  Scoring,
  Statistics,
  TaskScores,
  Yardstick,
} from './fronts/index.js';
export {
  modelAsJson,
  modelAsOnnx,
  modelAsSafetensors,
  plainPolicy,
  policyAsJson,
  policyAsOnnx,
  policyAsSafetensors,
  readModel,
} from './model/index.js';
export type { Model, ModelDescription, PlainPolicy, Policy, PolicyDescription, Precision } from './model/index.js';
export { compiledPolicy, isPolicySet, type PolicySet } from './rollout/index.js';
export {
  evaluateRun,
  exportRun,
  frontPicture,
  hypervolumePicture,
  importRunEnvs,
  loadModel,
  loadPolicy,
  openRun,
  originOf,
  readReturns,
  RunError,
  trainRun,
} from './runs/index.js';
export type {
  EvaluateRunOptions,
  ExportedRun,
  ExportRunOptions,
  Run,
  RunResult,
  TrainedRuns,
  TrainRunOptions,
} from './runs/index.js';
export { planTraining, presetNames, train } from './training/index.js';
export type {
  Evaluated,
  Plan,
  PresetName,
  Progress,
  Protocol,
  Trained,
  TrainingEvents,
  TrainingPlan,
  TrainingRequest,
} from './training/index.js';
export * from './experiments/index.js';
export { exportOnnx } from './tensor/onnx/export.js';
export type { ExportOptions } from './tensor/onnx/export.js';
