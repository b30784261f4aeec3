/**
 * Lowers a graph to what the GPU runs: a list of dispatches, each a WGSL shader, and the layout of the buffers they use. It
 * puts the parts of this folder in order: prepare the graph, plan its kernels, lay out memory, choose tiles and
 * workgroup sizes, and write one shader for each level of the plan. `device.ts` runs the result.
 */
import type { Graph } from '../graph.js';
import { topological } from '../graph.js';
import type { Tensor } from '../tensor.js';
import type { Place } from './expression.js';
import { chooseFragments, fragmentThreads, limitFor } from './fragment-tile.js';
import type { FragmentChooser } from './fragment-tile.js';
import { termsPerSum } from './kernel.js';
import type { Kernel } from './kernel.js';
import type { Placement, Target } from './kernel-code.js';
import { codeOf, isFragmented, isTiled } from './kernels.js';
import { aligned } from './memory.js';
import { plan } from './plan.js';
import type { Plan } from './plan.js';
import { prepare } from './prepare.js';
import { copyOf, innerOf, isLiteral } from './roles.js';
import { assemble } from './shader.js';
import type { Binding, Dispatch } from './shader.js';
import { chooseTile } from './tile.js';
import { productOf } from './tiled-product.js';

export interface Lowered {
  /** Run one after the other. */
  readonly dispatches: readonly Dispatch[];
  /** Buffers in the order of the shader's bindings. */
  readonly bindings: readonly Binding[];
  /** Offsets of inputs and outputs in their buffers, counted in numbers of four bytes. */
  readonly inputs: ReadonlyMap<string, number>;
  readonly outputs: ReadonlyMap<string, number>;
  /** Tables that shaders read. */
  readonly constants: Float32Array;
  /** Sizes of the buffers that the program needs beside its state, in numbers. */
  readonly sizes: { readonly inputs: number; readonly scratch: number };
}

export interface LowerOptions {
  /** Where state entries are. */
  readonly state: ReadonlyMap<string, Place>;
  /** Bytes of memory that the threads of a workgroup share. */
  readonly workgroupMemory: number;
  /** Threads that a workgroup may have; 256 are allowed everywhere. */
  readonly mostThreads?: number;
  /** Whether large products run on tensor cores, with operands that are rounded to 16 bits. */
  readonly tensorCores?: boolean;
  /** Small workgroups and short code, for a software adapter. */
  readonly isSoftware?: boolean;
  /** The workgroup sizes to choose from, and the choice of tiles; measurements and tests try other ones. */
  readonly threadCounts?: readonly number[];
  readonly tileFor?: typeof chooseTile;
  readonly fragmentsFor?: FragmentChooser;
}

/** 320 threads divide tiles of 80 evenly, as networks of 400 units need; a level without tiles takes the first number. */
const THREADS = [256, 320];
const SOFTWARE_THREADS = [64];
/** Floats of workgroup memory that are reserved for kernels other than tiled products. */
const RESERVED_FLOATS = 512;

