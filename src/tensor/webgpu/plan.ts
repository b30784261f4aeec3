import { topological } from '../graph.js';
import type { Graph } from '../graph.js';
import { sameShape, sizeOf } from '../shape.js';
import { Tensor } from '../tensor.js';
import type { OpKind } from '../tensor.js';

/**
 * What a GPU runs: a loop over the entries of its results. Results that need one sum, maximum or matrix product are
 * computed around it (the anchor); everything else that they need is worked out where it is used.
 */
export interface Kernel {
  readonly kind: 'map' | 'reduce' | 'product';
  /** The sum, maximum or product at its heart; a map has none. */
  readonly anchor?: Tensor;
  /** A sum that follows a product and that the results are made of. */
  readonly fold?: Fold;
  /** What it stores; all have the same number of entries. */
  readonly results: Tensor[];
  /** Kernels of one level do not wait for each other; those of the next wait for all. */
  level: number;
}

/** A short sum over a batch axis of a product; a workgroup has all terms of an entry. */
export interface Fold {
  readonly sum: Tensor;
  readonly axis: number;
  /** What is stored of the terms, because others need it too. */
  readonly kept: readonly Tensor[];
}

export interface Plan {
  readonly kernels: readonly Kernel[];
  /** The kernel that makes a tensor which is kept in memory. */
  readonly makers: ReadonlyMap<Tensor, Kernel>;
  /** State entries by the tensor that is stored in them, in place. */
  readonly updates: ReadonlyMap<Tensor, readonly string[]>;
  /** Tensors that later kernels read, and the last level at which one does. */
  readonly lastReads: ReadonlyMap<Tensor, number>;
  /** Whether a kernel reads a tensor that another makes, rather than work it out itself because it cannot wait. */
  readonly isRead: (tensor: Tensor, kernel: Kernel) => boolean;
}

/** Sums of up to this many numbers are worked out where they are used. */
const SHORT_SUM = 16;
/** Likewise for matrix products with so short an inner dimension. */
const SHORT_PRODUCT = 4;
/** Likewise where there are few results, so that a kernel of their own would mostly be waiting. */
const SHORT_OF_FEW = { inner: 10, results: 4096 } as const;
/** And where all that is done with a product is to add it to another. */
const SHORT_ADDEND = 16;
/** Terms of a thin product that may be read without sharing them among results. */
const FEW_TERMS = 2e6;
/**
 * What may be worked out again rather than kept, in operations: a kernel more in the chain costs 4 us on a large GPU,
 * in which it could do about so many.
 */
const CHEAP_IN_TOTAL = 16e6;
/** And in operations for one entry, so that code stays small. */
const CHEAP_PER_ENTRY = 160;
/** Operations for one entry from which on it is kept for whoever comes later, where so few entries take no time to store. */
const DEAR = { operations: 12, entries: 65536 } as const;
/** Edge of a product's tile as far as planning cares: so many rows share what is read of the other operand. */
const TILE = 40;

const elementwise: ReadonlySet<OpKind> = new Set<OpKind>([
  ...(['neg', 'abs', 'exp', 'log', 'sqrt', 'tanh', 'relu', 'acos', 'cast', 'stopGradient'] as const),
  ...(['add', 'sub', 'mul', 'div', 'minimum', 'maximum', 'less', 'lessEqual', 'equal', 'select'] as const),
]);

type Role = 'source' | 'inline' | 'reduce' | 'product';

export function roleOf({ op, inputs, shape }: Tensor): Role {
  switch (op.kind) {
    case 'leaf':
    case 'constant':
      return 'source';
    case 'sum':
    case 'max':
    case 'argmax':
      return inputs[0].size / sizeOf(shape) <= SHORT_SUM ? 'inline' : 'reduce';
    case 'matmul': {
      const [rows, columns] = shape.slice(-2);
      const inner = innerOf(inputs[0], op.transA);
      if (inner <= SHORT_PRODUCT) return 'inline';
      if (inner <= SHORT_OF_FEW.inner && sizeOf(shape) <= SHORT_OF_FEW.results) return 'inline';
      // Too thin for tiles: each result on its own.
      const isThin = Math.min(rows, columns) <= 12 && inner >= 32 && !sharesLeft({ inputs, shape });
      return isThin && sizeOf(shape) * inner <= FEW_TERMS ? 'reduce' : 'product';
    }
    case 'scatterAdd':
      throw new Error('a scatter is planned as a sum');
    default:
      return 'inline';
  }
}

