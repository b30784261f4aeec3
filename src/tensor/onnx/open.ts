/** Opens the device `cpu` where onnxruntime is installed. Bundles for browsers have open-in-browser.ts in place of this. */
import { availableParallelism } from 'node:os';
import type { Device } from '../device.js';
import { CpuDevice } from './device.js';

export async function openCpu(threads = availableParallelism()): Promise<Device> {
  const { onnxruntimeNode } = await import('./runtime.js').catch((cause: unknown) => {
    throw noOnnxruntime(cause);
  });
  return new CpuDevice(onnxruntimeNode, { threads });
}

/** Without its install script, which downloads CUDA libraries that nothing here uses. */
const INSTALL = 'npm install onnxruntime-node@1 --ignore-scripts';

function noOnnxruntime(cause: unknown): unknown {
  if (!(cause instanceof Error) || !('code' in cause)) return cause;
  const { code, message } = cause;
  // Its own file, or one for this platform within it.
  if (code === 'ERR_MODULE_NOT_FOUND' && message.includes("'onnxruntime-node'")) {
    return new Error(`the device cpu needs onnxruntime-node, which is not installed: ${INSTALL}`, { cause });
  }
  if (code === 'MODULE_NOT_FOUND' || code === 'ERR_DLOPEN_FAILED') {
    const platform = `${process.platform} ${process.arch}`;
    const [reason] = message.split('\n', 1);
    return new Error(`the device cpu needs onnxruntime-node, which does not load here (${platform}): ${reason}`, {
      cause,
    });
  }
  return cause;
}
