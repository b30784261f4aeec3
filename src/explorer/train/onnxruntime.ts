/**
 * onnxruntime for the worker that trains. Its WebAssembly lies beside the worker in Brotli, which is a quarter smaller than gzip makes
 * it and is as small on a web server that compresses nothing; browsers decode Brotli only where a server says that it is.
 */
import { decompress } from 'brotli/decompress';
import * as runtime from 'onnxruntime-web/wasm';
import type { OnnxruntimeWeb } from '../../tensor/onnx/web.js';
import { onnxruntimeFile } from '../run-list.js';

/** @param worker the address of the worker's script */
export async function loadOnnxruntime(worker: string): Promise<OnnxruntimeWeb> {
  const { versions, wasm } = runtime.env;
  const response = await fetch(new URL(onnxruntimeFile(versions.web!), worker));
  if (!response.ok) throw new Error(`onnxruntime cannot be read (${response.status}).`);
  wasm.wasmBinary = decompress(new Uint8Array(await response.arrayBuffer()));
  return runtime;
}
