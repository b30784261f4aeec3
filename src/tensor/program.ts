/**
 * Programs and their state, the last stage: a step is traced, replicated, simplified and compiled by a device, and is then
 * run many times on state that stays on that device. Inputs are checked here, so that devices need not.
 */
import type { Device, Executable, Memory, Storage } from './device.js';
import { topological } from './graph.js';
import type { Graph } from './graph.js';
import { replicate } from './replicate.js';
import { specOf } from './sets.js';
import { format, sizeOf } from './shape.js';
import type { Spec, Values } from './shape.js';
import { simplify } from './simplify.js';
import { trace } from './step.js';
import type { Step } from './step.js';
import type { Tensor } from './tensor.js';
import { flatten } from './tree.js';
import type { Tree } from './tree.js';

export interface ProgramOptions {
  /** Runs this many independent replicas: every input, output and state entry gets a leading axis. */
  replicas?: number;
  /** State to share with other programs. Entries that it lacks are added to it, as zeros. */
  state?: State;
}

/** Traces, replicates, simplifies and compiles a step for a device. */
export async function compileFor<S extends Step>(
  device: Device,
  step: S,
  options: ProgramOptions = {},
): Promise<Program<S>> {
  const { replicas, state = new State(device, replicas) } = options;
  if (state.device !== device || state.replicas !== replicas) {
    const has = `is on '${state.device.name}' (${state.device.description}) with replicas ${state.replicas ?? 'none'}`;
    const wants = `on '${device.name}' (${device.description}) with replicas ${replicas ?? 'none'}`;
    throw new Error(`the given state ${has}, the program ${wants}`);
  }
  state.expectIdle();
  const traced = trace(step);
  // One replica is the step as it was written, without an axis of size one: its values are the same bit for bit.
  const graph = simplify((replicas ?? 1) === 1 ? traced : replicate(traced, replicas!));
  for (const [name, entry] of graph.state) state.declare(name, specOf(entry));
  const storage = new Map([...graph.state.keys()].map((name) => [name, state.storage(name)]));
  const executable = await device.compile(graph, state.memory, storage);
  return new Program<S>(state, specsOf(graph.inputs), specsOf(graph.outputs), indexLimits(graph), executable);
}

/** The rows of the tables that integer inputs index. Runs check them, since devices treat other indices differently. */
function indexLimits(graph: Graph): Map<string, number> {
  const names = new Map([...graph.inputs].map(([name, leaf]) => [leaf, name]));
  const limits = new Map<string, number>();
  for (const { op, inputs, shape } of topological([...graph.outputs.values(), ...graph.updates.values()])) {
    if (op.kind !== 'gather' && op.kind !== 'scatterAdd') continue;
    const name = names.get(op.kind === 'gather' ? inputs[1] : inputs[0]);
    const rows = (op.kind === 'gather' ? inputs[0].shape : shape)[op.batchAxes];
    if (name !== undefined) limits.set(name, Math.min(rows, limits.get(name) ?? rows));
  }
  return limits;
}

export type InputsOf<S> = S extends Step<infer _S, infer I> ? Readonly<Record<keyof I, Values>> : never;
export type OutputsOf<S> = S extends Step<infer _S, infer _I, infer O> ? O : never;

/** A step that is ready to run, with the state it works on. */
export class Program<S extends Step = Step> {
  private readonly outputNames: readonly string[];
  private readonly feeds = new Map<string, Values>();
  /** The run that was begun last. */
  private running: Promise<unknown> = Promise.resolve();
  private isDisposed = false;

  /** Called by `compileFor`. */
  constructor(
    readonly state: State,
    readonly inputs: ReadonlyMap<string, Spec>,
    readonly outputs: ReadonlyMap<string, Spec>,
    private readonly limits: ReadonlyMap<string, number>,
    private readonly executable: Executable,
  ) {
    this.outputNames = [...outputs.keys()];
  }

  /**
   * Runs once and updates the state. `read` names the outputs to return, all by default; on a GPU reading takes a round
   * trip. The arrays belong to the program and are overwritten by its next run.
   */
  async run<O extends OutputsOf<S>>(
    inputs: InputsOf<S>,
    options: { read?: readonly O[] } = {},
  ): Promise<Readonly<Record<O, Values>>> {
    if (this.isDisposed) throw new Error('this program has been disposed of, so it cannot be run any more.');
    this.state.expectIdle();
    for (const [name, spec] of this.inputs) {
      const values = (inputs as Readonly<Record<string, Values | undefined>>)[name];
      checkValues(`input '${name}'`, spec, values);
      checkIndices(name, values, this.limits.get(name));
      this.feeds.set(name, values);
    }
    const read = options.read ?? this.outputNames;
    const unknown = read.find((name) => !this.outputs.has(name));
    if (unknown !== undefined) {
      throw new Error(`output '${unknown}' does not exist; there are: ${this.outputNames.join(', ') || 'none'}`);
    }
    const running = this.state.exclusively(() => this.executable.run(this.feeds, read));
    this.running = running;
    return Object.fromEntries(await running) as Readonly<Record<O, Values>>;
  }

  /** Frees what the program holds on its device, after a run that is under way; the state lives on. */
  async dispose(): Promise<void> {
    this.isDisposed = true;
    await this.running.catch(() => undefined);
    await this.executable.dispose();
  }
}

/** Named values that live on a device between runs: parameters, moments, targets. */
export class State {
  private readonly entries = new Map<string, { spec: Spec; storage: Storage }>();

  /** The device's memory for the entries. */
  readonly memory: Memory;
  private isRunning = false;

  constructor(
    readonly device: Device,
    readonly replicas?: number,
  ) {
    this.memory = device.createMemory();
  }

