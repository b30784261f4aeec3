export { VERSION } from './version.js';

export * from './envs/index.js';
export * from './nn/index.js';
export * from './pareto/index.js';
export * from './preferences/index.js';
export * from './random/index.js';
export * from './tensor/index.js';
export { exportOnnx } from './tensor/onnx/export.js';
export type { ExportOptions } from './tensor/onnx/export.js';
