/**
 * The plan of a program on the GPU: which kernels run, in which order, and what they exchange through memory. It takes the
 * kernels that fusion made, sorts them into topological levels, and decides which state is updated in place and how
 * long each materialised tensor is live. `lower.ts` turns a plan into shaders and buffers.
 */
import type { Graph } from '../graph.js';
import { sameShape } from '../shape.js';
import type { Tensor } from '../tensor.js';
import { Fusion } from './fusion.js';
import { storedBy } from './kernel.js';
import type { Kernel } from './kernel.js';
import { copyOf, isElementwise, isRearrangement } from './roles.js';
import { canFollowInRow, isMapOfRows, isRowReduction } from './rows.js';

export interface Plan {
  readonly kernels: readonly Kernel[];
  /** The kernel that stores a materialised tensor. */
  readonly producers: ReadonlyMap<Tensor, Kernel>;
  /** Names of state entries by the tensor that is stored over them. */
  readonly updates: ReadonlyMap<Tensor, readonly string[]>;
  /** Liveness: the last level that reads a materialised tensor. Those that no kernel reads are left out. */
  readonly lastReads: ReadonlyMap<Tensor, number>;
  /** Whether a kernel reads a materialised tensor from memory rather than compute it itself. */
  readonly isRead: (tensor: Tensor, kernel: Kernel) => boolean;
}

/**
 * Operations for one entry from which on a tensor is stored for later levels although the first one recomputes it, where
 * it has few enough entries that storing them takes no time.
 */
const EXPENSIVE = { operations: 12, entries: 65536 } as const;

export function plan(graph: Graph): Plan {
  const separated = new Set<Tensor>();
  for (;;) {
    const planner = new Planner(graph, new Fusion(graph, separated));
    const cycle = planner.assignLevels();
    if (cycle.length === 0) {
      planner.mergeMaps();
      planner.assignLevels();
      planner.mergeReductions();
      planner.deferSinks();
      planner.materialiseForLaterLevels();
      return planner.finish();
    }
    // A kernel with a sum in its epilogue computes two things. A cycle arises where other kernels need the one to compute
    // what the other depends on; the sum then gets a kernel of its own.
    const kernelsWithSum = cycle.filter(({ epilogueSum }) => epilogueSum !== undefined);
    if (kernelsWithSum.length === 0) throw new Error('the kernels of a program depend on each other in a cycle');
    for (const { anchor } of kernelsWithSum) separated.add(anchor!);
  }
}

class Planner {
  private readonly kernels: Kernel[];
  /** Of tensors that some kernels read from memory and others recompute: those that read. */
  private readonly readersOf = new Map<Tensor, ReadonlySet<Kernel>>();

  constructor(
    private readonly graph: Graph,
    private readonly fusion: Fusion,
  ) {
    this.kernels = fusion.kernels;
  }

  /** Sets each kernel's level to its depth in the graph of kernels. Returns the kernels of a cycle if there is one. */
  assignLevels(): readonly Kernel[] {
    const { producers, reads } = this.dataflow();
    for (const kernel of this.kernels) kernel.level = 0;
    const visited = new Set<Kernel>();
    const path: Kernel[] = [];
    const visit = (kernel: Kernel): readonly Kernel[] => {
      if (path.includes(kernel)) return path.slice(path.indexOf(kernel));
      if (visited.has(kernel)) return [];
      visited.add(kernel);
      path.push(kernel);
      for (const tensor of reads.get(kernel)!.keys()) {
        const producer = producers.get(tensor);
        if (producer === undefined) continue;
        const cycle = visit(producer);
        if (cycle.length > 0) return cycle;
        kernel.level = Math.max(kernel.level, producer.level + 1);
      }
      path.pop();
      return [];
    };
    for (const kernel of this.kernels) {
      const cycle = visit(kernel);
      if (cycle.length > 0) return cycle;
    }
    return [];
  }

  /**
   * Merges a map into the one kernel of the level before that it reads, a level less, if it reads that entry by entry, or if
   * that is a reduction and the map computes entries of its rows from their results.
   */
  mergeMaps(): void {
    const { producers } = this.dataflow();
    for (const map of this.kernels.filter(({ kind }) => kind === 'map').sort((a, b) => a.level - b.level)) {
      const reads = this.latestReads(map, producers);
      const latest = new Set(reads.map(([tensor]) => producers.get(tensor)!));
      const [producer] = latest;
      if (latest.size !== 1) continue;
      const isPointwise = reads.every(([, access]) => access === 'pointwise');
      if (isPointwise && producer.results[0].size === map.results[0].size) {
        producer.results.push(...map.results);
      } else if (isMapOfRows(map, producer, this.readBy(map, producers))) {
        const { earlier, entries } = producer.rows ?? { earlier: [], entries: [] };
        producer.rows = { earlier, entries: [...entries, ...map.results] };
      } else {
        continue;
      }
      for (const result of map.results) producers.set(result, producer);
      this.replace(map, producer);
    }
  }

