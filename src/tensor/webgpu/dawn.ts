import { noAdapter, noVulkan } from './faults.js';

/**
 * Dawn in Node: the npm package `webgpu`. Loaded only when a GPU is asked for, since its native part is not there on
 * every platform.
 */
let dawn: GPU | undefined;

export async function openDawn(): Promise<GPU> {
  // Kept for good: when the object is collected while a device lives, Node crashes.
  // Shaders here never leave their buffers, so Dawn's own checks of every index, a fifth of the time, are left out; and they
  // write workgroup memory before they read it, so it need not be cleared for them.
  const features = ['disable_robustness', 'disable_workgroup_init'];
  return (dawn ??= (await import('webgpu')).create([`enable-dawn-features=${features.join()}`]));
}

/** Why Dawn finds no adapter: on Linux it may lack what it would look for one with. */
export function whyNoAdapter(): Error {
  if (process.platform !== 'linux') return noAdapter();
  try {
    process.dlopen({ exports: {} }, 'libvulkan.so.1');
  } catch (error) {
    // A library that is there is refused too, because it is no addon of Node.
    if (error instanceof Error && error.message.includes('cannot open shared object file')) return noVulkan();
  }
  return noAdapter();
}
