import { closed, lost, outOfMemory, refused } from './faults.js';

/** WebGPU's flags, which Node has no global names for. */
export const usage = { mapRead: 0x1, copySource: 0x4, copyTarget: 0x8, storage: 0x80 } as const;
const READ = 0x1;

/** A range of bytes on the GPU. */
export interface Range {
  readonly buffer: GPUBuffer;
  readonly offset: number;
  readonly bytes: number;
}

/** Submissions that may be under way; a caller that is faster than the GPU waits. */
const IN_FLIGHT = 8;
/** Room of the smallest buffer that results are read through. */
const SMALL = 65536;

/** Calls back when whoever is at work has come to a pause: at once in Node, where a timer would take a millisecond. */
const soon: (callback: () => void) => unknown =
  (globalThis as { setImmediate?: (callback: () => void) => unknown }).setImmediate ??
  ((callback) => setTimeout(callback, 0));

/**
 * Work for the GPU in the order it was asked for. Runs are recorded and handed over together, several to a submission:
 * when something is read or written, when inputs run out of room, or when the program turns to other things.
 */
export class Stream {
  private encoder: GPUCommandEncoder | undefined;
  private computing: GPUComputePassEncoder | undefined;
  private readonly uploads = new Set<() => void>();
  /** The oldest first. */
  private readonly underWay = new Set<Promise<unknown>>();
  /** Buffers for reading that nobody uses at the moment: a new one for each read would cost a millisecond. */
  private readonly spare: GPUBuffer[] = [];
  /** Those who wait for the GPU, which may never answer. */
  private readonly waiting = new Set<(reason: Error) => void>();
  private failure: Error | undefined;

  constructor(readonly device: GPUDevice) {
    void device.lost.then(({ reason, message }) => this.fail(reason === 'destroyed' ? closed() : lost(message)));
    device.addEventListener('uncapturederror', ({ error }) => {
      const { message } = error;
      this.fail(message.toLowerCase().includes('memory') ? outOfMemory(message) : refused(message));
    });
  }

  /** Throws where the device has failed. */
  check(): void {
    if (this.failure !== undefined) throw this.failure;
  }

  /** Where the next dispatch is recorded. */
  pass(): GPUComputePassEncoder {
    this.check();
    if (this.encoder === undefined) {
      this.encoder = this.device.createCommandEncoder();
      // Recorded work is not left lying while the caller does something else.
      soon(() => this.flush());
    }
    return (this.computing ??= this.encoder.beginComputePass());
  }

  /** Something that has to be uploaded before the recorded work is submitted. */
  beforeSubmission(upload: () => void): void {
    this.uploads.add(upload);
  }

  flush(): void {
    if (this.encoder === undefined) return;
    this.computing?.end();
    for (const upload of this.uploads) upload();
    this.uploads.clear();
    this.device.queue.submit([this.encoder.finish()]);
    this.encoder = this.computing = undefined;
    const forget = (): unknown => this.underWay.delete(done);
    const done: Promise<unknown> = this.device.queue.onSubmittedWorkDone().then(forget, forget);
    this.underWay.add(done);
  }

  /** Waits until the GPU has not much left to do. */
  async keepUp(): Promise<void> {
    for (const oldest of this.underWay) {
      if (this.underWay.size <= IN_FLIGHT) break;
      await this.answer(oldest);
    }
    this.check();
  }

  /** Brings ranges back as they are after all that was asked for before, one behind the other. The bytes are lent to `use`. */
  async read<T>(ranges: readonly Range[], use: (bytes: ArrayBuffer) => T): Promise<T> {
    this.check();
    const total = ranges.reduce((sum, { bytes }) => sum + bytes, 0);
    const target = this.takeBuffer(total);
    this.computing?.end();
    this.computing = undefined;
    this.encoder ??= this.device.createCommandEncoder();
    let at = 0;
    for (const { buffer, offset, bytes } of ranges) {
      this.encoder.copyBufferToBuffer(buffer, offset, target, at, bytes);
      at += bytes;
    }
    this.flush();
    await this.answer(target.mapAsync(READ, 0, total));
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
    const fitting = this.spare.findIndex(({ size }) => size >= bytes);
    if (fitting >= 0) return this.spare.splice(fitting, 1)[0];
    this.spare.pop()?.destroy();
    return this.device.createBuffer({ size: Math.max(bytes, SMALL), usage: usage.mapRead | usage.copyTarget });
  }

  private fail(reason: Error): void {
    this.failure ??= reason;
    for (const giveUp of this.waiting) giveUp(this.failure);
  }

  /** What the GPU answers; rejects with the reason where it fails, and does not wait for one that is gone. */
  private answer<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.waiting.add(reject);
      const settle = (how: () => void): void => {
        this.waiting.delete(reject);
        how();
      };
      work.then(
        (value) => settle(() => (this.failure === undefined ? resolve(value) : reject(this.failure))),
        // The reason may become known after what it breaks.
        (error: unknown) => soon(() => settle(() => reject(this.failure ?? (error as Error)))),
      );
    });
  }
}
