export type { Entry, JobResult, Standing } from './log.js';
export { LEASE } from './membership.js';
export { isCompatible, planSweep, type Sweep, type SweepJob } from './plan.js';
export { checkQueue, enqueue, isQueueUrl, serveQueue, shownUrl, type ServeOptions } from './queue.js';
export { gridTable, writeSweepReport, type GridEntry, type GridReport } from './report.js';
export {
  arraysOf,
  cancelArrays,
  REQUEUE_SIGNAL,
  requeueThisTask,
  submitArray,
  tasksOf,
  type SlurmOptions,
} from './slurm.js';
export {
  isTable,
  parseSpec,
  sbatchOptions,
  type GridSpec,
  type SbatchOptions,
  type SweepSpec,
  type TableSpec,
} from './spec.js';
export {
  cancel,
  isLeft,
  retry,
  statusOf,
  type JobState,
  type JobStatus,
  type SweepStatus,
  type WorkerStatus,
} from './status.js';
export { StoreError, SweepStore, type ListedJob, type StoredSweep } from './store.js';
export { Worker, workOn, type Ending, type PullOptions, type WorkEvents, type WorkOptions } from './work.js';
