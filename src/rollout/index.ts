export { compiledPolicy, inferenceDevice, isPolicySet, type PolicySet } from './compiled-policy.js';
export {
  evaluate,
  evaluateSeveral,
  type Act,
  type Evaluation,
  type EvaluationOptions,
  type Played,
} from './evaluate.js';
export type { EnvPool } from './pool.js';
export { End, EnvFault, Order, type PoolShape } from './rows.js';
export type { ThreadOptions } from './threads.js';
export { defaultWorkers, Workers, type PoolOptions } from './workers.js';
