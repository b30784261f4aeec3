export { compiledPolicy, inferenceDevice, isPolicySet, type PolicySet } from './compiled-policy.js';
export {
  evaluate,
  evaluateSeveral,
  type Act,
  type Evaluation,
  type EvaluationOptions,
  type Played,
} from './evaluate.js';
export type { EnvPool, PoolOptions } from './pool.js';
export { End, EnvFault, Order, type PoolShape } from './rows.js';
export { defaultWorkers, Workers, type ThreadOptions } from './workers.js';
