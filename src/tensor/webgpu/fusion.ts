/**
 * Operator fusion: decides which kernels compute a graph. Every reduction or matrix product starts a kernel and takes the
 * elementwise operations behind it as its epilogue; results of one shape that share work are fused into one kernel. A
 * remaining tensor is materialised, that is stored by a kernel of its own, only where recomputing it wherever it is used
 * would cost more. `plan.ts` then orders the kernels.
 */
import { topological } from '../graph.js';
import type { Graph } from '../graph.js';
import { sameShape } from '../shape.js';
import type { Tensor } from '../tensor.js';
import type { EpilogueSum, Kernel } from './kernel.js';
import {
  INLINE_SUM,
  innerOf,
  isAnchor,
  isElementwise,
  isInlineAddend,
  isLiteral,
  isRearrangement,
  isReduction,
  isView,
  roleOf,
  sharesLeft,
} from './roles.js';
import type { Role } from './roles.js';

/**
 * Operations that may be spent on recomputing a tensor, over all its entries: one more kernel in the chain takes 4 us on
 * a large GPU, in which it could do about as many.
 */
const RECOMPUTE_TOTAL = 16e6;
/** And operations for one of its entries, so that the code stays small. */
const RECOMPUTE_PER_ENTRY = 160;
/** Rows of a product that share what is read of its other operand, as far as planning is concerned. */
const TILE = 40;

export class Fusion {
  /** All tensors of the graph in topological order. */
  readonly order: readonly Tensor[];
  readonly users = new Map<Tensor, Tensor[]>();
  readonly kernels: Kernel[] = [];
  /** The kernel that computes a tensor: for anchors, the operations of their epilogues, and all that is materialised. */
  readonly kernelOf = new Map<Tensor, Kernel>();
  private readonly results: ReadonlySet<Tensor>;
  /** Short products that are inlined into the epilogue of the product they are added to. */
  private readonly inlinedAddends: ReadonlySet<Tensor>;

  /** `separated` are products whose epilogue must not contain a sum of them. */
  constructor(
    graph: Graph,
    private readonly separated: ReadonlySet<Tensor>,
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
    this.inlinedAddends = new Set(this.order.filter((node) => this.isOnlyAddedToProduct(node)));
    this.fuseEpilogues();
    this.fuseResults();
    this.materialise();
  }

  private isOnlyAddedToProduct(node: Tensor): boolean {
    if (!isInlineAddend(node) || this.results.has(node)) return false;
    const [user, ...others] = this.users.get(node)!;
    if (user.op.kind !== 'add' || others.length > 0) return false;
    const other = user.inputs[user.inputs[0] === node ? 1 : 0];
    return other.size === node.size && isAnchor(other) && !isInlineAddend(other);
  }

  roleOf(node: Tensor): Role {
    return this.inlinedAddends.has(node) ? 'inline' : roleOf(node);
  }

  /** Operations for one entry of a tensor when everything that can be inlined is; views are free. */
  costOf(node: Tensor): number {
    const evaluations = new Map<Tensor, number>();
    const visit = (x: Tensor, count: number): void => {
      if ((evaluations.get(x) ?? 0) >= count) return;
      evaluations.set(x, count);
      if (this.roleOf(x) !== 'inline' || (x !== node && this.kernelOf.has(x))) return;
      const terms =
        x.op.kind === 'matmul' ? innerOf(x.inputs[0], x.op.transA) : isReduction(x) ? x.inputs[0].size / x.size : 1;
      for (const input of x.inputs) visit(input, count * terms);
    };
    visit(node, 1);
    return [...evaluations].reduce((sum, [x, count]) => sum + (isView(x) || isLiteral(x) ? 0 : count), 0);
  }

  /**
   * Gives each anchor the elementwise operations behind it, such as bias, activation and mask, as its epilogue. Where an
   * operation combines several anchors, it goes to the last of them in topological order.
   */
  private fuseEpilogues(): void {
    for (const anchor of this.order.toReversed()) {
      const kind = this.roleOf(anchor);
      if (kind !== 'reduce' && kind !== 'product') continue;
      const fused = this.epilogueOf(anchor);
      const epilogueSum = kind === 'product' ? this.epilogueSumOf(anchor, fused.at(-1)!) : undefined;
      if (epilogueSum !== undefined) {
        const { sum } = epilogueSum;
        fused.push(...new Set([sum.inputs[0], ...this.epilogueOf(sum, anchor)]));
      }
      const kernel: Kernel = { kind, anchor, results: [fused.at(-1)!], level: 0, ...(epilogueSum && { epilogueSum }) };
      for (const node of fused) this.kernelOf.set(node, kernel);
      this.kernels.push(kernel);
    }
  }

  /**
   * A tensor and the chain of elementwise operations behind it, as long as each has one user. The chain ends before an
   * operation that depends on `anchor` in another way too, which would need the whole of it.
   */
  private epilogueOf(first: Tensor, anchor?: Tensor): Tensor[] {
    const chain = [first];
    for (let last = first; !this.results.has(last);) {
      const [user, ...others] = this.users.get(last)!;
      const isFusible = isElementwise(user) || user.op.kind === 'reshape';
      if (others.length > 0 || !isFusible || user.size !== last.size || this.kernelOf.has(user)) break;
      if (anchor !== undefined && this.dependsOtherwise(user, anchor, last)) break;
      last = user;
      chain.push(last);
    }
    return chain;
  }

  /** Whether an operation depends on a tensor through another of its inputs than the given one. */
  private dependsOtherwise({ inputs }: Tensor, tensor: Tensor, given: Tensor): boolean {
    return topological(inputs.filter((input) => input !== given)).includes(tensor);
  }

