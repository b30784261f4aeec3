/**
 * The devices `gpu` and `gpu-mixed`: open WebGPU, compile graphs with `lower.ts` and run them. In a browser they use
 * `navigator.gpu`, in Node the library Dawn, which `dawn.ts` loads. On `gpu-mixed` large products run on tensor cores.
 */
import type { Device, Executable, Memory, Storage } from '../device.js';
import type { Graph } from '../graph.js';
import { specOf } from '../sets.js';
import { sizeOf } from '../shape.js';
import type { Spec, Values } from '../shape.js';
import { noAdapter, noDevice, noTensorCores, noWebGpu, outOfMemory, tooSmall } from './faults.js';
import { SIDE, SUBGROUP } from './fragment-tile.js';
import { lower } from './lower.js';
import type { Lowered, LowerOptions } from './lower.js';
import { GpuMemory } from './memory.js';
import type { GpuStorage } from './memory.js';
import { Stream, usage } from './stream.js';

/** An implementation of WebGPU: that of a browser, or Dawn in Node. */
export interface WebGpu {
  readonly gpu: Pick<GPU, 'requestAdapter'>;
  /** The error to throw if it has no adapter. */
  readonly whyNoAdapter: () => Error;
}

/** Whether products run on tensor cores; and the choice of workgroup sizes and tiles, which measurements and tests replace. */
export type GpuOptions = Pick<LowerOptions, 'tensorCores' | 'threadCounts' | 'tileFor' | 'fragmentsFor'>;

/** Opens the GPU of this machine. */
export async function openGpu(find?: () => Promise<WebGpu>, options: GpuOptions = {}): Promise<GpuDevice> {
  const { tensorCores = false } = options;
  const { gpu, whyNoAdapter } = await (find ?? (() => findWebGpu(tensorCores)))();
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (adapter === null) throw whyNoAdapter();
  if (tensorCores && !hasTensorCores(adapter)) throw noTensorCores();
  // All limits of the adapter: the defaults are those of a phone.
  const { limits } = adapter;
  const requiredLimits = {
    maxBufferSize: limits.maxBufferSize,
    maxStorageBufferBindingSize: limits.maxStorageBufferBindingSize,
    maxStorageBuffersPerShaderStage: limits.maxStorageBuffersPerShaderStage,
    maxComputeWorkgroupStorageSize: limits.maxComputeWorkgroupStorageSize,
    maxComputeInvocationsPerWorkgroup: limits.maxComputeInvocationsPerWorkgroup,
    maxComputeWorkgroupSizeX: limits.maxComputeWorkgroupSizeX,
  };
  const requiredFeatures = tensorCores ? TENSOR_CORES : [];
  const device = await adapter.requestDevice({ requiredFeatures, requiredLimits }).catch((cause: unknown) => {
    throw noDevice(cause);
  });
  const { description, device: model, vendor, architecture } = adapter.info;
  const name = [model, description].find((text) => text !== '') ?? `${vendor} ${architecture}`.trim();
  return new GpuDevice(device, name, isSoftware(adapter.info), options);
}

/** What WebGPU calls tensor cores, and what they work on. The last is a proposal, which the types do not know yet. */
const TENSOR_CORES = ['shader-f16', 'subgroups', 'chromium-experimental-subgroup-matrix'] as GPUFeatureName[];

/** What an adapter says beside what is in the types: the sizes of matrices that its subgroups multiply. */
interface SubgroupMatrixInfo {
  readonly subgroupMatrixConfigs?: readonly { readonly M?: number; readonly N?: number; readonly K?: number }[];
}

/** Whether an adapter multiplies fragments, and says of neither them nor its subgroups that they have another size. */
function hasTensorCores({ features, info }: GPUAdapter): boolean {
  const { subgroupMinSize = SUBGROUP, subgroupMaxSize = SUBGROUP } = info;
  const { subgroupMatrixConfigs: sizes = [] } = info as SubgroupMatrixInfo;
  const isOther = ({ M = SIDE, N = SIDE, K = SIDE }): boolean => M !== SIDE || N !== SIDE || K !== SIDE;
  const hasFragments = sizes.length === 0 || !sizes.every(isOther);
  const hasSubgroups = subgroupMinSize === SUBGROUP && subgroupMaxSize === SUBGROUP;
  return TENSOR_CORES.every((feature) => features.has(feature)) && hasFragments && hasSubgroups;
}

async function findWebGpu(tensorCores: boolean): Promise<WebGpu> {
  const inBrowser = (globalThis as { navigator?: { gpu?: GPU } }).navigator?.gpu;
  if (inBrowser !== undefined) return { gpu: inBrowser, whyNoAdapter: noAdapter };
  try {
    const { openDawn, whyNoAdapter } = await import('./dawn.js');
    return { gpu: await openDawn(tensorCores), whyNoAdapter };
  } catch (cause) {
    throw noWebGpu(cause);
  }
}

/** Whether an adapter is a program on the CPU: Google's SwiftShader or Mesa's llvmpipe. */
function isSoftware({ architecture, description, device, isFallbackAdapter }: GPUAdapterInfo): boolean {
  return isFallbackAdapter || /swiftshader|llvmpipe/i.test(`${architecture} ${description} ${device}`);
}

