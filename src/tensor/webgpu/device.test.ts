import { describe, expect, it } from 'vitest';

import { openGpu } from './device.js';
import { Stream } from './stream.js';

/** A device of which only what is needed is there. */
function fakeDevice(lost: Promise<{ reason: string; message: string }>): GPUDevice {
  const listeners: ((event: { error: { message: string } }) => void)[] = [];
  return {
    lost,
    addEventListener: (_: string, listener: (typeof listeners)[0]) => listeners.push(listener),
    complain: (message: string) => listeners.forEach((listener) => listener({ error: { message } })),
  } as unknown as GPUDevice;
}

describe('faults', () => {
  it('says what is missing where there is no GPU', async () => {
    const none = { requestAdapter: () => Promise.resolve(null) } as unknown as GPU;
    await expect(openGpu(() => Promise.resolve(none))).rejects.toThrow(/no GPU was found.*libvulkan.*--device cpu/);
  });

  it('says what to do when the GPU is lost', async () => {
    const stream = new Stream(fakeDevice(Promise.resolve({ reason: 'unknown', message: 'reset' })));
    await Promise.resolve();
    expect(() => stream.check()).toThrow('the GPU was lost (reset); start again from the last checkpoint');
  });

  it('says what to do when memory runs out', () => {
    const device = fakeDevice(new Promise(() => undefined));
    const stream = new Stream(device);
    stream.check();
    (device as unknown as { complain(message: string): void }).complain('Out of memory');
    expect(() => stream.check()).toThrow(/too little memory.*fewer replicas/);
  });
});