  /** The sum over a batch axis of the end of a product's epilogue, or of one more elementwise operation on that. */
  private epilogueSumOf(product: Tensor, last: Tensor): EpilogueSum | undefined {
    if (this.separated.has(product) || this.results.has(last)) return undefined;
    if (!sameShape(last.shape, product.shape) || !sharesLeft(product)) return undefined;
    const isTerm = (x: Tensor): boolean =>
      isElementwise(x) && sameShape(x.shape, last.shape) && !this.results.has(x) && !this.kernelOf.has(x);
    const users = this.users.get(last)!;
    const sums = users.flatMap((user) => {
      const next = isTerm(user) ? this.users.get(user)! : [user];
      const [sum] = next;
      return next.length === 1 && sum.op.kind === 'sum' && !this.kernelOf.has(sum) ? [{ sum, axes: sum.op.axes }] : [];
    });
    if (sums.length !== 1 || sums[0].axes.length !== 1) return undefined;
    const [{ sum, axes }] = sums;
    const [axis] = axes;
    const { rank, inputs, shape } = product;
    const [left] = inputs;
    const isShared = (left.shape[left.rank - rank + axis] ?? 1) === 1;
    if (axis >= rank - 2 || !isShared || shape[axis] === 1 || shape[axis] > INLINE_SUM) return undefined;
    if (sum.inputs[0] !== last && this.dependsOtherwise(sum.inputs[0], product, last)) return undefined;
    return { sum, axis, storedTerms: users.length > 1 ? [last] : [] };
  }

  /** Fuses results that are elementwise functions of the same tensors, such as an optimiser's, into one kernel. */
  private fuseResults(): void {
    const groups: { results: Tensor[]; region: Set<Tensor> }[] = [];
    for (const result of this.results) {
      if (this.kernelOf.has(result)) continue;
      const region = this.elementwiseRegion(result);
      const group = groups.find(
        (candidate) =>
          sameShape(candidate.results[0].shape, result.shape) &&
          [...region].some((node) => candidate.region.has(node)) &&
          !this.wouldCycle([...candidate.results, result], new Set([...candidate.region, ...region])),
      );
      if (group === undefined) {
        groups.push({ results: [result], region });
      } else {
        group.results.push(result);
        for (const node of region) group.region.add(node);
      }
    }
    for (const { results } of groups) this.addMap(results);
  }

  /** The tensors of a result's shape that it is an elementwise function of, state among them. */
  private elementwiseRegion(result: Tensor): Set<Tensor> {
    const region = new Set<Tensor>();
    const visit = (node: Tensor): void => {
      if (region.has(node) || !sameShape(node.shape, result.shape) || node.op.kind === 'constant') return;
      if (node.op.kind !== 'leaf' && (!isElementwise(node) || this.kernelOf.has(node))) return;
      region.add(node);
      node.inputs.forEach(visit);
    };
    visit(result);
    return region;
  }

  /** Whether a kernel with these results would wait for itself: one of them is needed outside its region for another. */
  private wouldCycle(results: readonly Tensor[], region: ReadonlySet<Tensor>): boolean {
    const outside = [...region].flatMap((node) => node.inputs).filter((input) => !region.has(input));
    const needed = new Set(topological(outside));
    return results.some((result) => needed.has(result));
  }

  private addMap(results: Tensor[]): void {
    const kernel: Kernel = { kind: 'map', results, level: 0 };
    for (const result of results) this.kernelOf.set(result, kernel);
    this.kernels.push(kernel);
  }

  /** Goes from the results back: what is expensive and used more than once is materialised, all else is inlined. */
  private materialise(): void {
    /** How often each kernel would evaluate entries of an inlined tensor. */
    const evaluationsOf = new Map<Tensor, Map<Kernel, number>>();
    for (const node of this.order.toReversed()) {
      if (this.roleOf(node) === 'source' || this.kernelOf.has(node)) continue;
      const pointwise = new Map<Kernel, number>();
      const other = new Map<Kernel, number>();
      for (const user of this.users.get(node)!) {
        const kernelOfUser = this.kernelOf.get(user);
        const ofUser = kernelOfUser === undefined ? evaluationsOf.get(user)! : new Map([[kernelOfUser, user.size]]);
        const isPointwise = isElementwise(user) && sameShape(user.shape, node.shape);
        for (const [kernel, count] of ofUser) {
          // An entry is evaluated once for all users in a kernel that need the same one.
          if (isPointwise) pointwise.set(kernel, Math.max(count, pointwise.get(kernel) ?? 0));
          else other.set(kernel, (other.get(kernel) ?? 0) + evaluationsOfInput(node, user, this.roleOf(user), count));
        }
      }
      const evaluations = new Map(
        [...new Set([...pointwise.keys(), ...other.keys()])].map((kernel) => [
          kernel,
          (pointwise.get(kernel) ?? 0) + (other.get(kernel) ?? 0),
        ]),
      );
      const total = [...evaluations.values()].reduce((sum, count) => sum + count, 0);
      const isUsedOnce = evaluations.size === 1 && total <= node.size;
      const cost = isUsedOnce ? 0 : this.costOf(node);
      const isCheap = cost <= RECOMPUTE_PER_ENTRY && cost * (total - node.size) <= RECOMPUTE_TOTAL;
      // Two reads take no longer than one of a materialised tensor. Of a rearrangement, its input is materialised.
      if (isUsedOnce || isCheap || cost <= 2 || isRearrangement(node)) evaluationsOf.set(node, evaluations);
      else this.addMap([node]);
    }
  }
}

/** How many entries of an input are evaluated where `count` entries of its user are. */
function evaluationsOfInput(input: Tensor, user: Tensor, role: Role, count: number): number {
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
