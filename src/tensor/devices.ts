import type { Device } from './device.js';
import { compileFor } from './program.js';
import type { Program, State } from './program.js';
import type { Step } from './step.js';

/** How each device is opened. Loaded on demand: what is not used need not be installed. */
const openers: Readonly<Record<string, (threads?: number) => Promise<Device>>> = {
  cpu: async (threads) => new (await import('./onnx/device.js')).CpuDevice({ threads }),
  gpu: async () => (await import('./webgpu/device.js')).openGpu(),
  reference: async () => new (await import('./reference/device.js')).ReferenceDevice(),
};

/** Stands for the GPU where there is one, and for the CPU where there is none. */
const AUTO = 'auto';

const opened = new Map<string, Promise<Device>>();

export function deviceNames(): string[] {
  return [...Object.keys(openers), AUTO];
}

const NAME = /^([^:]+)(?::([1-9]\d*))?$/;

/** Whether a device can be asked for by this name; it need not be there. */
export function isDeviceName(name: string): boolean {
  const [, kind, threads] = NAME.exec(name) ?? ([] as (string | undefined)[]);
  return kind !== undefined && deviceNames().includes(kind) && (threads === undefined || kind === 'cpu');
}

/**
 * The name of the device that a name stands for on this machine, which is another only for `auto`: `gpu` where there is
 * one, not counting those that are software, and `cpu` otherwise.
 */
export async function resolveDevice(name: string): Promise<string> {
  if (name !== AUTO) return name;
  try {
    return (await openDevice('gpu')).isSoftware === true ? 'cpu' : 'gpu';
  } catch {
    return 'cpu';
  }
}

/**
 * The device of that name; the same one each time, so that programs can share state on it. `cpu:2` is the CPU with two
 * threads instead of all cores, `auto` the GPU where there is one.
 */
export async function openDevice(name: string): Promise<Device> {
  if (!isDeviceName(name)) {
    throw new RangeError(`device is "${name}", but must be one of: ${deviceNames().join(', ')}, or cpu:THREADS.`);
  }
  if (name === AUTO) return openDevice(await resolveDevice(name));
  const [, kind, threads] = NAME.exec(name) as unknown as [string, string, string | undefined];
  const device = opened.get(name) ?? openers[kind](threads === undefined ? undefined : Number(threads));
  opened.set(name, device);
  return device;
}

export interface CompileOptions {
  /** A device or its name; 'cpu' by default. */
  device?: string | Device;
  replicas?: number;
  state?: State;
}

/** Makes a step ready to run on a device. */
export async function compile<S extends Step>(step: S, options: CompileOptions = {}): Promise<Program<S>> {
  const { device = options.state?.device ?? 'cpu', ...rest } = options;
  return compileFor(typeof device === 'string' ? await openDevice(device) : device, step, rest);
}
