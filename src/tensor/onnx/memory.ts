/**
 * State of programs on the CPU. Entries that a fused update writes are in one WebAssembly memory, where its loop changes them
 * in place and onnxruntime reads the same bytes; all others are ordinary arrays.
 */
import type { Memory, Storage } from '../device.js';
import { sizeOf } from '../shape.js';
import type { Spec, Values } from '../shape.js';
import type { OnnxRuntime, OnnxTensor } from './session.js';
import { WebAssembly } from './wasm.js';
import type { WasmMemory } from './wasm.js';

const PAGE = 65536;

/** The memory of programs that share state. */
export class CpuMemory implements Memory {
  readonly wasm = new WebAssembly.Memory({ initial: 1 });
  private used = 0;
  private readonly shared = new Set<CpuStorage>();
  /** Freed addresses by size. */
  private readonly free = new Map<number, number[]>();

  constructor(private readonly runtime: OnnxRuntime) {}

  allocate(spec: Spec): CpuStorage {
    return new CpuStorage(this.runtime, spec);
  }

  private grow(pages: number): void {
    try {
      this.wasm.grow(pages);
    } catch (error) {
      const megabytes = Math.ceil(this.used / 2 ** 20);
      throw new RangeError(
        `state that the CPU updates takes ${megabytes} MB, but must fit into the 4096 MB of a WebAssembly memory; use smaller networks or fewer replicas.`,
        { cause: error },
      );
    }
  }

  /** Moves an entry and its values into the WebAssembly memory. */
  share(storage: CpuStorage): void {
    if (storage.address !== undefined) return;
    const bytes = bytesOf(storage.spec);
    const freed = this.free.get(bytes)?.pop();
    if (freed !== undefined) {
      this.place(storage, freed);
      return;
    }
    const address = this.used;
    this.used += bytes;
    const missing = Math.ceil((this.used - this.wasm.buffer.byteLength) / PAGE);
    if (missing > 0) {
      this.grow(missing);
      // Growing detaches every view of the old memory.
      for (const other of this.shared) other.moveTo(this.wasm, other.address!, false);
    }
    this.place(storage, address);
  }

  /** Frees the address of an entry that is no longer used. */
  release(storage: CpuStorage): void {
    if (!this.shared.delete(storage)) return;
    const bytes = bytesOf(storage.spec);
    this.free.set(bytes, [...(this.free.get(bytes) ?? []), storage.address!]);
  }

  private place(storage: CpuStorage, address: number): void {
    storage.moveTo(this.wasm, address, true);
    this.shared.add(storage);
  }
}

/** Bytes of an entry, rounded up to whole vectors. */
function bytesOf(spec: Spec): number {
  return Math.ceil((4 * sizeOf(spec.shape)) / 16) * 16;
}

/** One state entry as a tensor of onnxruntime. */
export class CpuStorage implements Storage {
  current: OnnxTensor;
  /** Byte address in the WebAssembly memory, for entries that are there. */
  address: number | undefined;
  private other: OnnxTensor | undefined;

  constructor(
    private readonly runtime: OnnxRuntime,
    readonly spec: Spec,
  ) {
    this.current = allocateTensor(runtime, spec);
  }

  /**
   * A second buffer for the new value, since onnxruntime may still read the old one while it writes. Entries in
   * WebAssembly memory are copied back from it, so that their address stays.
   */
  get spare(): OnnxTensor {
    return (this.other ??= allocateTensor(this.runtime, this.spec));
  }

  /** Makes the spare value the current one. */
  swap(): void {
    if (this.address === undefined) [this.current, this.other] = [this.spare, this.current];
    else this.current.data.set(this.spare.data);
  }

  moveTo(memory: WasmMemory, address: number, copy: boolean): void {
    const size = sizeOf(this.spec.shape);
    const values = new Float32Array(memory.buffer, address, size);
    if (copy) values.set(this.current.data);
    this.current = this.runtime.tensor(values, this.spec.shape);
    this.address = address;
  }

  read(): Promise<Values> {
    return Promise.resolve(this.current.data.slice());
  }

  write(values: Values, offset: number): void {
    this.current.data.set(values, offset);
  }
}

export function allocateTensor(runtime: OnnxRuntime, { shape, dtype }: Spec): OnnxTensor {
  const size = sizeOf(shape);
  return runtime.tensor(dtype === 'int32' ? new Int32Array(size) : new Float32Array(size), shape);
}