  /**
   * Throws while a program runs on this state, because the run reads and replaces its entries. A device that queues what it
   * is asked for never does.
   */
  expectIdle(): void {
    if (this.isRunning) throw new Error('a program is still running on this state; await its run first');
  }

  /** Runs some work while all other use of the state throws. */
  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    if (this.device.isOrdered === true) return work();
    this.expectIdle();
    this.isRunning = true;
    try {
      return await work();
    } finally {
      this.isRunning = false;
    }
  }

  get names(): string[] {
    return [...this.entries.keys()];
  }

  /** Frees the memory of all entries; neither they nor programs on them can be used afterwards. */
  dispose(): void {
    this.memory.dispose?.();
  }

  /** Shape and type of an entry as it is stored, the replica axis included. */
  spec(name: string): Spec {
    return this.entry(name).spec;
  }

  async read(name: string): Promise<Values> {
    return this.entry(name).storage.read();
  }

  /** The exact contents of an entry for `restore`; more than `read` where the device holds more digits. */
  async save(name: string): Promise<Values> {
    const { storage } = this.entry(name);
    return (await storage.save?.()) ?? storage.read();
  }

  /** Sets an entry to contents that were saved on the same kind of device. */
  restore(name: string, saved: Values): void {
    this.expectIdle();
    const { spec, storage } = this.entry(name);
    if (storage.restore !== undefined) {
      storage.restore(saved);
      return;
    }
    const size = sizeOf(spec.shape);
    if (saved.length !== size) throw new RangeError(`state '${name}' has ${size} numbers; got ${saved.length}`);
    this.write(name, saved);
  }

  /** Writes values into an entry, from an offset (counted in numbers) on. */
  write(name: string, values: Values, offset = 0): void {
    this.expectIdle();
    const { spec, storage } = this.entry(name);
    checkType(`state '${name}'`, spec, values);
    const size = sizeOf(spec.shape);
    if (!Number.isInteger(offset) || offset < 0 || offset + values.length > size) {
      const range = `[${offset}, ${offset + values.length})`;
      throw new RangeError(`state '${name}' has ${size} numbers; cannot write to ${range}`);
    }
    storage.write(values, offset);
  }

  /**
   * Writes a tree of values into the entries with its paths. With replicas, the values are those of the one that `replica`
   * names.
   */
  load(values: Tree<Values>, replica?: number): void {
    const copies = this.replicas ?? 1;
    const index = replica ?? 0;
    const exists = Number.isInteger(index) && index >= 0 && index < copies;
    if (!exists || (replica === undefined) !== (this.replicas === undefined)) {
      throw new RangeError(`replica is ${replica}; the state has replicas ${this.replicas ?? 'none'}`);
    }
    for (const [name, part] of flatten(values, isValues)) {
      const size = sizeOf(this.spec(name).shape) / copies;
      if (part.length !== size) {
        throw new RangeError(`state '${name}' has ${size} numbers for each learner; got ${part.length}`);
      }
      this.write(name, part, index * size);
    }
  }

  /** Adds an entry of zeros, or checks that the existing one has the same spec. */
  declare(name: string, spec: Spec): void {
    const known = this.entries.get(name);
    if (known === undefined) {
      this.entries.set(name, { spec, storage: this.memory.allocate(spec) });
    } else if (format(known.spec.shape) !== format(spec.shape) || known.spec.dtype !== spec.dtype) {
      const [is, wanted] = [known.spec, spec].map((s) => `${s.dtype} ${format(s.shape)}`);
      throw new Error(`state '${name}' is ${is}, a program wants ${wanted}`);
    }
  }

  storage(name: string): Storage {
    return this.entry(name).storage;
  }

  private entry(name: string): { spec: Spec; storage: Storage } {
    const entry = this.entries.get(name);
    if (entry === undefined) throw new Error(`state '${name}' does not exist; there are: ${this.names.join(', ')}`);
    return entry;
  }
}

function isValues(node: Tree<Values>): node is Values {
  return ArrayBuffer.isView(node);
}

function specsOf(tensors: ReadonlyMap<string, Tensor>): Map<string, Spec> {
  return new Map([...tensors].map(([name, tensor]) => [name, specOf(tensor)]));
}

function checkValues(what: string, spec: Spec, values: Values | undefined): asserts values is Values {
  if (values === undefined) throw new Error(`${what} is missing; it is ${spec.dtype} ${format(spec.shape)}`);
  checkType(what, spec, values);
  if (values.length !== sizeOf(spec.shape)) {
    throw new RangeError(`${what} is ${format(spec.shape)}, ${sizeOf(spec.shape)} numbers; got ${values.length}`);
  }
}

function checkIndices(name: string, values: Values, rows: number | undefined): void {
  if (rows === undefined) return;
  // A loop takes a tenth of the time of findIndex.
  let wrong = 0;
  while (wrong < values.length && values[wrong] >= 0 && values[wrong] < rows) wrong++;
  if (wrong < values.length)
    throw new RangeError(`input '${name}' is ${values[wrong]} at ${wrong}; it picks from ${rows} rows`);
}

function checkType(what: string, spec: Spec, values: Values): void {
  if (!(spec.dtype === 'int32' ? values instanceof Int32Array : values instanceof Float32Array)) {
    const wanted = spec.dtype === 'int32' ? 'an Int32Array' : 'a Float32Array';
    throw new TypeError(`${what} takes ${wanted}, got ${Object.prototype.toString.call(values)}`);
  }
  if (!(values.buffer instanceof ArrayBuffer)) {
    throw new TypeError(`${what} is in shared memory, which onnxruntime refuses; give a copy of it`);
  }
}