  /**
   * Merges a reduction of rows into a later one of the same rows that needs only the results of its own row, as the variance
   * of a row needs its mean: a level less.
   */
  mergeReductions(): void {
    const graphResults = new Set([...this.graph.outputs.values(), ...this.graph.updates.values()]);
    let { producers, readers } = this.dataflow();
    for (const later of this.kernels.filter(isRowReduction).sort((a, b) => a.level - b.level)) {
      const latest = new Set(this.latestReads(later, producers).map(([tensor]) => producers.get(tensor)!));
      const [earlier] = latest;
      if (latest.size !== 1) continue;
      if (!canFollowInRow(later, earlier, this.readBy(later, producers))) continue;
      const isNeededElsewhere = (x: Tensor): boolean =>
        graphResults.has(x) || (readers.get(x) ?? []).some((reader) => reader !== later);
      const [before, after] = [earlier, later].map(({ rows }) => rows ?? { earlier: [], entries: [] });
      later.rows = {
        earlier: [...before.earlier, earlier.anchor!, ...after.earlier],
        entries: [...before.entries.filter(isNeededElsewhere), ...after.entries],
      };
      later.results.unshift(...earlier.results.filter(isNeededElsewhere));
      this.replace(earlier, later);
      this.assignLevels();
      ({ producers, readers } = this.dataflow());
    }
  }

  /** What a kernel reads of the latest of the kernels that it waits for. */
  private latestReads(kernel: Kernel, producers: ReadonlyMap<Tensor, Kernel>): [Tensor, Access][] {
    const reads = [...this.readsOf(kernel, producers)].filter(([tensor]) => producers.has(tensor));
    const latest = Math.max(-1, ...reads.map(([tensor]) => producers.get(tensor)!.level));
    return reads.filter(([tensor]) => producers.get(tensor)!.level === latest);
  }

  private replace(kernel: Kernel, by: Kernel): void {
    for (const [tensor, owner] of this.fusion.kernelOf) if (owner === kernel) this.fusion.kernelOf.set(tensor, by);
    this.kernels.splice(this.kernels.indexOf(kernel), 1);
  }

  /** Which kernel stores each tensor, what each kernel reads, and which kernels read each tensor. */
  private dataflow() {
    const producers = new Map(this.kernels.flatMap((kernel) => storedBy(kernel).map((tensor) => [tensor, kernel])));
    const reads = new Map(this.kernels.map((kernel) => [kernel, this.readsOf(kernel, producers)]));
    const readers = new Map<Tensor, Kernel[]>();
    for (const [kernel, read] of reads) {
      for (const tensor of read.keys()) {
        const list = readers.get(tensor);
        if (list === undefined) readers.set(tensor, [kernel]);
        else list.push(kernel);
      }
    }
    /** A sink stores only what no other kernel reads. */
    const isSink = (kernel: Kernel): boolean => storedBy(kernel).every((tensor) => !readers.has(tensor));
    return { producers, reads, readers, isSink };
  }

  private readsOf(kernel: Kernel, producers: ReadonlyMap<Tensor, Kernel>): Map<Tensor, Access> {
    return readsOf(kernel, this.readBy(kernel, producers));
  }

  private readBy(kernel: Kernel, producers: ReadonlyMap<Tensor, Kernel>): (tensor: Tensor) => boolean {
    return (tensor) => producers.has(tensor) && this.isRead(tensor, kernel);
  }

  private readonly isRead = (tensor: Tensor, kernel: Kernel): boolean =>
    this.fusion.kernelOf.get(tensor) !== kernel && (this.readersOf.get(tensor)?.has(kernel) ?? true);

  /** Moves sinks to the last level, where they run side by side, so that no earlier level has to wait for them. */
  deferSinks(): void {
    const { isSink } = this.dataflow();
    const last = Math.max(...this.kernels.map(({ level }) => level));
    for (const kernel of this.kernels) if (isSink(kernel)) kernel.level = last;
  }

