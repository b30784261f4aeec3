/**
 * The device `cpu`: runs a graph as one ONNX model in onnxruntime, and the elementwise state updates behind it as loops in
 * WebAssembly. `fuse.ts` separates the two, `lower.ts` writes the model and `kernel.ts` the loops.
 */
import type { Device, Executable, Memory, Storage } from '../device.js';
import { topological } from '../graph.js';
import type { Graph } from '../graph.js';
import { specOf } from '../sets.js';
import type { Shape, Values } from '../shape.js';
import type { Tensor } from '../tensor.js';
import { partition } from './fuse.js';
import type { UpdateGroup } from './fuse.js';
import { compileKernel } from './kernel.js';
import type { Kernel } from './kernel.js';
import { lower, valueOf } from './lower.js';
import { allocateTensor, CpuMemory, CpuStorage } from './memory.js';
import { encode } from './model.js';
import type { OnnxRuntime, OnnxSession, OnnxTensor } from './session.js';

export interface CpuOptions {
  /** Threads of one program. */
  threads: number;
  /** Runs elementwise state updates as fused loops; on by default. */
  fuseUpdates?: boolean;
}

export class CpuDevice implements Device {
  readonly name = 'cpu';
  readonly description: string;
  readonly threads: number;
  private readonly fuseUpdates: boolean;

  constructor(
    private readonly runtime: OnnxRuntime,
    { threads, fuseUpdates = true }: CpuOptions,
  ) {
    this.threads = threads;
    this.fuseUpdates = fuseUpdates;
    const plural = threads === 1 ? '' : 's';
    this.description = `${runtime.name} on ${threads} CPU thread${plural}`;
  }

  createMemory(): Memory {
    return new CpuMemory(this.runtime);
  }

  async compile(graph: Graph, memory: Memory, state: ReadonlyMap<string, Storage>): Promise<Executable> {
    const { groups, rest } = this.fuseUpdates ? partition(graph) : { groups: [], rest: graph.updates };
    const between = intermediates(groups);
    const results = new Map([...prefixed('output', graph.outputs), ...prefixed('update', rest), ...between]);
    // Leaves that the model does not use are not passed to onnxruntime.
    const used = new Set(topological(results.values()));
    const leaves = [...prefixed('state', graph.state), ...prefixed('input', graph.inputs)].filter(([, leaf]) =>
      used.has(leaf),
    );
    // Before anything is awaited, because this may move state in memory, which must not happen during a run.
    const storage = state as ReadonlyMap<string, CpuStorage>;
    const cpuMemory = memory as CpuMemory;
    const computed = new Map(between.map(([, tensor]) => [tensor, cpuMemory.allocate(specOf(tensor))]));
    const loops = groups.map((group) => new Loop(group, cpuMemory, storage, computed));
    let session: OnnxSession | undefined;
    if (results.size > 0) {
      const model = lower(
        leaves.map(([name, tensor]) => valueOf(name, tensor)),
        results,
        { name: 'step' },
      );
      session = await this.runtime.open(encode(model), this.threads);
    }
    const bind = (kind: string, names: Iterable<string>): Binding[] =>
      [...names].map((name) => [`${kind}:${name}`, storage.get(name)!]);
    const usedNames = (leaves_: ReadonlyMap<string, Tensor>): string[] =>
      [...leaves_].filter(([, leaf]) => used.has(leaf)).map(([name]) => name);
    return new CpuExecutable(this.runtime, session, loops, {
      state: bind('state', usedNames(graph.state)),
      updated: bind('update', rest.keys()),
      intermediates: between.map(([name, tensor]) => [name, computed.get(tensor)!]),
      inputs: usedNames(graph.inputs).map((name) => ({ name, shape: graph.inputs.get(name)!.shape })),
      outputs: new Map(
        [...graph.outputs].map(([name, tensor]) => [name, allocateTensor(this.runtime, specOf(tensor))]),
      ),
      release: () => {
        for (const entry of computed.values()) cpuMemory.release(entry);
      },
    });
  }
}

function prefixed(kind: string, tensors: ReadonlyMap<string, Tensor>): [string, Tensor][] {
  return [...tensors].map(([name, tensor]) => [`${kind}:${name}`, tensor]);
}

