/**
 * Submits work to the GPU in the order in which it was asked for. Runs are recorded and submitted together: when
 * something is read or written, when the input buffer is full, or when the calling program pauses. It also turns errors
 * that WebGPU reports asynchronously into rejections of what they break.
 */
import { closed, lost, outOfMemory, refused } from './faults.js';

/** WebGPU's usage flags; Node has no global constants for them. */
export const usage = { mapRead: 0x1, copySource: 0x4, copyTarget: 0x8, storage: 0x80 } as const;
const MAP_READ = 0x1;

/** A range of bytes on the GPU. */
export interface Range {
  readonly buffer: GPUBuffer;
  readonly offset: number;
  readonly bytes: number;
}

/** Submissions that may be in flight; a caller that is faster than the GPU waits. */
const MOST_IN_FLIGHT = 8;
/** Bytes of the smallest buffer that results are read through. */
const SMALLEST_READBACK = 65536;

/** Calls back once the running code has returned; in Node without the millisecond that a timer takes. */
const soon: (callback: () => void) => unknown =
  (globalThis as { setImmediate?: (callback: () => void) => unknown }).setImmediate ??
  ((callback) => setTimeout(callback, 0));

export class Stream {
  private encoder: GPUCommandEncoder | undefined;
  private openPass: GPUComputePassEncoder | undefined;
  private readonly uploads = new Set<() => void>();
  /** Submissions that have not finished, the oldest first. */
  private readonly inFlight = new Set<Promise<unknown>>();
  /** Unused buffers for reading results: creating one for each read would take a millisecond. */
  private readonly spare: GPUBuffer[] = [];
  /** Rejections of what waits for the GPU, for the case that it never answers. */
  private readonly pending = new Set<(reason: Error) => void>();
  private failure: Error | undefined;

  constructor(readonly device: GPUDevice) {
    void device.lost.then(({ reason, message }) => this.fail(reason === 'destroyed' ? closed() : lost(message)));
    device.addEventListener('uncapturederror', ({ error }) => {
      const { message } = error;
      this.fail(message.toLowerCase().includes('memory') ? outOfMemory(message) : refused(message));
    });
  }

  /** Throws if the device has failed. */
  check(): void {
    if (this.failure !== undefined) throw this.failure;
  }

  /** The compute pass in which the next dispatch is recorded. */
  pass(): GPUComputePassEncoder {
    this.check();
    if (this.encoder === undefined) {
      this.encoder = this.device.createCommandEncoder();
      // Submit when the caller pauses, so that the GPU can start.
      soon(() => this.flush());
    }
    return (this.openPass ??= this.encoder.beginComputePass());
  }

  /** Registers an upload that the recorded work needs; it is made when that work is submitted. */
  beforeSubmission(upload: () => void): void {
    this.uploads.add(upload);
  }

  /** Submits the recorded work. */
  flush(): void {
    if (this.encoder === undefined) return;
    this.openPass?.end();
    for (const upload of this.uploads) upload();
    this.uploads.clear();
    this.device.queue.submit([this.encoder.finish()]);
    this.encoder = this.openPass = undefined;
    const forget = (): unknown => this.inFlight.delete(done);
    const done: Promise<unknown> = this.device.queue.onSubmittedWorkDone().then(forget, forget);
    this.inFlight.add(done);
  }

  /** Waits while too many submissions are in flight. */
  async limitInFlight(): Promise<void> {
    for (const oldest of this.inFlight) {
      if (this.inFlight.size <= MOST_IN_FLIGHT) break;
      await this.answer(oldest);
    }
    this.check();
  }

  /** Reads ranges, one behind the other, as they are after all work so far. The bytes are valid only during `use`. */
  async read<T>(ranges: readonly Range[], use: (bytes: ArrayBuffer) => T): Promise<T> {
    this.check();
    const total = ranges.reduce((sum, { bytes }) => sum + bytes, 0);
    const target = this.takeBuffer(total);
    this.openPass?.end();
    this.openPass = undefined;
    this.encoder ??= this.device.createCommandEncoder();
    let written = 0;
    for (const { buffer, offset, bytes } of ranges) {
      this.encoder.copyBufferToBuffer(buffer, offset, target, written, bytes);
      written += bytes;
    }
    this.flush();
    await this.answer(target.mapAsync(MAP_READ, 0, total));
    try {
      return use(target.getMappedRange(0, total));
    } finally {
      target.unmap();
      this.spare.push(target);
    }
  }

  write(buffer: GPUBuffer, offset: number, values: ArrayBufferView<ArrayBuffer>): void {
    this.check();
    this.flush();
    this.device.queue.writeBuffer(buffer, offset, values);
  }

  private takeBuffer(bytes: number): GPUBuffer {
    const largeEnough = this.spare.findIndex(({ size }) => size >= bytes);
    if (largeEnough >= 0) return this.spare.splice(largeEnough, 1)[0];
    this.spare.pop()?.destroy();
    return this.device.createBuffer({
      size: Math.max(bytes, SMALLEST_READBACK),
      usage: usage.mapRead | usage.copyTarget,
    });
  }

  private fail(reason: Error): void {
    this.failure ??= reason;
    for (const reject of this.pending) reject(this.failure);
  }

  /** The GPU's answer; rejects with the reason if the device fails, also where it never answers. */
  private answer<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.pending.add(reject);
      const settle = (outcome: () => void): void => {
        this.pending.delete(reject);
        outcome();
      };
      work.then(
        (value) => settle(() => (this.failure === undefined ? resolve(value) : reject(this.failure))),
        // The reason may be reported after what it breaks.
        (error: unknown) => soon(() => settle(() => reject(this.failure ?? (error as Error)))),
      );
    });
  }
}
