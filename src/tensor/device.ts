import type { Graph } from './graph.js';
import type { Spec, Values } from './shape.js';

/** Something that runs graphs: the seam between the compiler and an engine. */
export interface Device {
  readonly name: string;
  /** One sentence for people: what this is and runs on. */
  readonly description: string;
  /** Whether it only imitates the hardware that it is named after. */
  readonly isSoftware?: boolean;
  /**
   * Whether runs, reads and writes happen in the order in which they were asked for, so that nobody has to wait for one
   * before asking for the next; a run then takes its inputs over at once.
   */
  readonly isOrdered?: boolean;
  /** Threads that work on a program, where they are those of the CPU: as many could work on programs of their own. */
  readonly threads?: number;
  /** The most numbers that a state entry can have, where there is a limit. */
  readonly largestEntry?: number;
  /** Room for the state of programs that work together. */
  createMemory(): Memory;
  /** Prepares a graph whose state lives in the given storage, all of it from one memory of this device. */
  compile(graph: Graph, memory: Memory, state: ReadonlyMap<string, Storage>): Promise<Executable>;
}

export interface Memory {
  /** Room for one state entry, filled with zeros. */
  allocate(spec: Spec): Storage;
  /** Gives all of it back, where nobody else does: a GPU's is not seen by the garbage collector. */
  dispose?(): void;
}

/** One state entry on a device. */
export interface Storage {
  read(): Promise<Values>;
  write(values: Values, offset: number): void;
  /** Where it holds more than `read` gives out: all of it, as numbers that mean nothing but to `restore`. */
  save?(): Promise<Values>;
  restore?(saved: Values): void;
}

export interface Executable {
  /**
   * Runs the graph once: state is updated in its storage, and the outputs named in `read` come back in arrays
   * that the executable owns and overwrites at its next run.
   */
  run(inputs: ReadonlyMap<string, Values>, read: readonly string[]): Promise<ReadonlyMap<string, Values>>;
  dispose(): Promise<void>;
}