/** Runs a program as a few dispatches of generated WGSL. */
export class GpuDevice implements Device {
  readonly name: string;
  readonly isOrdered = true;
  readonly description: string;
  readonly largestEntry: number;
  private readonly stream: Stream;
  /** What was compiled before, by its code: programs of one process are often the same, and compiling takes seconds. */
  private pipelines: ReadonlyMap<string, GPUComputePipeline> = new Map();

  constructor(
    private readonly device: GPUDevice,
    readonly gpu: string,
    readonly isSoftware: boolean,
    private readonly options: GpuOptions = {},
  ) {
    const { maxStorageBufferBindingSize: reach, maxComputeWorkgroupStorageSize: shared } = device.limits;
    const { tensorCores = false } = options;
    this.name = tensorCores ? 'gpu-mixed' : 'gpu';
    const memory = `${Math.round(reach / 2 ** 20)} MB per buffer, ${shared / 1024} KB per workgroup`;
    const products = tensorCores ? ', products of 16-bit numbers with 32-bit sums' : '';
    this.description = `WebGPU on ${gpu}, ${memory}${products}`;
    this.largestEntry = Math.floor(reach / 4);
    this.stream = new Stream(device);
  }

  createMemory(): Memory {
    return new GpuMemory(this.stream);
  }

  async compile(graph: Graph, memory: Memory, state: ReadonlyMap<string, Storage>): Promise<Executable> {
    this.stream.check();
    const pipelines = new Map(this.pipelines);
    const executable = await this.withEnoughMemory(() =>
      this.build(graph, memory as GpuMemory, state as ReadonlyMap<string, GpuStorage>, pipelines),
    );
    // Only now: without enough memory they are not valid.
    this.pipelines = pipelines;
    return executable;
  }

  private build(
    graph: Graph,
    memory: GpuMemory,
    state: ReadonlyMap<string, GpuStorage>,
    pipelines: Map<string, GPUComputePipeline>,
  ): Promise<GpuExecutable> {
    memory.place();
    const lowered = lower(graph, {
      state: new Map([...state].map(([name, entry]) => [name, entry.place])),
      workgroupMemory: this.device.limits.maxComputeWorkgroupStorageSize,
      mostThreads: Math.min(
        this.device.limits.maxComputeInvocationsPerWorkgroup,
        this.device.limits.maxComputeWorkgroupSizeX,
      ),
      isSoftware: this.isSoftware,
      ...this.options,
    });
    const most = this.device.limits.maxStorageBuffersPerShaderStage;
    if (lowered.bindings.length > most) {
      throw tooSmall(`${lowered.bindings.length} buffers at a time`, String(most));
    }
    const blocks = new Map([...state.values()].map((entry) => [entry.place.buffer, entry.block!.buffer]));
    return GpuExecutable.create(this.stream, graph, lowered, blocks, pipelines, this.isSoftware);
  }

  /** Does work that allocates memory, and rejects with a sentence if there is too little. */
  private async withEnoughMemory<T>(work: () => Promise<T>): Promise<T> {
    this.device.pushErrorScope('out-of-memory');
    let shortage: Promise<GPUError | null>;
    let result: Promise<T>;
    try {
      result = work();
    } finally {
      shortage = this.device.popErrorScope();
    }
    const [error, made] = await Promise.allSettled([shortage, result]);
    if (error.status === 'fulfilled' && error.value !== null) throw outOfMemory(error.value.message);
    if (made.status === 'rejected') throw made.reason;
    return made.value;
  }

  /** Releases the GPU; programs and state on it cannot be used afterwards. */
  close(): void {
    this.device.destroy();
  }
}

/** Runs whose inputs fit into the input buffer, and which can therefore be submitted together. */
const SLOTS = 5;

interface Input {
  readonly name: string;
  readonly offset: number;
}

interface Output {
  readonly spec: Spec;
  readonly offset: number;
  readonly values: Values;
}

/** The buffers of a program beside its state. */
interface ProgramBuffers {
  readonly scratch: GPUBuffer;
  readonly inputs?: GPUBuffer;
  readonly constants?: GPUBuffer;
}

class GpuExecutable implements Executable {
  private used = 0;
  private readonly floats: Float32Array<ArrayBuffer>;
  private readonly integers: Int32Array<ArrayBuffer>;

  private constructor(
    private readonly stream: Stream,
    private readonly pipelines: readonly { pipeline: GPUComputePipeline; groups: readonly [number, number] }[],
    private readonly bindGroups: readonly GPUBindGroup[],
    private readonly buffers: ProgramBuffers,
    private readonly slotSize: number,
    private readonly inputs: readonly Input[],
    private readonly outputs: ReadonlyMap<string, Output>,
  ) {
    this.floats = new Float32Array(slotSize * SLOTS);
    this.integers = new Int32Array(this.floats.buffer);
  }

