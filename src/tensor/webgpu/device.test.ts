import { describe, expect, it } from 'vitest';

import { compileFor } from '../program.js';
import { float32, step } from '../index.js';
import { GpuDevice, openGpu } from './device.js';
import { noAdapter, noVulkan } from './faults.js';
import { Stream } from './stream.js';

/** A device with only what these tests need. */
function fakeDevice(lost: Promise<{ reason: string; message: string }>): GPUDevice {
  const listeners: ((event: { error: { message: string } }) => void)[] = [];
  return {
    lost,
    addEventListener: (_: string, listener: (typeof listeners)[0]) => listeners.push(listener),
    complain: (message: string) => listeners.forEach((listener) => listener({ error: { message } })),
  } as unknown as GPUDevice;
}

/** An implementation of WebGPU with the given adapter, or none. */
function webGpu(adapter: object | null, whyNoAdapter = noAdapter) {
  const gpu = { requestAdapter: () => Promise.resolve(adapter) } as unknown as GPU;
  return () => Promise.resolve({ gpu, whyNoAdapter });
}

describe('faults', () => {
  it('a missing GPU gives an error that says what to install', async () => {
    await expect(openGpu(webGpu(null))).rejects.toThrow(/no GPU was found: install its driver.*--device cpu$/);
    await expect(openGpu(webGpu(null, noVulkan))).rejects.toThrow(/libvulkan\.so\.1 is missing; install it.*cpu$/);
    const broken = { limits: {}, requestDevice: () => Promise.reject(new Error('busy')) };
    await expect(openGpu(webGpu(broken))).rejects.toThrow(/could not be opened \(busy\); end other programs.*cpu$/);
  });

  it('a GPU without tensor cores gives an error that says which device to use', async () => {
    const features = new Set(['shader-f16', 'subgroups', 'chromium-experimental-subgroup-matrix']);
    const open = (adapter: object): Promise<GpuDevice> => openGpu(webGpu(adapter), { tensorCores: true });
    const message = 'this GPU or its driver offers no tensor cores to WebGPU; use --device gpu';
    for (const feature of features) {
      const others = [...features].filter((other) => other !== feature);
      await expect(open({ features: new Set(others), info: {} })).rejects.toThrow(message);
    }
    await expect(open({ features, info: { subgroupMinSize: 8, subgroupMaxSize: 32 } })).rejects.toThrow(message);
    const small = { subgroupMatrixConfigs: [{ M: 8, N: 8, K: 8 }] };
    await expect(open({ features, info: small })).rejects.toThrow(message);
    const requested: GPUDeviceDescriptor[] = [];
    const requestDevice = (descriptor: GPUDeviceDescriptor) => {
      requested.push(descriptor);
      return Promise.reject(new Error('busy'));
    };
    const both = {
      subgroupMatrixConfigs: [
        { M: 8, N: 8, K: 8 },
        { M: 16, N: 16, K: 16 },
      ],
    };
    const adapter = {
      features,
      limits: {},
      info: { subgroupMinSize: 32, subgroupMaxSize: 32, ...both },
      requestDevice,
    };
    await expect(open(adapter)).rejects.toThrow('busy');
    await expect(openGpu(webGpu(adapter))).rejects.toThrow('busy');
    expect(requested.map(({ requiredFeatures }) => requiredFeatures)).toEqual([[...features], []]);
  });

  it('a lost GPU gives an error that says how to go on', async () => {
    const stream = new Stream(fakeDevice(Promise.resolve({ reason: 'unknown', message: 'reset\nand more' })));
    await Promise.resolve();
    expect(() => stream.check()).toThrow(
      'the GPU was lost (reset); go on from the last checkpoint with psl resume RUN',
    );
  });

  it('a lack of GPU memory gives an error that says what to reduce', () => {
    const device = fakeDevice(new Promise(() => undefined));
    const stream = new Stream(device);
    stream.check();
    (device as unknown as { complain(message: string): void }).complain('Out of memory');
    expect(() => stream.check()).toThrow(/too little memory for this \(Out of memory\); use fewer replicas/);
  });
});

const counter = step({
  state: { count: float32(4) },
  inputs: { by: float32(4) },
  body: ({ count }, { by }) => ({ state: { count: count.add(by) }, outputs: { after: count.add(by) } }),
});

async function softwareGpu(): Promise<GpuDevice | undefined> {
  return openGpu().catch((error: unknown) => {
    console.warn(`SKIPPED: faults of a real device, because ${String(error)}`);
    return undefined;
  });
}
const device = await softwareGpu();

// Each test has its own device, since none of them survives.
describe.runIf(device !== undefined)('a device that goes away', () => {
  const by = new Float32Array(4).fill(1);

  it('rejects what is in flight and everything afterwards', async () => {
    const program = await compileFor(device!, counter);
    await program.run({ by });
    const running = program.run({ by });
    const reading = program.state.read('count');
    device!.close();
    const later = async () => {
      await program.run({ by }, { read: [] });
      await program.run({ by });
    };
    const message = 'the GPU was closed while it was in use; go on from the last checkpoint';
    for (const work of [running, reading, later()]) await expect(work).rejects.toThrow(message);
    await expect(program.run({ by })).rejects.toThrow(message);
    await expect(compileFor(device!, counter)).rejects.toThrow(message);
    expect(() => program.state.write('count', by)).toThrow(message);
    await program.dispose();
  });

  it('a state entry that is larger than a buffer can be gives an error that says so', async () => {
    const other = await openGpu();
    const numbers = other.largestEntry + 1;
    const large = step({
      state: { x: float32(numbers) },
      inputs: {},
      body: ({ x }) => ({ state: { x: x.add(1) } }),
    });
    await expect(compileFor(other, large)).rejects.toThrow(
      /^this needs \d+ MB at a time, for \[\d+\] numbers and the GPU allows \d+ MB; use fewer replicas/,
    );
    other.close();
  });
});