/** Whether a batch of products has one left operand, or a few: together they are one product with more columns. */
export function sharesLeft({ inputs: [left], shape }: Pick<Tensor, 'inputs' | 'shape'>): boolean {
  return sizeOf(left.shape.slice(0, -2)) < sizeOf(shape.slice(0, -2));
}

export function innerOf(left: Tensor, transA: boolean): number {
  return left.shape[left.rank - (transA ? 2 : 1)];
}

/** Constants that need no memory: one value everywhere, or each its own place. */
export function isLiteral({ op }: Tensor): boolean {
  if (op.kind !== 'constant') return false;
  const { values } = op;
  const isUniform = Number.isFinite(Math.fround(values[0])) && values.every((value) => Object.is(value, values[0]));
  return isUniform || isCount(values);
}

export function isCount(values: Float64Array): boolean {
  return values.every((value, i) => value === i);
}

export function plan(graph: Graph): Plan {
  const unfolded = new Set<Tensor>();
  for (;;) {
    const planner = new Planner(graph, unfolded);
    planner.growChains();
    planner.groupResults();
    planner.decide();
    const cycle = planner.setLevels();
    if (cycle.length === 0) {
      planner.joinFollowers();
      planner.setLevels();
      planner.putOff();
      planner.keepForLater();
      return planner.schedule();
    }
    // A product and a sum that follows it are two things in one kernel: they part where others need the one for the other.
    const folds = cycle.filter(({ fold }) => fold !== undefined);
    if (folds.length === 0) throw new Error('kernels wait for each other');
    for (const { anchor } of folds) unfolded.add(anchor!);
  }
}

class Planner {
  private readonly order: readonly Tensor[];
  private readonly users = new Map<Tensor, Tensor[]>();
  private readonly results: ReadonlySet<Tensor>;
  /** Short products that wait for another to be added to, as a term of low rank does. */
  private readonly addends: ReadonlySet<Tensor>;
  private readonly kernels: Kernel[] = [];
  /** The kernel that works a tensor out, for anchors, for what follows an anchor, and for results. */
  private readonly homes = new Map<Tensor, Kernel>();
  /** Kernels that read what was kept for them while others work it out themselves. */
  private readonly late = new Map<Tensor, ReadonlySet<Kernel>>();

  /** `unfolded` are products that leave a sum which follows them to another kernel. */
  constructor(
    private readonly graph: Graph,
    private readonly unfolded: ReadonlySet<Tensor>,
  ) {
    this.results = new Set([...graph.outputs.values(), ...graph.updates.values()]);
    this.order = topological(this.results);
    for (const node of this.order) {
      for (const input of new Set(node.inputs)) {
        const list = this.users.get(input);
        if (list === undefined) this.users.set(input, [node]);
        else list.push(node);
      }
    }
    this.addends = new Set(this.order.filter((node) => this.isAddend(node)));
  }

  private isAddend(node: Tensor): boolean {
    if (!isShortProduct(node) || this.results.has(node)) return false;
    const [user, ...others] = this.users.get(node)!;
    if (user.op.kind !== 'add' || others.length > 0) return false;
    const beside = user.inputs[user.inputs[0] === node ? 1 : 0];
    return beside.size === node.size && isAnchor(beside) && !isShortProduct(beside);
  }

  private roleOf(node: Tensor): Role {
    return this.addends.has(node) ? 'inline' : roleOf(node);
  }

  /** Operations for one entry, where everything that can be is worked out on the spot; a view is free. */
  private costOf(node: Tensor): number {
    const seen = new Map<Tensor, number>();
    const visit = (x: Tensor, times: number): void => {
      if ((seen.get(x) ?? 0) >= times) return;
      seen.set(x, times);
      if (this.roleOf(x) !== 'inline' || (x !== node && this.homes.has(x))) return;
      const terms =
        x.op.kind === 'matmul' ? innerOf(x.inputs[0], x.op.transA) : isReduction(x) ? x.inputs[0].size / x.size : 1;
      for (const input of x.inputs) visit(input, times * terms);
    };
    visit(node, 1);
    return [...seen].reduce((sum, [x, times]) => sum + (isView(x) || isLiteral(x) ? 0 : times), 0);
  }

