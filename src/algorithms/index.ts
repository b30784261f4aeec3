export { keysOfFront, publishedKeys, type KeyReturns } from './keys.js';
export { actionSize, randomAction, replicaPart } from './learner.js';
export type { Batch, Diagnostics, LearnerOptions, Moment, OffPolicyLearner, Problem } from './learner.js';
export { algorithm, algorithmNames, checkFit, defaultAlgorithm, type Algorithm } from './registry.js';
