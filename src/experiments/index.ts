export { budgetNames, budgets, type Budget, type BudgetName } from './ftn/budgets.js';
export { ftnDepths, ftnMethods, ftnPublished } from './ftn/published.js';
export { mujocoBudgetNames, mujocoBudgets, type MujocoBudget, type MujocoBudgetName } from './mujoco/budgets.js';
export { planMujoco, type MujocoReproduction, type MujocoRequest } from './mujoco/plan.js';
export {
  MUJOCO_LEGEND,
  mujocoMarkdownOf,
  mujocoReportOf,
  mujocoTableOf,
  writeMujocoReport,
  type AverageRank,
  type MujocoEntry,
  type MujocoReport,
} from './mujoco/report.js';
export { mujocoEnvs, mujocoMethods, mujocoPublished, type MujocoEnv } from './mujoco/published.js';
export { planFtn, type FtnReproduction, type FtnRequest } from './ftn/plan.js';
export { markdownOf, reportOf, tableOf, writeReport, type Report, type ReportEntry } from './ftn/report.js';
export type { SeedResult, Table } from './report-parts.js';
export { plannedRuns, type Job, type Method, type Published, type Reproduction } from './reproduction.js';
export {
  checkReproductionOut,
  runReproduction,
  type Outcome,
  type ReproductionEvents,
  type RunReproductionOptions,
} from './run.js';
export type { JobProgress } from './run-job.js';
