/**
 * State of programs on the GPU: parameters, moments, targets and replays, which stay there between runs. A shader can bind
 * only a few buffers, so entries that are declared together share one.
 */
import type { Memory, Storage } from '../device.js';
import { format, sizeOf } from '../shape.js';
import type { Spec, Values } from '../shape.js';
import type { Place } from './expression.js';
import { tooSmall } from './faults.js';
import { usage } from './stream.js';
import type { Range, Stream } from './stream.js';

/** Entries start at a multiple of this many numbers, so that none shares a cache line with another. */
const ALIGNMENT = 64;

export function aligned(size: number): number {
  return Math.ceil(size / ALIGNMENT) * ALIGNMENT;
}

/** A buffer of state entries and its name in shaders. */
export interface Block {
  readonly name: string;
  readonly buffer: GPUBuffer;
}

/** The memory of programs that share state. */
export class GpuMemory implements Memory {
  /** Entries that have no buffer yet. */
  private unplaced: GpuStorage[] = [];
  private readonly blocks: Block[] = [];

  constructor(readonly stream: Stream) {}

  allocate(spec: Spec): GpuStorage {
    const storage = new GpuStorage(this, spec);
    this.unplaced.push(storage);
    return storage;
  }

  /** Gives every entry a place in a buffer. */
  place(): void {
    const most = Math.floor(this.stream.device.limits.maxStorageBufferBindingSize / 4);
    let group: GpuStorage[] = [];
    let used = 0;
    for (const storage of this.unplaced) {
      const size = aligned(storage.size);
      if (storage.size > most) throw tooLarge(storage.spec, most);
      if (used + size > most) {
        this.create(group, used);
        [group, used] = [[], 0];
      }
      storage.offset = used;
      group.push(storage);
      used += size;
    }
    this.create(group, used);
    this.unplaced = [];
  }

  private create(group: readonly GpuStorage[], size: number): void {
    if (group.length === 0) return;
    const flags = usage.storage | usage.copySource | usage.copyTarget;
    const block = {
      name: `state${this.blocks.length}`,
      buffer: this.stream.device.createBuffer({ size: 4 * size, usage: flags }),
    };
    this.blocks.push(block);
    for (const storage of group) storage.block = block;
  }

  dispose(): void {
    this.stream.flush();
    for (const { buffer } of this.blocks) buffer.destroy();
  }
}

function tooLarge(spec: Spec, most: number): Error {
  const megabytes = (count: number): string => `${Math.round((4 * count) / 2 ** 20)} MB`;
  return tooSmall(`${megabytes(sizeOf(spec.shape))} at a time, for ${format(spec.shape)} numbers`, megabytes(most));
}

/** One state entry on the GPU. */
export class GpuStorage implements Storage {
  block: Block | undefined;
  /** Counted in numbers from the start of its block. */
  offset = 0;
  readonly size: number;

  constructor(
    private readonly memory: GpuMemory,
    readonly spec: Spec,
  ) {
    this.size = sizeOf(spec.shape);
  }

  get place(): Place {
    return { buffer: this.placed().name, offset: this.offset };
  }

  private placed(): Block {
    if (this.block === undefined) this.memory.place();
    return this.block!;
  }

  private get range(): Range {
    return { buffer: this.placed().buffer, offset: 4 * this.offset, bytes: 4 * this.size };
  }

  read(): Promise<Values> {
    const { dtype } = this.spec;
    return this.memory.stream.read([this.range], (bytes) =>
      dtype === 'int32' ? new Int32Array(bytes).slice() : new Float32Array(bytes).slice(),
    );
  }

  write(values: Values, offset: number): void {
    const range = this.range;
    this.memory.stream.write(range.buffer, range.offset + 4 * offset, values as Values & ArrayBufferView<ArrayBuffer>);
  }
}
