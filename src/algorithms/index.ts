export { describeFamily, describePolicy, type DescribedPolicy } from './description.js';
export { discreteActions, eachAction, epsilonFields, EpsilonGreedy, pick, type EpsilonConfig } from './discrete.js';
export { familyFields, familyNames, makeFamily, registerFamily, type FamilyDefinition } from './family-fields.js';
export type { HostState } from './host-state.js';
export { keysOfFront, type KeyReturns, type KeySolutions } from './keys.js';
export { actionSize, randomAction, replicaPart } from './learner.js';
export type {
  Batch,
  CutStep,
  Diagnostics,
  Learner,
  LearnerOptions,
  LoadOptions,
  OffPolicyLearner,
  OnPolicyLearner,
  OnPolicyOptions,
  Problem,
  Rollout,
  SavedReplica,
  SlotBatch,
  UpdateContext,
} from './learner.js';
export { compileUpdates, replayLearner } from './replay-learner.js';
export type { LearnerParts, RowStep, RunUpdate } from './replay-learner.js';
export { REPLAY } from './state-names.js';
export { transitionsFor } from './transitions.js';
export type { ResidentReplays, Transitions, TransitionTensors } from './transitions.js';
export type { Variant } from './variation.js';
export { algorithm, algorithmNames, checkFit, defaultAlgorithm, registerAlgorithm } from './registry.js';
export type {
  Algorithm,
  AlgorithmConfig,
  AlgorithmDefinition,
  Method,
  MethodDefinition,
  OffPolicyDefinition,
  OnPolicyDefinition,
  OffPolicyAlgorithm,
  OnPolicyAlgorithm,
  PopulationAlgorithm,
} from './registry.js';
export { performanceBuffers } from './population/performance-buffers.js';
export type { HistoryEntry, MetaRule, Schedule, SelectionRule, Situation, Task } from './population/selection.js';