  /** Each anchor takes what follows it entry by entry: bias, activation, mask. The last of several anchors takes it. */
  growChains(): void {
    for (const anchor of this.order.toReversed()) {
      const kind = this.roleOf(anchor);
      if (kind !== 'reduce' && kind !== 'product') continue;
      const chain = this.followers(anchor);
      const fold = kind === 'product' ? this.foldOf(anchor, chain.at(-1)!) : undefined;
      if (fold !== undefined) chain.push(...new Set([fold.sum.inputs[0], ...this.followers(fold.sum, anchor)]));
      const kernel: Kernel = { kind, anchor, results: [chain.at(-1)!], level: 0, ...(fold && { fold }) };
      for (const node of chain) this.homes.set(node, kernel);
      this.kernels.push(kernel);
    }
  }

  /** A tensor and what follows it entry by entry, as long as nothing else does, and an anchor is not needed some other way. */
  private followers(first: Tensor, anchor?: Tensor): Tensor[] {
    const chain = [first];
    for (let last = first; !this.results.has(last);) {
      const [user, ...others] = this.users.get(last)!;
      const follows = isElementwise(user) || user.op.kind === 'reshape';
      if (others.length > 0 || !follows || user.size !== last.size || this.homes.has(user)) break;
      if (anchor !== undefined && this.isNeeded(anchor, user, last)) break;
      last = user;
      chain.push(last);
    }
    return chain;
  }

  /** Whether a tensor is needed for another also by a way that does not lead through one of its inputs. */
  private isNeeded(tensor: Tensor, { inputs }: Tensor, way: Tensor): boolean {
    return topological(inputs.filter((input) => input !== way)).includes(tensor);
  }

  /** The sum over a batch axis of what a product ends with, or of multiples of that. */
  private foldOf(product: Tensor, last: Tensor): Fold | undefined {
    if (this.unfolded.has(product) || this.results.has(last)) return undefined;
    if (!sameShape(last.shape, product.shape) || !sharesLeft(product)) return undefined;
    const isTerm = (x: Tensor): boolean =>
      isElementwise(x) && sameShape(x.shape, last.shape) && !this.results.has(x) && !this.homes.has(x);
    const users = this.users.get(last)!;
    const sums = users.flatMap((user) => {
      const after = isTerm(user) ? this.users.get(user)! : [user];
      const [sum] = after;
      return after.length === 1 && sum.op.kind === 'sum' && !this.homes.has(sum) ? [{ sum, axes: sum.op.axes }] : [];
    });
    if (sums.length !== 1 || sums[0].axes.length !== 1) return undefined;
    const [{ sum, axes }] = sums;
    const [axis] = axes;
    const { rank, inputs, shape } = product;
    const [left] = inputs;
    const isShared = (left.shape[left.rank - rank + axis] ?? 1) === 1;
    if (axis >= rank - 2 || !isShared || shape[axis] === 1 || shape[axis] > SHORT_SUM) return undefined;
    if (sum.inputs[0] !== last && this.isNeeded(product, sum.inputs[0], last)) return undefined;
    return { sum, axis, kept: users.length > 1 ? [last] : [] };
  }

  /** Results that are worked out from the same things entry by entry, an optimiser's say, share a kernel. */
  groupResults(): void {
    const groups: { results: Tensor[]; island: Set<Tensor> }[] = [];
    for (const result of this.results) {
      if (this.homes.has(result)) continue;
      const island = this.island(result);
      const related = groups.filter(
        (group) =>
          sameShape(group.results[0].shape, result.shape) &&
          [...island].some((node) => group.island.has(node)) &&
          !this.depend([...group.results, result], new Set([...group.island, ...island])),
      );
      const [group] = related;
      if (related.length === 0) {
        groups.push({ results: [result], island });
      } else {
        group.results.push(result);
        for (const node of island) group.island.add(node);
      }
    }
    for (const { results } of groups) this.addMap(results);
  }