/** The tensors that the model computes for fused updates, each once. */
function intermediates(groups: readonly UpdateGroup[]): [string, Tensor][] {
  const tensors = new Set(groups.flatMap(({ arrays, scalars }) => [...arrays, ...scalars]));
  return [...tensors].map((tensor, i) => [`intermediate:${i}`, tensor]);
}

/** A name in the ONNX model and the storage behind it. */
type Binding = readonly [string, CpuStorage];

interface Bindings {
  readonly state: readonly Binding[];
  readonly updated: readonly Binding[];
  readonly intermediates: readonly Binding[];
  readonly inputs: readonly { readonly name: string; readonly shape: Shape }[];
  readonly outputs: ReadonlyMap<string, OnnxTensor>;
  readonly release: () => void;
}

class CpuExecutable implements Executable {
  private readonly feeds: Record<string, OnnxTensor> = {};
  private readonly fetches: Record<string, OnnxTensor> = {};

  constructor(
    private readonly runtime: OnnxRuntime,
    private session: OnnxSession | undefined,
    private readonly loops: readonly Loop[],
    private readonly bindings: Bindings,
  ) {
    for (const [name, tensor] of bindings.outputs) this.fetches[`output:${name}`] = tensor;
  }

  async run(inputs: ReadonlyMap<string, Values>, read: readonly string[]): Promise<ReadonlyMap<string, Values>> {
    const { state, updated, intermediates: between, outputs } = this.bindings;
    if (this.session !== undefined) {
      for (const [key, storage] of state) this.feeds[key] = storage.current;
      for (const { name, shape } of this.bindings.inputs) {
        const values = inputs.get(name)!;
        const key = `input:${name}`;
        // An array that was given before is wrapped already.
        if ((this.feeds[key] as OnnxTensor | undefined)?.data !== values) {
          this.feeds[key] = this.runtime.tensor(values, shape);
        }
      }
      for (const [name, storage] of updated) this.fetches[name] = storage.spare;
      for (const [name, storage] of between) this.fetches[name] = storage.current;
      await this.session.run(this.feeds, this.fetches);
    }
    // Loops before swaps, because they read state as it was before this run.
    for (const loop of this.loops) loop.run();
    for (const [, storage] of updated) storage.swap();
    return new Map(read.map((name) => [name, outputs.get(name)!.data]));
  }

  async dispose(): Promise<void> {
    const { session } = this;
    if (session === undefined) return;
    this.session = undefined;
    this.bindings.release();
    await session.release();
  }
}

/** A fused update and the arrays it works on. */
class Loop {
  private readonly kernel: Kernel;
  /** The loop runs once for each entry of the first axis if there is a scalar for each, and once otherwise. */
  private readonly blocks: number;
  private readonly count: number;
  private readonly arrays: readonly CpuStorage[];
  private readonly scalars: readonly CpuStorage[];
  private readonly argumentsOfKernel: number[];

  constructor(
    group: UpdateGroup,
    memory: CpuMemory,
    state: ReadonlyMap<string, CpuStorage>,
    computed: ReadonlyMap<Tensor, CpuStorage>,
  ) {
    const [root] = group.updates.values();
    this.blocks = group.scalars.some((scalar) => scalar.size > 1) ? root.shape[0] : 1;
    this.count = root.size / this.blocks;
    this.arrays = [
      ...[...group.state.values()].map((name) => state.get(name)!),
      ...group.arrays.map((tensor) => computed.get(tensor)!),
      ...[...group.updates.keys()].map((name) => state.get(name)!),
    ];
    this.scalars = group.scalars.map((tensor) => computed.get(tensor)!);
    for (const storage of this.arrays) memory.share(storage);
    this.argumentsOfKernel = new Array<number>(this.arrays.length + this.scalars.length).fill(0);
    this.kernel = compileKernel(group, memory.wasm);
  }

  run(): void {
    const { arrays, scalars, argumentsOfKernel: args } = this;
    for (let block = 0; block < this.blocks; block++) {
      const start = 4 * block * this.count;
      for (let i = 0; i < arrays.length; i++) args[i] = arrays[i].address! + start;
      for (let i = 0; i < scalars.length; i++) {
        const values = scalars[i].current.data as Float32Array;
        args[arrays.length + i] = values[values.length > 1 ? block : 0];
      }
      this.kernel(this.count, ...args);
    }
  }
}