  /**
   * Materialises expensive tensors that several levels use. The first level that uses one recomputes it, so that the chain
   * of levels does not grow; a map beside it stores the tensor for the later levels.
   */
  materialiseForLaterLevels(): void {
    const { order, users, kernelOf } = this.fusion;
    const { producers } = this.dataflow();
    /** The kernels that compute an inlined tensor. */
    const evaluators = new Map<Tensor, Set<Kernel>>();
    for (const node of order.toReversed()) {
      if (this.fusion.roleOf(node) === 'source' || kernelOf.has(node)) continue;
      const kernels = new Set<Kernel>();
      for (const user of users.get(node)!) {
        const kernelOfUser = kernelOf.get(user);
        for (const kernel of kernelOfUser === undefined ? evaluators.get(user)! : [kernelOfUser]) kernels.add(kernel);
      }
      evaluators.set(node, kernels);
      if (isRearrangement(node) || !this.isExpensive(node)) continue;
      const map: Kernel = { kind: 'map', results: [node], level: 0 };
      for (const tensor of this.readsOf(map, producers).keys()) {
        const producer = producers.get(tensor);
        if (producer !== undefined) map.level = Math.max(map.level, producer.level + 1);
      }
      const laterKernels = [...kernels].filter(({ level }) => level > map.level);
      if (laterKernels.length === 0) continue;
      for (const kernel of laterKernels) kernels.delete(kernel);
      kernels.add(map);
      this.readersOf.set(node, new Set(laterKernels));
      this.kernels.push(map);
    }
  }

  private isExpensive(node: Tensor): boolean {
    return node.size <= EXPENSIVE.entries && this.fusion.costOf(node) >= EXPENSIVE.operations;
  }

  /** Decides which state is updated in place, adds copies for the rest, and computes liveness. */
  finish(): Plan {
    const { graph } = this;
    const { producers, reads, readers, isSink } = this.dataflow();
    const updates = new Map<Tensor, string[]>();
    const copied: { result: Tensor; name: string }[] = [];
    for (const [name, result] of graph.updates) {
      const entry = graph.state.get(name)!;
      const kernel = producers.get(result)!;
      const otherReaders = (readers.get(entry) ?? []).filter((reader) => reader !== kernel);
      // In place only if the old value is not read any more: neither by the kernel itself at another entry, nor by one of
      // the same level or a later one. A sink can be moved behind those, since no kernel waits for it.
      const canRunLast =
        !otherReaders.some(isSink) && (isSink(kernel) || otherReaders.every(({ level }) => level < kernel.level));
      if (canRunLast && reads.get(kernel)!.get(entry) !== 'arbitrary') {
        updates.set(result, [...(updates.get(result) ?? []), name]);
        kernel.level = Math.max(kernel.level, ...otherReaders.map(({ level }) => level + 1));
      } else {
        copied.push({ result, name });
      }
    }
    const kernels = [...this.kernels];
    for (const { result, name } of copied) {
      const before = [producers.get(result)!, ...(readers.get(graph.state.get(name)!) ?? [])];
      const copy = copyOf(result);
      const kernel: Kernel = { kind: 'map', results: [copy], level: 1 + Math.max(...before.map(({ level }) => level)) };
      kernels.push(kernel);
      this.fusion.kernelOf.set(copy, kernel);
      producers.set(copy, kernel);
      updates.set(copy, [name]);
      readers.set(result, [...(readers.get(result) ?? []), kernel]);
    }
    const lastReads = new Map(
      [...readers]
        .filter(([tensor]) => producers.has(tensor))
        .map(([tensor, list]) => [tensor, Math.max(...list.map(({ level }) => level))]),
    );
    return { kernels, producers, updates, lastReads, isRead: this.isRead };
  }
}

/** Whether a kernel reads a tensor only at the entry that it computes, or at others too. */
type Access = 'pointwise' | 'arbitrary';

/** The leaves and materialised tensors that a kernel reads. */
function readsOf(kernel: Kernel, isRead: (tensor: Tensor) => boolean): Map<Tensor, Access> {
  const reads = new Map<Tensor, Access>();
  const visited = new Map<Tensor, Access>();
  const visit = (node: Tensor, access: Access): void => {
    const before = visited.get(node);
    if (before === access || before === 'arbitrary') return;
    visited.set(node, access);
    if (node.op.kind === 'leaf' || isRead(node)) {
      reads.set(node, access);
      return;
    }
    for (const input of node.inputs) {
      const isPointwise = isElementwise(node) ? sameShape(input.shape, node.shape) : node.op.kind === 'reshape';
      visit(input, isPointwise ? access : 'arbitrary');
    }
  };
  for (const tensor of storedBy(kernel)) visit(tensor, 'pointwise');
  return reads;
}
