export { exportPage } from './server/export.js';
export { findRuns, runFinder, type ServedRun } from './server/runs.js';
export { serve, type Served, type ServeOptions } from './server/serve.js';
