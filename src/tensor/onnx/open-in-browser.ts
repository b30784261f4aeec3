/** What bundles for browsers have in place of open.ts: the field "browser" of package.json says so. */
import type { Device } from '../device.js';
import { CpuDevice } from './device.js';
import { onnxruntimeWeb } from './web.js';
import type { OnnxruntimeWeb } from './web.js';

let load: (() => Promise<OnnxruntimeWeb>) | undefined;

/**
 * Gives a browser the device `cpu`.
 * @param from imports `onnxruntime-web/wasm`, when the device is first asked for
 */
export function useOnnxruntimeWeb(from: () => Promise<OnnxruntimeWeb>): void {
  load = from;
}

/** By default with one thread, since others need a page that is isolated from all other sites. */
export async function openCpu(threads = 1): Promise<Device> {
  if (load === undefined) {
    throw new RangeError('device is "cpu", but must be one of: gpu, gpu-mixed, reference, where there is no Node.');
  }
  return new CpuDevice(onnxruntimeWeb(await load()), { threads });
}
