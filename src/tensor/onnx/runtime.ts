/**
 * onnxruntime in Node as this project uses it: without telemetry and without log messages, both of which are set before the
 * first session starts the native library.
 */
import { assertTelemetryDecided } from './telemetry.js';
import * as ort from 'onnxruntime-node';
import type { OnnxRuntime } from './session.js';

assertTelemetryDecided();

// It writes to stderr by itself. All errors are exceptions too, with the same text.
ort.env.logLevel = 'fatal';
/** The same level for the messages of a session. */
const FATAL_ONLY = 4;

type Tensors = Record<string, ort.Tensor>;

export const onnxruntimeNode: OnnxRuntime = {
  name: `onnxruntime ${ort.env.versions.node ?? ''}`,
  tensor: (values, shape) =>
    values instanceof Int32Array ? new ort.Tensor('int32', values, shape) : new ort.Tensor('float32', values, shape),
  open: async (model, threads) => {
    const session = await ort.InferenceSession.create(model, {
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      // By default its threads turn in a circle between operations, and take the cores from the environments and from other
      // processes: fruit trees train 1.4 to 1.7 times as fast without.
      extra: { session: { intra_op: { allow_spinning: '0' } } },
      executionMode: 'sequential',
      graphOptimizationLevel: 'all',
      logSeverityLevel: FATAL_ONLY,
    });
    return {
      run: (inputs, into) => session.run(inputs as Tensors, into as Tensors),
      release: () => session.release(),
    };
  },
};

export { ort };
