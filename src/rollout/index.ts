export { evaluate, type Evaluation, type EvaluationOptions, type Policy } from './evaluate.js';
