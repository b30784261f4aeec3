export { budgetNotes, generationsOf, stepsTaken, type Generations } from './budget.js';
export { createLearner } from './create-learner.js';
export {
  discountOf,
  evaluationPreferences,
  isElsewhere,
  isOffPolicy,
  isPopulation,
  lastSeedOf,
  replicaPlan,
  replicasText,
  returnDiscountOf,
  StoppedError,
  trainedBefore,
  variedSettings,
  type CommonConfig,
  type CommonFields,
  type Evaluated,
  type Logged,
  type LoopConfig,
  type ParentRun,
  type Plan,
  type Progress,
  type ReplicaVariant,
} from './definition.js';
export { DIVERGED, Evaluator, type Measured } from './evaluation.js';
export { loopFields, onPolicyFields } from './fields.js';
export { wantsKeys } from './key-solutions.js';
export type { Trained, TrainingEvents } from './loop.js';
export { playMembers, scoredMembers } from './members.js';
export { modelOf, type PolicyTensors } from './model.js';
export {
  MOST_REPLICAS,
  checkDivisions,
  checkPlan,
  identityOf,
  LARGEST_SEED,
  loopFieldsOf,
  planTraining,
  recordedSettings,
  requestOf,
  settingsOf,
  type TrainingPlan,
  type TrainingRequest,
} from './plan.js';
export { presetFor, presetNames, type Preset, type PresetName } from './presets.js';
export { protocolOf, type Protocol, type ScoredPreferences } from './protocol.js';
export { NonFiniteError } from './non-finite.js';
export { CheckpointError, isEvaluated, type Restored, type Snapshot } from './snapshot.js';
export { train } from './train.js';
