// First, so that threads which a program begins later find telemetry turned off.
import './tensor/onnx/telemetry.js';

export { VERSION } from './version.js';

export * from './envs/index.js';
export * from './nn/index.js';
export * from './pareto/index.js';
export * from './preferences/index.js';
export * from './random/index.js';
export * from './tensor/index.js';
export { algorithm, algorithmNames } from './algorithms/index.js';
export type {
  Algorithm,
  AlgorithmConfig,
  Batch,
  CutStep,
  Diagnostics,
  HistoryEntry,
  KeyReturns,
  KeySolutions,
  Learner,
  LearnerOptions,
  MetaRule,
  Method,
  OffPolicyAlgorithm,
  OffPolicyLearner,
  OnPolicyAlgorithm,
  OnPolicyLearner,
  OnPolicyOptions,
  PopulationAlgorithm,
  Problem,
  Rollout,
  SavedReplica,
  Schedule,
  SelectionRule,
  Situation,
  SlotBatch,
  Task,
  UpdateContext,
  Variant,
} from './algorithms/index.js';
export type { Allowed, ConfigOf, Described, Documentation, Field, Fields, Kind } from './config/index.js';
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
  Judged,
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
export type {
  Model,
  ModelDescription,
  NamedTensor,
  PlainPolicy,
  Policy,
  PolicyDescription,
  Precision,
} from './model/index.js';
export type { BatchColumns, Replay, ReplayShape, Transition } from './replay/index.js';
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
  CurvePoint,
  EvaluateRunOptions,
  ExportedRun,
  ExportRunOptions,
  ReadFile,
  RecorderOptions,
  Run,
  RunResult,
  TrainedRuns,
  TrainRunOptions,
} from './runs/index.js';
export { planTraining, presetNames, train } from './training/index.js';
export type {
  CommonConfig,
  CommonFields,
  Evaluated,
  Measured,
  Plan,
  PolicyTensors,
  PresetName,
  Progress,
  Protocol,
  ReplicaVariant,
  Restored,
  ScoredPreferences,
  Snapshot,
  Trained,
  TrainingEvents,
  TrainingPlan,
  TrainingRequest,
} from './training/index.js';
export { exportOnnx } from './tensor/onnx/export.js';
export type { ExportOptions } from './tensor/onnx/export.js';