export function lower(original: Graph, options: LowerOptions): Lowered {
  const { state, workgroupMemory, isSoftware = false, tileFor = chooseTile } = options;
  const { mostThreads = 256, threadCounts = isSoftware ? SOFTWARE_THREADS : THREADS } = options;
  const { tensorCores = false, fragmentsFor = chooseFragments } = options;
  const graph = prepare(withComputedResults(original));
  const planned = plan(graph);
  const inputs = layOut([...graph.inputs].map(([name, { size }]) => [name, size]));
  const tables = topological([...graph.outputs.values(), ...graph.updates.values()]).filter(
    (node) => node.op.kind === 'constant' && !isLiteral(node),
  );
  const constants = layOut(tables.map((table) => [table, table.size]));
  const outputs = layOut([...graph.outputs].map(([name, { size }]) => [name, size]));
  const scratch = allocate(planned, outputs.total);

  const loads = new Map<Tensor, Place>([
    ...[...graph.inputs].map(
      ([name, leaf]) => [leaf, { buffer: 'inputs', offset: inputs.offsets.get(name)! }] as const,
    ),
    ...[...graph.state].map(([name, leaf]) => [leaf, state.get(name)!] as const),
    ...tables.map((table) => [table, { buffer: 'constants', offset: constants.offsets.get(table)! }] as const),
    ...[...scratch.offsets].map(([tensor, offset]) => [tensor, { buffer: 'scratch', offset }] as const),
  ]);
  const stores = new Map<Tensor, Place[]>();
  const storeTo = (tensor: Tensor, place: Place): void => {
    stores.set(tensor, [...(stores.get(tensor) ?? []), place]);
  };
  for (const [tensor, offset] of scratch.offsets) storeTo(tensor, { buffer: 'scratch', offset });
  for (const [name, tensor] of graph.outputs) {
    storeTo(tensor, { buffer: 'scratch', offset: outputs.offsets.get(name)! });
  }
  for (const [tensor, names] of planned.updates) for (const name of names) storeTo(tensor, state.get(name)!);

  const bindings: Binding[] = [
    { name: 'scratch', isReadOnly: false },
    ...(inputs.total > 0 ? [{ name: 'inputs', isReadOnly: true }] : []),
    ...(constants.total > 0 ? [{ name: 'constants', isReadOnly: true }] : []),
    ...[...new Set([...state.values()].map(({ buffer }) => buffer))].map((name) => ({ name, isReadOnly: false })),
  ];
  const levels: Kernel[][] = [];
  for (const kernel of planned.kernels) (levels[kernel.level] ??= []).push(kernel);
  const isOnTensorCores = (kernel: Kernel): boolean => tensorCores && isFragmented(kernel);
  const groups = levels.flatMap(dispatchesOf).flatMap((kernels) => apart(kernels, isOnTensorCores));
  const dispatches = groups.map((kernels) => {
    const work = kernels.reduce((sum, kernel) => sum + multiplicationsOf(kernel), 0);
    const shareOf = (kernel: Kernel): number => multiplicationsOf(kernel) / work;
    const tileMemory = workgroupMemory / 4 - RESERVED_FLOATS;
    const isBesideUpdate = kernels.some((kernel) => isTiled(kernel) && kernel.results.length > 1);
    const product = (kernel: Kernel) => productOf(kernel, { share: shareOf(kernel), isBesideUpdate });
    const chooseFloats = (kernel: Kernel, count: number) => tileFor(product(kernel), count, tileMemory);
    const fragmented = kernels.filter(isOnTensorCores);
    const hasFragments = fragmented.length > 0;
    const limitWith = (count: number) =>
      limitFor(4 * tileMemory, (limit) => fragmented.map((kernel) => fragmentsFor(product(kernel), count, limit).tile));
    const limits = new Map(hasFragments ? fragmentThreads.map((count) => [count, limitWith(count)]) : []);
    const chooseFragmentsOf = (kernel: Kernel, count: number) =>
      fragmentsFor(product(kernel), count, limits.get(count)!);
    const choose = hasFragments ? chooseFragmentsOf : chooseFloats;
    /** The modelled time of the dispatch: its products run together, each on its share of the GPU. */
    const timeWith = (count: number): number =>
      kernels.filter(isTiled).reduce((sum, kernel) => sum + shareOf(kernel) * choose(kernel, count).time, 0);
    const floatCounts = isSoftware ? threadCounts : [...threadCounts, ...kernels.flatMap(threadsForSum)];
    const counts = hasFragments ? fragmentThreads : floatCounts;
    const allowed = counts.filter((count) => count <= mostThreads);
    const [threads] = allowed.sort((a, b) => timeWith(a) - timeWith(b));
    const target: Target = {
      threads,
      tileFor: (kernel) => chooseFloats(kernel, threads).tile,
      ...(hasFragments && { fragmentsFor: (kernel) => chooseFragmentsOf(kernel, threads).tile }),
      unroll: isSoftware ? 1 : 640,
    };
    const codes = kernels.map((kernel) => {
      const placement: Placement = {
        storesOf: (result) => stores.get(result) ?? [],
        // What a kernel stores itself it still has in a variable.
        loadOf: (tensor) =>
          !planned.producers.has(tensor) || planned.isRead(tensor, kernel) ? loads.get(tensor) : undefined,
      };
      return codeOf(kernel, placement, target);
    });
    return assemble(codes, bindings, threads);
  });
  return {
    dispatches,
    bindings,
    inputs: inputs.offsets,
    outputs: outputs.offsets,
    constants: tableValues(tables, constants),
    sizes: { inputs: inputs.total, scratch: Math.max(1, scratch.total) },
  };
}

/** About as many threads as usual, and a multiple of the terms of a sum in an epilogue, so that none is idle. */
function threadsForSum(kernel: Kernel): number[] {
  if (kernel.epilogueSum === undefined) return [];
  const multiple = 32 * termsPerSum(kernel);
  return [multiple * Math.max(1, Math.round(320 / multiple))];
}

/** Numbers read or stored from which on work is worth a dispatch of its own. */
const OWN_DISPATCH = 4e6;

