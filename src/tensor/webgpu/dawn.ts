/**
 * Dawn, the implementation of WebGPU in Chromium, as the npm package `webgpu` brings it to Node. It is loaded only when a GPU
 * is asked for, since its native part does not exist for every platform.
 */
import { noAdapter, noVulkan } from './faults.js';

let dawn: GPU | undefined;

export async function openDawn(): Promise<GPU> {
  // Never released: if the object is garbage-collected while a device exists, Node crashes.
  // The generated shaders never leave their buffers, so that Dawn's checks of every index, a fifth of the time, are off. They
  // also write workgroup memory before they read it, so that it need not be cleared.
  const features = ['disable_robustness', 'disable_workgroup_init'];
  return (dawn ??= (await import('webgpu')).create([`enable-dawn-features=${features.join()}`]));
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
