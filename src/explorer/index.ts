export { exportPage } from './server/export.js';
export { exportPreviews } from './server/previews.js';
export { findRuns, runFinder, type Held, type ServedRun } from './server/runs.js';
export { serve, type Served, type ServeOptions } from './server/serve.js';
