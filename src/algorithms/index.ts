export { keysOfFront, type KeyReturns, type KeySolutions } from './keys.js';
export { actionSize, randomAction, replicaPart } from './learner.js';
export type {
  Batch,
  CutStep,
  Diagnostics,
  Learner,
  LearnerOptions,
  OffPolicyLearner,
  OnPolicyLearner,
  OnPolicyOptions,
  Problem,
  Rollout,
  SavedReplica,
  SlotBatch,
  UpdateContext,
} from './learner.js';
export { REPLAY } from './transitions.js';
export type { Variant } from './variation.js';
export { algorithm, algorithmNames, checkFit, defaultAlgorithm } from './registry.js';
export type {
  Algorithm,
  AlgorithmConfig,
  Method,
  OffPolicyAlgorithm,
  OnPolicyAlgorithm,
  PopulationAlgorithm,
} from './registry.js';
export { performanceBuffers } from './population/performance-buffers.js';
export type { HistoryEntry, MetaRule, Schedule, SelectionRule, Situation, Task } from './population/selection.js';
