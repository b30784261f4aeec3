/** The errors of a GPU that users may meet, each as a sentence that says what to do about it. */
const OTHERWISE = 'or use --device cpu';

export function noAdapter(): Error {
  return new Error(
    `no GPU was found: install its driver (on Linux one with Vulkan: NVIDIA's own, or mesa-vulkan-drivers for AMD and Intel), ${OTHERWISE}`,
  );
}

export function noVulkan(): Error {
  return new Error(
    `no GPU was found: the Vulkan loader libvulkan.so.1 is missing; install it (libvulkan1 on Debian and Ubuntu, vulkan-loader on Fedora), ${OTHERWISE}`,
  );
}

export function noWebGpu(cause: unknown): Error {
  if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND') {
    return new Error(
      `the device gpu needs the package webgpu, which is not installed: npm install webgpu@0.6, ${OTHERWISE}`,
      { cause },
    );
  }
  return new Error(`WebGPU could not be loaded (${reasonOf(cause)}); use another browser or platform, ${OTHERWISE}`, {
    cause,
  });
}

export function noDevice(cause: unknown): Error {
  return new Error(
    `the GPU could not be opened (${reasonOf(cause)}); end other programs that use it, update its driver, ${OTHERWISE}`,
    { cause },
  );
}

export function noTensorCores(): Error {
  return new Error('this GPU or its driver offers no tensor cores to WebGPU; use --device gpu');
}

/** @param what such as "18 buffers at a time" */
export function tooSmall(what: string, allowed: string): Error {
  return new Error(
    `this needs ${what} and the GPU allows ${allowed}; use fewer replicas, a smaller replay or smaller networks, ${OTHERWISE}`,
  );
}

export function outOfMemory(detail: string): Error {
  return new Error(
    `the GPU has too little memory for this (${detail.trim().split('\n', 1)[0]}); use fewer replicas, a smaller replay or batch, ${OTHERWISE}`,
  );
}

export function lost(detail: string): Error {
  const why = detail.trim().split('\n', 1)[0] || 'no reason was given';
  return new Error(`the GPU was lost (${why}); go on from the last checkpoint with psl resume RUN`);
}

export function closed(): Error {
  return new Error('the GPU was closed while it was in use; go on from the last checkpoint with psl resume RUN');
}

export function refused(detail: string): Error {
  return new Error(`the GPU refused some work: ${detail}`);
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message.split('\n', 1)[0] : String(cause);
}
