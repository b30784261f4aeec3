/**
 * Dawn, the implementation of WebGPU in Chromium, as the npm package `webgpu` brings it to Node. It is loaded only when a GPU
 * is asked for, since its native part does not exist for every platform. Bundles for browsers have dawn-in-browser.ts in place of
 * this.
 */
import { noAdapter, noVulkan } from './faults.js';

/** With and without tensor cores. Never released: if such an object is garbage-collected while a device exists, Node crashes. */
const opened = new Map<boolean, GPU>();
let hasNoAdapter: Promise<boolean> | undefined;

/**
 * The generated shaders never leave their buffers, so that Dawn's checks of every index, a fifth of the time, are off. They
 * also write workgroup memory before they read it, so that it need not be cleared.
 */
const FEATURES = ['disable_robustness', 'disable_workgroup_init'];
/** Tensor cores are an experiment in Dawn, and 16-bit numbers on NVIDIA too; they need another model of memory. */
const TENSOR_CORES = ['allow_unsafe_apis', 'vulkan_enable_f16_on_nvidia', 'use_vulkan_memory_model'];

export async function openDawn(tensorCores: boolean): Promise<Pick<GPU, 'requestAdapter'>> {
  if (await (hasNoAdapter ??= isKnownToHaveNoAdapter())) return { requestAdapter: () => Promise.resolve(null) };
  const { create } = await import('webgpu');
  const features = tensorCores ? [...TENSOR_CORES, ...FEATURES] : FEATURES;
  const dawn = opened.get(tensorCores) ?? create([`enable-dawn-features=${features.join()}`]);
  opened.set(tensorCores, dawn);
  return dawn;
}

const NO_ADAPTER = 3;
const PROBE = `
const { create } = await import('webgpu');
process.exit((await create([]).requestAdapter()) === null ? ${NO_ADAPTER} : 0);
`;

/**
 * Asks for an adapter in another process first. Where Vulkan finds none, Dawn writes warnings with paths of its source code to
 * stderr, and it has no setting against that: the package passes on neither Dawn's logging callback nor a log level (0.6.2).
 * In the other process nobody sees them. It takes a tenth of a second, and can go when the package has such a setting.
 */
function isKnownToHaveNoAdapter(): Promise<boolean> {
  if (process.platform !== 'linux') return Promise.resolve(false);
  // Not imported: bundles for browsers contain this file, although they never run it.
  const { spawn } = process.getBuiltinModule('node:child_process');
  return new Promise((resolve) => {
    const options = { cwd: import.meta.dirname, stdio: 'ignore', timeout: 10_000 } as const;
    spawn(process.execPath, ['--input-type=module', '--eval', PROBE], options)
      .once('exit', (code) => resolve(code === NO_ADAPTER))
      .once('error', () => resolve(false));
  });
}

/** Why Dawn finds no adapter: on Linux the Vulkan loader itself may be missing. */
export function whyNoAdapter(): Error {
  if (process.platform !== 'linux') return noAdapter();
  try {
    process.dlopen({ exports: {} }, 'libvulkan.so.1');
  } catch (error) {
    // A loader that exists is refused too, with another message, because it is no addon of Node.
    if (error instanceof Error && error.message.includes('cannot open shared object file')) return noVulkan();
  }
  return noAdapter();
}
