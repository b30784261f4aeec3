/**
 * Dawn in Node: the npm package `webgpu`. Loaded only when a GPU is asked for, since its native part is not there on
 * every platform.
 */
let dawn: GPU | undefined;

export async function openDawn(): Promise<GPU> {
  // Kept for good: when the object is collected while a device lives, Node crashes.
  // Shaders here never leave their buffers, so Dawn's own checks of every index, a fifth of the time, are left out.
  return (dawn ??= (await import('webgpu')).create(['enable-dawn-features=disable_robustness']));
}