/**
 * The dispatches of a level, one if possible. All workgroups of a dispatch get the memory and registers of its most demanding
 * kernel, so that fewer of them run at a time. Large kernels that need no tiles are therefore kept apart from tiled
 * products, and so are products with an optimiser in their epilogue, which mostly wait for memory.
 */
function dispatchesOf(level: readonly Kernel[]): Kernel[][] {
  const isUpdate = (kernel: Kernel): boolean =>
    isTiled(kernel) && (kernel.results.length - 1) * kernel.results[0].size > OWN_DISPATCH;
  const rest = level.filter((kernel) => !isUpdate(kernel));
  const tiled = rest.filter(isTiled);
  const others = rest.filter((kernel) => !isTiled(kernel));
  const areLarge = others.reduce((sum, kernel) => sum + accessesOf(kernel), 0) > OWN_DISPATCH;
  const groups = [level.filter(isUpdate), ...(areLarge ? [tiled, others] : [rest])];
  return groups.filter(({ length }) => length > 0);
}

/**
 * The kernels of a dispatch as one, or as two where some products are on tensor cores and others are not: their workgroup
 * memory would not fit together.
 */
function apart(kernels: readonly Kernel[], isOnTensorCores: (kernel: Kernel) => boolean): (readonly Kernel[])[] {
  const fragmented = kernels.filter(isOnTensorCores);
  const isMixed = fragmented.length > 0 && kernels.some((kernel) => isTiled(kernel) && !isOnTensorCores(kernel));
  return isMixed ? [fragmented, kernels.filter((kernel) => !isOnTensorCores(kernel))] : [kernels];
}

/** About how many numbers a kernel reads or stores. */
function accessesOf({ anchor, results }: Kernel): number {
  return Math.max(results[0].size, ...(anchor?.inputs.map(({ size }) => size) ?? []));
}

/** Multiplications of a matrix product; other kernels take little time beside it. */
function multiplicationsOf({ anchor }: Kernel): number {
  return anchor?.op.kind === 'matmul' ? anchor.size * innerOf(anchor.inputs[0], anchor.op.transA) : 0;
}

/** Makes results that are leaves or constants copies of them, so that a kernel computes every result. */
function withComputedResults(graph: Graph): Graph {
  const computed = (results: ReadonlyMap<string, Tensor>): Map<string, Tensor> =>
    new Map([...results].map(([name, x]) => [name, x.op.kind === 'leaf' || x.op.kind === 'constant' ? copyOf(x) : x]));
  return { ...graph, outputs: computed(graph.outputs), updates: computed(graph.updates) };
}

interface Layout<K> {
  readonly offsets: Map<K, number>;
  readonly total: number;
}

/** Lays parts out one behind the other. */
function layOut<K>(parts: readonly (readonly [K, number])[]): Layout<K> {
  const offsets = new Map<K, number>();
  let total = 0;
  for (const [key, size] of parts) {
    offsets.set(key, total);
    total += aligned(size);
  }
  return { offsets, total };
}

/** Allocates scratch memory to materialised tensors; those that are not live at the same time may share it. */
function allocate({ producers, lastReads }: Plan, start: number): Layout<Tensor> {
  const offsets = new Map<Tensor, number>();
  const allocated: { from: number; to: number; first: number; last: number }[] = [];
  let total = start;
  const lifetimes = [...lastReads].map(([tensor, last]) => ({ tensor, first: producers.get(tensor)!.level, last }));
  // First fit, the largest first, since they are the hardest to fit.
  for (const { tensor, first, last } of lifetimes.sort((a, b) => b.tensor.size - a.tensor.size)) {
    const size = aligned(tensor.size);
    const overlapping = allocated
      .filter((other) => other.first <= last && first <= other.last)
      .sort((a, b) => a.from - b.from);
    let from = start;
    for (const other of overlapping) if (from + size > other.from) from = Math.max(from, other.to);
    offsets.set(tensor, from);
    allocated.push({ from, to: from + size, first, last });
    total = Math.max(total, from + size);
  }
  return { offsets, total };
}

function tableValues(tables: readonly Tensor[], layout: Layout<Tensor>): Float32Array {
  const values = new Float32Array(layout.total);
  for (const table of tables) {
    if (table.op.kind !== 'constant') continue;
    const offset = layout.offsets.get(table)!;
    if (table.dtype === 'float32') values.set(table.op.values, offset);
    else new Int32Array(values.buffer).set(table.op.values, offset);
  }
  return values;
}
