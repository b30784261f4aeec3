/** onnxruntime-web, which is onnxruntime as WebAssembly, for the device `cpu` in a browser. */
import type { Shape, Values } from '../shape.js';
import { pause } from '../pause.js';
import type { OnnxRuntime, OnnxTensor, OnnxTensors } from './session.js';

/** For how long, in milliseconds, runs may follow each other before messages are heard that have come meanwhile. */
const DEAF_MS = 50;

/** What is used of the module `onnxruntime-web/wasm`, which whoever bundles a page for browsers imports there. */
export interface OnnxruntimeWeb {
  readonly env: {
    readonly versions: { readonly web?: string };
    logLevel?: 'fatal' | 'error' | 'warning' | 'info' | 'verbose';
    readonly wasm: { numThreads?: number };
  };
  readonly Tensor: {
    new (type: 'float32', data: Float32Array, dims: Shape): object;
    new (type: 'int32', data: Int32Array, dims: Shape): object;
  };
  readonly InferenceSession: {
    create(
      model: Uint8Array,
      options: { graphOptimizationLevel: 'all'; executionProviders: readonly 'wasm'[] },
    ): Promise<{
      run(feeds: never, fetches: readonly string[]): Promise<Readonly<Record<string, { readonly data: unknown }>>>;
      release(): Promise<void>;
    }>;
  };
}

export function onnxruntimeWeb({ env, Tensor, InferenceSession }: OnnxruntimeWeb): OnnxRuntime {
  env.logLevel = 'fatal';
  let heard = performance.now();
  return {
    name: `onnxruntime-web ${env.versions.web ?? ''}`,
    tensor: (values, shape) =>
      (values instanceof Int32Array
        ? new Tensor('int32', values, shape)
        : new Tensor('float32', values, shape)) as OnnxTensor,
    open: async (model, threads) => {
      // Read when the first session is opened.
      env.wasm.numThreads = threads;
      const session = await InferenceSession.create(model, {
        graphOptimizationLevel: 'all',
        executionProviders: ['wasm'],
      });
      return {
        run: async (inputs: OnnxTensors, into: OnnxTensors) => {
          const names = Object.keys(into);
          // It computes in a memory of its own, and leaves what it is given for results as it was.
          const results = await session.run(inputs as never, names);
          for (const name of names) into[name].data.set(results[name].data as Values);
          // Its promises are fulfilled before anything else can happen.
          if (performance.now() - heard < DEAF_MS) return;
          await pause();
          heard = performance.now();
        },
        release: () => session.release(),
      };
    },
  };
}
