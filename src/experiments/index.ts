export { budgetNames, budgets, type Budget, type BudgetName } from './budgets.js';
export { ftnDepths, ftnMethods, ftnPublished, type Method, type Published } from './ftn.js';
export { planFtn, type FtnRequest, type Job, type Reproduction } from './plan.js';
export {
  markdownOf,
  reportOf,
  tableOf,
  writeReport,
  type Report,
  type ReportEntry,
  type SeedResult,
} from './report.js';
export {
  checkReproductionOut,
  runReproduction,
  type Outcome,
  type ReproductionEvents,
  type RunReproductionOptions,
} from './run.js';
export type { JobProgress } from './run-job.js';
export { statistics, type Statistics } from './statistics.js';