  /** What a result is made of entry by entry, state that it reads so included. */
  private island(result: Tensor): Set<Tensor> {
    const island = new Set<Tensor>();
    const visit = (node: Tensor): void => {
      if (island.has(node) || !sameShape(node.shape, result.shape) || node.op.kind === 'constant') return;
      if (node.op.kind !== 'leaf' && (!isElementwise(node) || this.homes.has(node))) return;
      island.add(node);
      node.inputs.forEach(visit);
    };
    visit(result);
    return island;
  }

  /** Whether one of some results is needed, by way of another kernel, for another of them. */
  private depend(results: readonly Tensor[], island: ReadonlySet<Tensor>): boolean {
    const outside = [...island].flatMap((node) => node.inputs).filter((input) => !island.has(input));
    const needed = new Set(topological(outside));
    return results.some((result) => needed.has(result));
  }

  private addMap(results: Tensor[]): void {
    const kernel: Kernel = { kind: 'map', results, level: 0 };
    for (const result of results) this.homes.set(result, kernel);
    this.kernels.push(kernel);
  }

  /** From the results back: what is dear and needed more than once is kept, everything else worked out where it is used. */
  decide(): void {
    /** How often a tensor that is not kept is worked out, by kernel. */
    const times = new Map<Tensor, Map<Kernel, number>>();
    for (const node of this.order.toReversed()) {
      if (this.roleOf(node) === 'source' || this.homes.has(node)) continue;
      const entryByEntry = new Map<Kernel, number>();
      const other = new Map<Kernel, number>();
      for (const user of this.users.get(node)!) {
        const home = this.homes.get(user);
        const evaluations = home === undefined ? times.get(user)! : new Map([[home, user.size]]);
        const isSame = isElementwise(user) && sameShape(user.shape, node.shape);
        for (const [kernel, count] of evaluations) {
          // Worked out once for all users that want the same entry.
          if (isSame) entryByEntry.set(kernel, Math.max(count, entryByEntry.get(kernel) ?? 0));
          else other.set(kernel, (other.get(kernel) ?? 0) + usesOf(node, user, this.roleOf(user), count));
        }
      }
      const all = new Map(
        [...new Set([...entryByEntry.keys(), ...other.keys()])].map((kernel) => [
          kernel,
          (entryByEntry.get(kernel) ?? 0) + (other.get(kernel) ?? 0),
        ]),
      );
      const total = [...all.values()].reduce((sum, count) => sum + count, 0);
      const isOnce = all.size === 1 && total <= node.size;
      const cost = isOnce ? 0 : this.costOf(node);
      const isCheap = cost <= CHEAP_PER_ENTRY && cost * (total - node.size) <= CHEAP_IN_TOTAL;
      // Two reads are no dearer than one of something that was kept; and it is what a view shows that is kept.
      if (isOnce || isCheap || cost <= 2 || isRearranged(node)) times.set(node, all);
      else this.addMap([node]);
    }
  }

  /** Sets the level of each kernel; gives kernels that wait for each other, if there are any, and then no levels. */
  setLevels(): readonly Kernel[] {
    const { makers, reads } = this.connections();
    for (const kernel of this.kernels) kernel.level = 0;
    const done = new Set<Kernel>();
    const way: Kernel[] = [];
    const visit = (kernel: Kernel): readonly Kernel[] => {
      if (way.includes(kernel)) return way.slice(way.indexOf(kernel));
      if (done.has(kernel)) return [];
      done.add(kernel);
      way.push(kernel);
      for (const tensor of reads.get(kernel)!.keys()) {
        const maker = makers.get(tensor);
        if (maker === undefined) continue;
        const cycle = visit(maker);
        if (cycle.length > 0) return cycle;
        kernel.level = Math.max(kernel.level, maker.level + 1);
      }
      way.pop();
      return [];
    };
    for (const kernel of this.kernels) {
      const cycle = visit(kernel);
      if (cycle.length > 0) return cycle;
    }
    return [];
  }