  static async create(
    stream: Stream,
    graph: Graph,
    lowered: Lowered,
    blocks: ReadonlyMap<string, GPUBuffer>,
    known: Map<string, GPUComputePipeline>,
    isSoftware: boolean,
  ): Promise<GpuExecutable> {
    const { device } = stream;
    // All pipelines at once. Not in software: Dawn polls while it waits, on the cores that are the GPU.
    const make = async (pipeline: GPUComputePipelineDescriptor): Promise<GPUComputePipeline> =>
      isSoftware ? device.createComputePipeline(pipeline) : device.createComputePipelineAsync(pipeline);
    const buffer = (size: number): GPUBuffer =>
      device.createBuffer({ size: 4 * size, usage: usage.storage | usage.copySource | usage.copyTarget });
    const { inputs: slotSize, scratch } = lowered.sizes;
    const buffers = {
      scratch: buffer(scratch),
      inputs: slotSize > 0 ? buffer(slotSize * SLOTS) : undefined,
      constants: lowered.constants.length > 0 ? buffer(lowered.constants.length) : undefined,
    };
    if (buffers.constants !== undefined)
      stream.write(buffers.constants, 0, lowered.constants as Float32Array<ArrayBuffer>);
    const layout = device.createBindGroupLayout({
      entries: lowered.bindings.map(({ isReadOnly }, binding) => ({
        binding,
        visibility: 0x4,
        buffer: { type: isReadOnly ? 'read-only-storage' : 'storage' },
      })),
    });
    const bindGroups = Array.from({ length: slotSize > 0 ? SLOTS : 1 }, (_, slot) =>
      device.createBindGroup({
        layout,
        entries: lowered.bindings.map(({ name }, binding) => ({
          binding,
          resource:
            name === 'inputs'
              ? { buffer: buffers.inputs!, offset: 4 * slotSize * slot, size: 4 * slotSize }
              : { buffer: name === 'scratch' || name === 'constants' ? buffers[name]! : blocks.get(name)! },
        })),
      }),
    );
    const pipelineLayout = device.createPipelineLayout({ bindGroupLayouts: [layout] });
    const access = lowered.bindings.map(({ isReadOnly }) => isReadOnly).join();
    const pipelines = await Promise.all(
      lowered.dispatches.map(async ({ code, groups }) => {
        const key = `${access}\n${code}`;
        const compute = () => ({ module: device.createShaderModule({ code }), entryPoint: 'main' });
        const pipeline = known.get(key) ?? (await make({ layout: pipelineLayout, compute: compute() }));
        known.set(key, pipeline);
        return { pipeline, groups };
      }),
    );
    const inputs = [...lowered.inputs].map(([name, offset]) => ({ name, offset }));
    const outputs = new Map(
      [...graph.outputs].map(([name, tensor]) => {
        const spec = specOf(tensor);
        const size = sizeOf(spec.shape);
        const values = spec.dtype === 'int32' ? new Int32Array(size) : new Float32Array(size);
        return [name, { spec, offset: lowered.outputs.get(name)!, values }];
      }),
    );
    return new GpuExecutable(stream, pipelines, bindGroups, buffers, slotSize, inputs, outputs);
  }

  async run(inputs: ReadonlyMap<string, Values>, read: readonly string[]): Promise<ReadonlyMap<string, Values>> {
    if (this.used === this.bindGroups.length) this.stream.flush();
    const pass = this.stream.pass();
    const slot = this.slotSize === 0 ? 0 : this.used++;
    for (const { name, offset } of this.inputs) {
      const values = inputs.get(name)!;
      const start = slot * this.slotSize + offset;
      if (values instanceof Int32Array) this.integers.set(values, start);
      else this.floats.set(values, start);
    }
    if (this.slotSize > 0) this.stream.beforeSubmission(this.upload);
    pass.setBindGroup(0, this.bindGroups[slot]);
    for (const { pipeline, groups } of this.pipelines) {
      pass.setPipeline(pipeline);
      pass.dispatchWorkgroups(groups[0], groups[1]);
    }
    if (read.length === 0) {
      await this.stream.limitInFlight();
      return new Map();
    }
    const wanted = read.map((name) => ({ name, ...this.outputs.get(name)! }));
    const ranges = wanted.map(({ offset, values }) => ({
      buffer: this.buffers.scratch,
      offset: 4 * offset,
      bytes: values.byteLength,
    }));
    return this.stream.read(ranges, (bytes) => {
      let start = 0;
      for (const { values } of wanted) {
        if (values instanceof Int32Array) values.set(new Int32Array(bytes, start, values.length));
        else values.set(new Float32Array(bytes, start, values.length));
        start += values.byteLength;
      }
      return new Map(wanted.map(({ name, values }) => [name, values]));
    });
  }

  private readonly upload = (): void => {
    this.stream.device.queue.writeBuffer(this.buffers.inputs!, 0, this.floats, 0, this.used * this.slotSize);
    this.used = 0;
  };

  dispose(): Promise<void> {
    this.stream.flush();
    const { scratch, inputs, constants } = this.buffers;
    for (const buffer of [scratch, inputs, constants]) buffer?.destroy();
    return Promise.resolve();
  }
}
