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
const IN_FLIGHT = 2;

/**
 * Work for the GPU in the order it was asked for. Runs are recorded and handed over together, several to a submission:
 * when something is read or written, when inputs run out of room, or when the program turns to other things.
 */
export class Stream {
  private encoder: GPUCommandEncoder | undefined;
  private computing: GPUComputePassEncoder | undefined;
  private readonly uploads = new Set<() => void>();
  private readonly underWay: Promise<unknown>[] = [];
  private target: GPUBuffer | undefined;
  private reading: Promise<unknown> = Promise.resolve();
  private failure: Error | undefined;

  constructor(readonly device: GPUDevice) {
    void device.lost.then(({ reason, message }) => {
      this.failure ??= new Error(
        reason === 'destroyed'
          ? 'the GPU device was closed'
          : `the GPU was lost (${message.trim() || 'no reason given'}); start again from the last checkpoint, on --device cpu if it happens again`,
      );
    });
    device.addEventListener('uncapturederror', ({ error }) => {
      this.failure ??= error.message.toLowerCase().includes('memory')
        ? outOfMemory(error.message)
        : new Error(`the GPU refused some work: ${error.message}`);
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
      setTimeout(() => this.flush(), 0);
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
    this.underWay.push(this.device.queue.onSubmittedWorkDone());
  }

  /** Waits until the GPU has not much left to do. */
  async keepUp(): Promise<void> {
    while (this.underWay.length > IN_FLIGHT) await this.underWay.shift();
    this.check();
  }

  /** Brings ranges back, one behind the other. The bytes are lent to `use`. */
  read<T>(ranges: readonly Range[], use: (bytes: ArrayBuffer) => T): Promise<T> {
    // One after the other: they share a buffer, since a new one for each would cost a millisecond.
    const result = this.reading.then(() => this.readNow(ranges, use));
    this.reading = result.catch(() => undefined);
    return result;
  }

  private async readNow<T>(ranges: readonly Range[], use: (bytes: ArrayBuffer) => T): Promise<T> {
    this.check();
    const total = ranges.reduce((sum, { bytes }) => sum + bytes, 0);
    if (this.target === undefined || this.target.size < total) {
      this.target?.destroy();
      this.target = this.device.createBuffer({ size: total, usage: usage.mapRead | usage.copyTarget });
    }
    this.computing?.end();
    this.computing = undefined;
    this.encoder ??= this.device.createCommandEncoder();
    let at = 0;
    for (const { buffer, offset, bytes } of ranges) {
      this.encoder.copyBufferToBuffer(buffer, offset, this.target, at, bytes);
      at += bytes;
    }
    this.flush();
    try {
      await this.target.mapAsync(READ, 0, total);
    } catch (error) {
      this.check();
      throw error;
    }
    this.underWay.length = 0;
    this.check();
    try {
      return use(this.target.getMappedRange(0, total));
    } finally {
      this.target.unmap();
    }
  }

  write(buffer: GPUBuffer, offset: number, values: ArrayBufferView<ArrayBuffer>): void {
    this.check();
    this.flush();
    this.device.queue.writeBuffer(buffer, offset, values);
  }
}

export function outOfMemory(detail: string): Error {
  return new Error(
    `the GPU has too little memory for this: ${detail}; use fewer replicas, a smaller replay or batch, or --device cpu`,
  );
}
