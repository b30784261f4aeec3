/**
 * The devices by name, and `compile`, which makes a step ready to run on one of them. Each device is loaded when it is first
 * asked for, so that what is not used need not be installed.
 */
import type { Device } from './device.js';
import { compileFor } from './program.js';
import type { Program, State } from './program.js';
import type { Step } from './step.js';

/** How each device is opened. */
const openers: Readonly<Record<string, (threads?: number) => Promise<Device>>> = {
  cpu: async (threads) => (await import('./onnx/open.js')).openCpu(threads),
  gpu: async () => (await import('./webgpu/device.js')).openGpu(),
  'gpu-mixed': async () => (await import('./webgpu/device.js')).openGpu(undefined, { tensorCores: true }),
  reference: async () => new (await import('./reference/device.js')).ReferenceDevice(),
};

/** The name for the GPU if there is one, and the CPU otherwise. */
const AUTO = 'auto';

const opened = new Map<string, Promise<Device>>();

export function deviceNames(): string[] {
  return [...Object.keys(openers), AUTO];
}

/** The parts of a name such as `cpu:2`; undefined where no device is called so. */
function partsOf(name: string): { readonly kind: string; readonly threads?: number } | undefined {
  const [, kind, threads] = /^([^:]+)(?::([1-9]\d*))?$/.exec(name) ?? ([] as (string | undefined)[]);
  if (kind === undefined || !deviceNames().includes(kind)) return undefined;
  if (threads === undefined) return { kind };
  return kind === 'cpu' ? { kind, threads: Number(threads) } : undefined;
}

/** Whether this is the name of a device, present on this machine or not. */
export function isDeviceName(name: string): boolean {
  return partsOf(name) !== undefined;
}

/** The threads that the name of a device asks for, as `cpu:2` does; undefined where it names none. */
export function threadsOf(name: string): number | undefined {
  return partsOf(name)?.threads;
}

/** The device that a name stands for on this machine: for `auto` a GPU that is no software, else `cpu`; others themselves. */
export async function resolveDevice(name: string): Promise<string> {
  if (name !== AUTO) return name;
  try {
    return (await openDevice('gpu')).isSoftware === true ? 'cpu' : 'gpu';
  } catch {
    return 'cpu';
  }
}

/**
 * Opens the device of that name; the same one each time, so that programs can share state on it. `cpu:2` is the CPU with
 * two threads instead of one for each core.
 */
export async function openDevice(name: string): Promise<Device> {
  const parts = partsOf(name);
  if (parts === undefined) {
    throw new RangeError(`device is "${name}", but must be one of: ${deviceNames().join(', ')}, or cpu:THREADS.`);
  }
  if (name === AUTO) return openDevice(await resolveDevice(name));
  const device = opened.get(name) ?? openers[parts.kind](parts.threads);
  opened.set(name, device);
  return device;
}

export interface CompileOptions {
  /** A device or its name; 'cpu' by default. */
  device?: string | Device;
  replicas?: number;
  state?: State;
}

/** Compiles a step for a device. */
export async function compile<S extends Step>(step: S, options: CompileOptions = {}): Promise<Program<S>> {
  const { device = options.state?.device ?? 'cpu', ...rest } = options;
  return compileFor(typeof device === 'string' ? await openDevice(device) : device, step, rest);
}