  /** A map that only waits for one kernel, entry by entry, becomes part of it: one round less. */
  joinFollowers(): void {
    const { makers } = this.connections();
    for (const map of this.kernels.filter(({ kind }) => kind === 'map').sort((a, b) => a.level - b.level)) {
      const read = [...this.readsOf(map, makers)].filter(([tensor]) => makers.has(tensor));
      const latest = Math.max(-1, ...read.map(([tensor]) => makers.get(tensor)!.level));
      const last = read.filter(([tensor]) => makers.get(tensor)!.level === latest);
      const leaders = new Set(last.map(([tensor]) => makers.get(tensor)!));
      const [leader] = leaders;
      const isHere = last.every(([, where]) => where === 'here');
      if (leaders.size !== 1 || !isHere || leader.results[0].size !== map.results[0].size) continue;
      for (const result of map.results) {
        leader.results.push(result);
        makers.set(result, leader);
        this.homes.set(result, leader);
      }
      this.kernels.splice(this.kernels.indexOf(map), 1);
    }
  }

  /** Who makes what, who reads what, and who makes what nobody reads. */
  private connections() {
    const makers = new Map(this.kernels.flatMap((kernel) => storedBy(kernel).map((tensor) => [tensor, kernel])));
    const reads = new Map(this.kernels.map((kernel) => [kernel, this.readsOf(kernel, makers)]));
    const readers = new Map<Tensor, Kernel[]>();
    for (const [kernel, read] of reads) {
      for (const tensor of read.keys()) {
        const list = readers.get(tensor);
        if (list === undefined) readers.set(tensor, [kernel]);
        else list.push(kernel);
      }
    }
    const isLast = (kernel: Kernel): boolean => storedBy(kernel).every((tensor) => !readers.has(tensor));
    return { makers, reads, readers, isLast };
  }

  private readsOf(kernel: Kernel, makers: ReadonlyMap<Tensor, Kernel>): Map<Tensor, Where> {
    return readsOf(kernel, (x) => makers.has(x) && this.isRead(x, kernel));
  }

  private readonly isRead = (tensor: Tensor, kernel: Kernel): boolean =>
    this.homes.get(tensor) !== kernel && (this.late.get(tensor)?.has(kernel) ?? true);

  /** What nobody waits for runs at the end, side by side, rather than have the next level wait. */
  putOff(): void {
    const { isLast } = this.connections();
    const end = Math.max(...this.kernels.map(({ level }) => level));
    for (const kernel of this.kernels) if (isLast(kernel)) kernel.level = end;
  }

  /** What is worked out where it is first needed, so that nobody waits for it, is kept for those who need it later. */
  keepForLater(): void {
    const { makers } = this.connections();
    const evaluators = new Map<Tensor, Set<Kernel>>();
    for (const node of this.order.toReversed()) {
      if (this.roleOf(node) === 'source' || this.homes.has(node)) continue;
      const kernels = new Set<Kernel>();
      for (const user of this.users.get(node)!) {
        const home = this.homes.get(user);
        for (const kernel of home === undefined ? evaluators.get(user)! : [home]) kernels.add(kernel);
      }
      evaluators.set(node, kernels);
      if (isRearranged(node) || node.size > DEAR.entries || this.costOf(node) < DEAR.operations) continue;
      const map: Kernel = { kind: 'map', results: [node], level: 0 };
      for (const tensor of this.readsOf(map, makers).keys()) {
        const maker = makers.get(tensor);
        if (maker !== undefined) map.level = Math.max(map.level, maker.level + 1);
      }
      const late = [...kernels].filter(({ level }) => level > map.level);
      if (late.length === 0) continue;
      for (const kernel of late) kernels.delete(kernel);
      kernels.add(map);
      this.late.set(node, new Set(late));
      this.kernels.push(map);
    }
  }

