import { availableParallelism } from 'node:os';

import * as ort from 'onnxruntime-node';

import type { Device, Executable, Storage } from '../device.js';
import type { Graph } from '../graph.js';
import { sizeOf } from '../shape.js';
import type { Spec, Values } from '../shape.js';
import { lower, valueOf } from './lower.js';
import { encode } from './model.js';

export interface CpuOptions {
  /** Threads of one program; all cores by default. */
  threads?: number;
}

/** Runs a whole step as one ONNX graph on the CPU. */
export class CpuDevice implements Device {
  readonly name = 'cpu';
  readonly description: string;
  private readonly threads: number;

  constructor({ threads = availableParallelism() }: CpuOptions = {}) {
    this.threads = threads;
    this.description = `onnxruntime ${ort.env.versions.node ?? ''} on ${threads} CPU thread${threads === 1 ? '' : 's'}`;
  }

  allocate(spec: Spec): Storage {
    return new CpuStorage(spec);
  }

  async compile(graph: Graph, state: ReadonlyMap<string, Storage>): Promise<Executable> {
    const inputs = [...leaves(graph)].map(([name, tensor]) => valueOf(name, tensor));
    const results = new Map([
      ...[...graph.outputs].map(([name, tensor]) => [`output:${name}`, tensor] as const),
      ...[...graph.updates].map(([name, tensor]) => [`update:${name}`, tensor] as const),
    ]);
    if (results.size === 0) throw new Error('the step has neither outputs nor state updates: there is nothing to run');
    const session = await ort.InferenceSession.create(encode(lower(inputs, results, { name: 'step' })), {
      intraOpNumThreads: this.threads,
      interOpNumThreads: 1,
      executionMode: 'sequential',
      graphOptimizationLevel: 'all',
      logSeverityLevel: 3,
    });
    return new CpuExecutable(session, graph, state as ReadonlyMap<string, CpuStorage>);
  }
}

function* leaves(graph: Graph): Iterable<[string, Graph['inputs'] extends ReadonlyMap<string, infer T> ? T : never]> {
  for (const [name, tensor] of graph.state) yield [`state:${name}`, tensor];
  for (const [name, tensor] of graph.inputs) yield [`input:${name}`, tensor];
}

/** Two buffers: a run reads one and writes the other, since onnxruntime may write a result before its last use of the old value. */
class CpuStorage implements Storage {
  current: ort.Tensor;
  private other: ort.Tensor | undefined;

  constructor(private readonly spec: Spec) {
    this.current = allocate(spec);
  }

  get spare(): ort.Tensor {
    return (this.other ??= allocate(this.spec));
  }

  swap(): void {
    [this.current, this.other] = [this.spare, this.current];
  }

  read(): Promise<Values> {
    return Promise.resolve((this.current.data as Values).slice());
  }

  write(values: Values, offset: number): void {
    (this.current.data as Values).set(values, offset);
  }
}

class CpuExecutable implements Executable {
  private readonly feeds: Record<string, ort.Tensor> = {};
  private readonly fetches: Record<string, ort.Tensor> = {};
  private readonly outputs: ReadonlyMap<string, ort.Tensor>;
  private readonly updated: readonly (readonly [string, CpuStorage])[];

  constructor(
    private readonly session: ort.InferenceSession,
    private readonly graph: Graph,
    private readonly state: ReadonlyMap<string, CpuStorage>,
  ) {
    this.outputs = new Map(
      [...graph.outputs].map(([name, t]) => [name, allocate({ shape: t.shape, dtype: t.dtype as Spec['dtype'] })]),
    );
    for (const [name, tensor] of this.outputs) this.fetches[`output:${name}`] = tensor;
    this.updated = [...graph.updates.keys()].map((name) => [`update:${name}`, state.get(name)!]);
  }

  async run(inputs: ReadonlyMap<string, Values>, read: readonly string[]): Promise<ReadonlyMap<string, Values>> {
    for (const [name, storage] of this.state) this.feeds[`state:${name}`] = storage.current;
    for (const [name, values] of inputs) {
      const key = `input:${name}`;
      // A caller that reuses its array finds it wrapped already.
      if ((this.feeds[key] as ort.Tensor | undefined)?.data !== values) {
        this.feeds[key] = wrap(values, this.graph.inputs.get(name)!.shape);
      }
    }
    for (const [name, storage] of this.updated) this.fetches[name] = storage.spare;
    await this.session.run(this.feeds, this.fetches);
    for (const [, storage] of this.updated) storage.swap();
    return new Map(read.map((name) => [name, this.outputs.get(name)!.data as Values]));
  }

  dispose(): Promise<void> {
    return this.session.release();
  }
}

function allocate(spec: Spec): ort.Tensor {
  const size = sizeOf(spec.shape);
  return wrap(spec.dtype === 'int32' ? new Int32Array(size) : new Float32Array(size), spec.shape);
}

function wrap(values: Values, shape: readonly number[]): ort.Tensor {
  return values instanceof Int32Array
    ? new ort.Tensor('int32', values, shape)
    : new ort.Tensor('float32', values, shape);
}
