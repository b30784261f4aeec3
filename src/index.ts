/**
 * Everything, for Node. What a browser needs is in subpaths too: `psl-morl/policy`, `pareto`, `preferences`, `envs`, `tensor`, `nn`.
 * @module psl-morl
 */
// First, so that threads which a program begins later find telemetry turned off.
import './tensor/onnx/telemetry.js';

export { VERSION } from './version.js';

export * from './envs/index.js';
export * from './nn/index.js';
export * from './pareto/index.js';
export * from './preferences/index.js';
export * from './random/index.js';
export * from './tensor/index.js';
export {
  algorithm,
  algorithmNames,
  compileUpdates,
  describeFamily,
  describePolicy,
  discreteActions,
  eachAction,
  epsilonFields,
  EpsilonGreedy,
  familyFields,
  familyNames,
  makeFamily,
  pick,
  registerAlgorithm,
  registerFamily,
  replayLearner,
  transitionsFor,
} from './algorithms/index.js';
export type {
  Algorithm,
  AlgorithmConfig,
  AlgorithmDefinition,
  Batch,
  CutStep,
  DescribedPolicy,
  Diagnostics,
  EpsilonConfig,
  FamilyDefinition,
  HistoryEntry,
  HostState,
  KeyReturns,
  KeySolutions,
  Learner,
  LearnerOptions,
  LearnerParts,
  LoadOptions,
  MetaRule,
  Method,
  MethodDefinition,
  OffPolicyAlgorithm,
  OffPolicyDefinition,
  OffPolicyLearner,
  OnPolicyAlgorithm,
  OnPolicyDefinition,
  OnPolicyLearner,
  OnPolicyOptions,
  PopulationAlgorithm,
  Problem,
  ResidentReplays,
  Rollout,
  RowStep,
  RunUpdate,
  SavedReplica,
  Schedule,
  SelectionRule,
  Situation,
  SlotBatch,
  Task,
  Transitions,
  TransitionTensors,
  UpdateContext,
  Variant,
} from './algorithms/index.js';
export { ConfigError, choice, flag, integer, integers, number, numbers, orNone } from './config/index.js';
export type {
  Allowed,
  Bounds,
  ConfigOf,
  Declare,
  Described,
  Documentation,
  Field,
  Fields,
  Kind,
  Length,
  OpenBounds,
  SettingsOf,
} from './config/index.js';
export {
  bestEntries,
  bestPreference,
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
  Chosen,
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
export type { BatchColumns, Lookahead, Replay, ReplayShape, Transition } from './replay/index.js';
export { compiledPolicy, isPolicySet, type PolicySet } from './rollout/index.js';
export {
  evaluateRun,
  exportRun,
  frontPicture,
  hypervolumePicture,
  importModule,
  importRunModules,
  LockedError,
  loadModel,
  loadPolicy,
  openRun,
  originOf,
  planFromRun,
  readReturns,
  resumeRun,
  RunError,
  runEvents,
  trainRun,
} from './runs/index.js';
export type {
  CurvePoint,
  EvaluateRunOptions,
  ExportedRun,
  ExportRunOptions,
  Imported,
  ModulePart,
  ReadFile,
  RecorderOptions,
  ResumeOptions,
  Run,
  RunEvent,
  RunResult,
  TrainedRuns,
  TrainRunOptions,
  Watched,
} from './runs/index.js';
export { CheckpointError, NonFiniteError, planTraining, presetNames, StoppedError, train } from './training/index.js';
export { WriteError } from './files/index.js';
export type {
  CommonConfig,
  CommonFields,
  Evaluated,
  Logged,
  Measured,
  ParentRun,
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