  schedule(): Plan {
    const { graph } = this;
    const { makers, reads, readers, isLast } = this.connections();
    const updates = new Map<Tensor, string[]>();
    const copied: { result: Tensor; name: string }[] = [];
    for (const [name, result] of graph.updates) {
      const entry = graph.state.get(name)!;
      const kernel = makers.get(result)!;
      const others = (readers.get(entry) ?? []).filter((reader) => reader !== kernel);
      // Nobody may still read the old value: not its own kernel at another entry, nor one that runs beside or after it.
      // A kernel that nobody waits for can wait for those.
      const canWait = !others.some(isLast) && (isLast(kernel) || others.every(({ level }) => level < kernel.level));
      if (canWait && reads.get(kernel)!.get(entry) !== 'elsewhere') {
        updates.set(result, [...(updates.get(result) ?? []), name]);
        kernel.level = Math.max(kernel.level, ...others.map(({ level }) => level + 1));
      } else {
        copied.push({ result, name });
      }
    }
    const kernels = [...this.kernels];
    for (const { result, name } of copied) {
      const before = [makers.get(result)!, ...(readers.get(graph.state.get(name)!) ?? [])];
      const copy = identity(result);
      const kernel: Kernel = { kind: 'map', results: [copy], level: 1 + Math.max(...before.map(({ level }) => level)) };
      kernels.push(kernel);
      this.homes.set(copy, kernel);
      makers.set(copy, kernel);
      updates.set(copy, [name]);
      readers.set(result, [...(readers.get(result) ?? []), kernel]);
    }
    const lastReads = new Map(
      [...readers]
        .filter(([tensor]) => makers.has(tensor))
        .map(([tensor, list]) => [tensor, Math.max(...list.map(({ level }) => level))]),
    );
    return { kernels, makers, updates, lastReads, isRead: this.isRead };
  }
}

/** Products of a batch that a kernel adds up as it makes them. */
export function foldedBy({ anchor, fold }: Kernel): number {
  return fold === undefined ? 1 : anchor!.shape[fold.axis];
}

export function storedBy({ fold, results }: Kernel): readonly Tensor[] {
  return fold === undefined ? results : [...fold.kept, ...results];
}

/** The same values under another name. */
export function identity(x: Tensor): Tensor {
  return new Tensor({ kind: 'stopGradient' }, [x], x.shape, x.dtype);
}

function isAnchor(x: Tensor): boolean {
  return roleOf(x) === 'product' || roleOf(x) === 'reduce';
}

function isShortProduct({ op, inputs }: Tensor): boolean {
  return op.kind === 'matmul' && innerOf(inputs[0], op.transA) <= SHORT_ADDEND;
}

function isReduction({ op }: Tensor): boolean {
  return op.kind === 'sum' || op.kind === 'max' || op.kind === 'argmax';
}

function isView({ op }: Tensor): boolean {
  return ['reshape', 'transpose', 'slice', 'broadcast', 'concat', 'gather', 'stopGradient'].includes(op.kind);
}

/** Whether a tensor has the entries of another, each once or more often. */
function isRearranged({ op }: Tensor): boolean {
  return op.kind === 'reshape' || op.kind === 'transpose' || op.kind === 'broadcast';
}

function isElementwise({ op }: Tensor): boolean {
  return elementwise.has(op.kind);
}

/** How often an input is worked out where its user is worked out so many times. */
function usesOf(input: Tensor, user: Tensor, role: Role, count: number): number {
  const { op, inputs, shape } = user;
  switch (op.kind) {
    case 'concat':
      return (count * input.size) / user.size;
    case 'sum':
    case 'max':
    case 'argmax':
      return count * (input.size / user.size);
    case 'matmul': {
      const inner = innerOf(inputs[0], op.transA);
      if (role !== 'product') return count * inner;
      const [rows, columns] = shape.slice(-2);
      return (count * inner) / Math.min(TILE, input === inputs[0] ? columns : rows);
    }
    default:
      return count;
  }
}

/** Whether a kernel reads a tensor only at the entry that it is working out, or elsewhere too. */
type Where = 'here' | 'elsewhere';

function readsOf(kernel: Kernel, isRead: (tensor: Tensor) => boolean): Map<Tensor, Where> {
  const reads = new Map<Tensor, Where>();
  const seen = new Map<Tensor, Where>();
  const visit = (node: Tensor, where: Where): void => {
    const before = seen.get(node);
    if (before === where || before === 'elsewhere') return;
    seen.set(node, where);
    if (node.op.kind === 'leaf' || isRead(node)) {
      reads.set(node, where);
      return;
    }
    for (const input of node.inputs) {
      const isSame = isElementwise(node) ? sameShape(input.shape, node.shape) : node.op.kind === 'reshape';
      visit(input, isSame ? where : 'elsewhere');
    }
  };
  for (const tensor of storedBy(kernel)) visit(tensor, 'here');
  return reads;
}
