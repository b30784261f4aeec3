import type { Graph } from './graph.js';
import type { Spec, Values } from './shape.js';

/** Something that runs graphs: the seam between the compiler and an engine. */
export interface Device {
  readonly name: string;
  /** One sentence for people: what this is and runs on. */
  readonly description: string;
  allocate(spec: Spec): Storage;
  /** Prepares a graph whose state lives in the given storage of this device. */
  compile(graph: Graph, state: ReadonlyMap<string, Storage>): Promise<Executable>;
}

/** One state entry on a device. */
export interface Storage {
  read(): Promise<Values>;
  write(values: Values, offset: number): void;
}

export interface Executable {
  /**
   * Runs the graph once: state is updated in its storage, and the outputs named in `read` come back in arrays
   * that the executable owns and overwrites at its next run.
   */
  run(inputs: ReadonlyMap<string, Values>, read: readonly string[]): Promise<ReadonlyMap<string, Values>>;
  dispose(): Promise<void>;
}
