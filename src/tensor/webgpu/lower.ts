import type { Graph } from '../graph.js';
import { topological } from '../graph.js';
import type { Tensor } from '../tensor.js';
import type { Place } from './expression.js';
import { codeOf, isSlim, productOf } from './kernels.js';
import type { Stores, Target } from './kernels.js';
import { aligned } from './memory.js';
import { foldedBy, identity, innerOf, isLiteral, plan } from './plan.js';
import type { Kernel, Plan } from './plan.js';
import { prepare } from './prepare.js';
import { assemble } from './shader.js';
import type { Binding, Dispatch } from './shader.js';
import { chooseTile } from './tile.js';

/** A graph as a GPU runs it: dispatches one after the other, and where everything lies. */
export interface Lowered {
  readonly dispatches: readonly Dispatch[];
  /** Buffers in the order of the shader's bindings. */
  readonly bindings: readonly Binding[];
  /** Where inputs and outputs lie in their buffers, in numbers. */
  readonly inputs: ReadonlyMap<string, number>;
  readonly outputs: ReadonlyMap<string, number>;
  /** Tables that shaders read. */
  readonly constants: Float32Array;
  /** Sizes of the buffers that the program needs for itself, in numbers. */
  readonly sizes: { readonly inputs: number; readonly scratch: number };
}

export interface LowerOptions {
  /** Where state entries lie. */
  readonly state: ReadonlyMap<string, Place>;
  /** Bytes of memory that the threads of a workgroup share. */
  readonly workgroupMemory: number;
  /** Threads that a workgroup may have; 256 are allowed everywhere. */
  readonly mostThreads?: number;
  /** Small workgroups and short code, for an adapter in software. */
  readonly isSoftware?: boolean;
  /** Threads that a workgroup can have, and how products are cut; other ones for measurements. */
  readonly threadCounts?: readonly number[];
  readonly tileFor?: typeof chooseTile;
}

/** 320 divide into tiles of 80, as networks of 400 units do; where nothing is cut into tiles the first number is taken. */
const THREADS = [256, 320];
const FEW_THREADS = [64];
/** Floats of workgroup memory that are left to kernels other than products. */
const SET_ASIDE = 512;

