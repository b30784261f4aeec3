import { ftn } from './ftn/experiment.js';
import { ablation } from './mujoco/ablation/experiment.js';
import { alpha } from './mujoco/alpha/experiment.js';
import { mujoco } from './mujoco/experiment.js';

/** All tables of the paper, by name. */
export const tables = { ftn, mujoco, ablation, alpha };

export { ablation, alpha, ftn, mujoco };
export type { Case, Published } from './case.js';
export { commandFor } from './command.js';
export type { Budget, Entry, Experiment, Layout, Report, SeedResult, Table } from './experiment.js';
export type { FtnEntry } from './ftn/layout.js';
export type { FtnCase } from './ftn/published.js';
export type { Job, Method, Outcome } from './job.js';
export { isReport, planMerge, writeMerge, type Merge } from './merge.js';
export type { AverageRank, Duel, Judgement, MethodScore } from './judgement.js';
export type { MujocoEntry, MujocoRest } from './mujoco/layout.js';
export type { MujocoCase } from './mujoco/published.js';
export { plannedRuns, planReproduction, type Reproduction, type ReproductionRequest } from './plan.js';
export type { FrontAndCurve, LearningPoint } from './front-and-curve.js';
export { htmlOf } from './report-html.js';
export { markdownTable } from './report-parts.js';
export { markdownOf, reportFiles, reportOf, writeReport } from './report.js';
export {
  checkReproductionOut,
  cutToMissing,
  finishedOutcomes,
  runReproduction,
  type ReproductionEvents,
  type RunReproductionOptions,
} from './run.js';
export type { Finding } from './theory/finding.js';
export { checkAllOut, markAll, writeSummary, type Summary, type SummaryPart } from './summary.js';
export {
  checkTheory,
  checkTheoryOut,
  readTheoryReport,
  writeTheoryReport,
  type TheoryReport,
} from './theory/report.js';
