/**
 * The interface between the compiler and the engines that run its graphs. A device is a folder (`reference`, `onnx`,
 * `webgpu`) that implements it; `devices.ts` finds devices by name.
 */
import type { Graph } from './graph.js';
import type { Spec, Values } from './shape.js';

export interface Device {
  readonly name: string;
  /** What it is and runs on, for people. */
  readonly description: string;
  /** Name of the GPU, if it runs on one. */
  readonly gpu?: string;
  /** Whether it emulates its hardware on the CPU. */
  readonly isSoftware?: boolean;
  /**
   * Whether runs, reads and writes are queued: they happen in the order of the calls, a run copies its inputs when it is
   * called, and a caller need not wait for one before calling the next.
   */
  readonly isOrdered?: boolean;
  /** CPU threads that work on a program; as many programs could run at a time with one thread each. */
  readonly threads?: number;
  /** The most numbers that a state entry can have, if there is a limit. */
  readonly largestEntry?: number;
  /** Makes the memory for programs that share state. */
  createMemory(): Memory;
  /** Compiles a graph for state in the given storage, all of which is from one memory of this device. */
  compile(graph: Graph, memory: Memory, state: ReadonlyMap<string, Storage>): Promise<Executable>;
}

export interface Memory {
  /** Allocates one state entry, filled with zeros. */
  allocate(spec: Spec): Storage;
  /** Frees all entries, where the garbage collector does not: it does not see the memory of a GPU. */
  dispose?(): void;
}

/** One state entry on a device. */
export interface Storage {
  read(): Promise<Values>;
  write(values: Values, offset: number): void;
  /** The exact contents for `restore`, where they have more digits than `read` returns. */
  save?(): Promise<Values>;
  restore?(saved: Values): void;
}

export interface Executable {
  /**
   * Runs the graph once: updates the state in its storage and returns the outputs named in `read`, in arrays that the
   * executable overwrites at its next run.
   */
  run(inputs: ReadonlyMap<string, Values>, read: readonly string[]): Promise<ReadonlyMap<string, Values>>;
  dispose(): Promise<void>;
}