export function lower(original: Graph, options: LowerOptions): Lowered {
  const { state, workgroupMemory, isSoftware = false, tileFor = chooseTile } = options;
  const { mostThreads = 256, threadCounts = isSoftware ? FEW_THREADS : THREADS } = options;
  const graph = prepare(withMadeResults(original));
  const planned = plan(graph);
  const inputs = layOut([...graph.inputs].map(([name, { size }]) => [name, size]));
  const tables = topological([...graph.outputs.values(), ...graph.updates.values()]).filter(
    (node) => node.op.kind === 'constant' && !isLiteral(node),
  );
  const constants = layOut(tables.map((table) => [table, table.size]));
  const outputs = layOut([...graph.outputs].map(([name, { size }]) => [name, size]));
  const scratch = share(planned, outputs.total);

  const read = new Map<Tensor, Place>([
    ...[...graph.inputs].map(
      ([name, leaf]) => [leaf, { buffer: 'inputs', offset: inputs.offsets.get(name)! }] as const,
    ),
    ...[...graph.state].map(([name, leaf]) => [leaf, state.get(name)!] as const),
    ...tables.map((table) => [table, { buffer: 'constants', offset: constants.offsets.get(table)! }] as const),
    ...[...scratch.offsets].map(([tensor, offset]) => [tensor, { buffer: 'scratch', offset }] as const),
  ]);
  const written = new Map<Tensor, Place[]>();
  const write = (tensor: Tensor, place: Place): void => {
    written.set(tensor, [...(written.get(tensor) ?? []), place]);
  };
  for (const [tensor, offset] of scratch.offsets) write(tensor, { buffer: 'scratch', offset });
  for (const [name, tensor] of graph.outputs) write(tensor, { buffer: 'scratch', offset: outputs.offsets.get(name)! });
  for (const [tensor, names] of planned.updates) for (const name of names) write(tensor, state.get(name)!);

  const bindings: Binding[] = [
    { name: 'scratch', isReadOnly: false },
    ...(inputs.total > 0 ? [{ name: 'inputs', isReadOnly: true }] : []),
    ...(constants.total > 0 ? [{ name: 'constants', isReadOnly: true }] : []),
    ...[...new Set([...state.values()].map(({ buffer }) => buffer))].map((name) => ({ name, isReadOnly: false })),
  ];
  const levels: Kernel[][] = [];
  for (const kernel of planned.kernels) (levels[kernel.level] ??= []).push(kernel);
  const dispatches = levels.flatMap(apart).map((kernels) => {
    const work = kernels.reduce((sum, kernel) => sum + termsOf(kernel), 0);
    const shareOf = (kernel: Kernel): number => termsOf(kernel) / work;
    const room = workgroupMemory / 4 - SET_ASIDE;
    const isBesideUpdate = kernels.some((kernel) => isTiled(kernel) && kernel.results.length > 1);
    const choose = (kernel: Kernel, count: number) =>
      tileFor(productOf(kernel, { share: shareOf(kernel), isBesideUpdate }), count, room);
    /** How long the level takes with so many threads: each of its products has a share of the GPU for about as long. */
    const timeWith = (count: number): number =>
      kernels.filter(isTiled).reduce((sum, kernel) => sum + shareOf(kernel) * choose(kernel, count).time, 0);
    const counts = isSoftware ? threadCounts : [...threadCounts, ...kernels.flatMap(threadsForSum)];
    const possible = counts.filter((count) => count <= mostThreads);
    const [threads] = possible.sort((a, b) => timeWith(a) - timeWith(b));
    const target: Target = {
      threads,
      tileFor: (kernel) => choose(kernel, threads).tile,
      writtenOut: isSoftware ? 1 : 640,
    };
    const codes = kernels.map((kernel) => {
      const stores: Stores = {
        placesOf: (result) => written.get(result) ?? [],
        // What a kernel makes itself is still at hand.
        placeOf: (tensor) =>
          !planned.makers.has(tensor) || planned.isRead(tensor, kernel) ? read.get(tensor) : undefined,
      };
      return codeOf(kernel, stores, target);
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

/** About as many threads as usual, and as many for each term of a sum that follows a product: then none is left over. */
function threadsForSum(kernel: Kernel): number[] {
  if (kernel.fold === undefined) return [];
  const whole = 32 * foldedBy(kernel);
  return [whole * Math.max(1, Math.round(320 / whole))];
}

function isTiled(kernel: Kernel): boolean {
  return kernel.kind === 'product' && !isSlim(kernel);
}

/** Numbers to be read or stored that are worth a dispatch more, so that nothing is in their way. */
const MANY = 4e6;

/**
 * Kernels of a level for one dispatch, or several: all workgroups of a dispatch have the memory and the registers that the
 * greediest of its kernels needs. That leaves room for few of those that need no tiles, and for few of those that mostly wait
 * for memory, because an optimiser follows their product.
 */
function apart(kernels: readonly Kernel[]): Kernel[][] {
  const isUpdate = (kernel: Kernel): boolean =>
    isTiled(kernel) && (kernel.results.length - 1) * kernel.results[0].size > MANY;
  const rest = kernels.filter((kernel) => !isUpdate(kernel));
  const tiled = rest.filter(isTiled);
  const others = rest.filter((kernel) => !isTiled(kernel));
  const many = others.reduce((sum, kernel) => sum + sizeOfWork(kernel), 0) > MANY;
  const groups = [kernels.filter(isUpdate), ...(many ? [tiled, others] : [rest])];
  return groups.filter(({ length }) => length > 0);
}

function sizeOfWork({ anchor, results }: Kernel): number {
  return Math.max(results[0].size, ...(anchor?.inputs.map(({ size }) => size) ?? []));
}

/** What a matrix product adds up in all; other kernels are short beside it. */
function termsOf({ anchor }: Kernel): number {
  return anchor?.op.kind === 'matmul' ? anchor.size * innerOf(anchor.inputs[0], anchor.op.transA) : 0;
}

/** Results that are leaves or constants become copies of them, which a kernel can make. */
function withMadeResults(graph: Graph): Graph {
  const made = (results: ReadonlyMap<string, Tensor>): Map<string, Tensor> =>
    new Map(
      [...results].map(([name, x]) => [name, x.op.kind === 'leaf' || x.op.kind === 'constant' ? identity(x) : x]),
    );
  return { ...graph, outputs: made(graph.outputs), updates: made(graph.updates) };
}

interface Layout<K> {
  readonly offsets: Map<K, number>;
  readonly total: number;
}

function layOut<K>(parts: readonly (readonly [K, number])[]): Layout<K> {
  const offsets = new Map<K, number>();
  let total = 0;
  for (const [key, size] of parts) {
    offsets.set(key, total);
    total += aligned(size);
  }
  return { offsets, total };
}

/** Room for what kernels leave for later ones; what nobody will read any more makes room for others. */
function share({ makers, lastReads }: Plan, start: number): Layout<Tensor> {
  const offsets = new Map<Tensor, number>();
  const taken: { from: number; to: number; first: number; last: number }[] = [];
  let total = start;
  const lives = [...lastReads].map(([tensor, last]) => ({ tensor, first: makers.get(tensor)!.level, last }));
  // Large ones first: they are the hardest to fit.
  for (const { tensor, first, last } of lives.sort((a, b) => b.tensor.size - a.tensor.size)) {
    const size = aligned(tensor.size);
    const inTheWay = taken
      .filter((other) => other.first <= last && first <= other.last)
      .sort((a, b) => a.from - b.from);
    let from = start;
    for (const other of inTheWay) if (from + size > other.from) from = Math.max(from, other.to);
    offsets.set(tensor, from);
    taken.push({ from, to: from + size, first, last });
    total = Math.max(total, from + size);
  }
  return { offsets, total };
}

function tableValues(tables: readonly Tensor[], layout: Layout<Tensor>): Float32Array {
  const values = new Float32Array(layout.total);
  for (const table of tables) {
    if (table.op.kind !== 'constant') continue;
    const at = layout.offsets.get(table)!;
    if (table.dtype === 'float32') values.set(table.op.values, at);
    else new Int32Array(values.buffer).set(table.op.values, at);
  }
  return values;
}
