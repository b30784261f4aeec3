/**
 * Rewrites a simplified graph into a form that a GPU computes well, before it is planned: scatters become sums, long sums
 * and products are split so that many workgroups share them, and sums that are added become one. The values stay the
 * same up to the order of additions.
 */
import { rewrite, withInputs } from '../graph.js';
import type { Graph } from '../graph.js';
import { sameShape, sizeOf } from '../shape.js';
import { concat, iota, select, stack } from '../tensor.js';
import type { Tensor } from '../tensor.js';
import { roleOf, sharesLeft } from './roles.js';

/** A sum of more terms than this is split into partial sums, so that many workgroups share it. */
const LONG = 2048;
/** About as many workgroups as a large GPU runs at a time. */
const CONCURRENT_GROUPS = 256;
/** Sums are joined across additions of up to this many terms. */
const MOST_TERMS = 16;
/** Parts of a product whose sum is inlined, so that it needs no kernel. */
const INLINED_PARTS = 16;
/** The shortest part of an inner dimension: a tile reads it in one or two steps. */
const SHORT_PART = 128;

export function prepare(graph: Graph): Graph {
  return rewrite(graph, (node, inputs) => rephrase(withInputs(node, inputs)));
}

function rephrase(node: Tensor): Tensor {
  switch (node.op.kind) {
    case 'scatterAdd':
      return rephrase(scatterAsSum(node, node.op.batchAxes));
    case 'sum':
      return withPartialSums(node, node.op.axes);
    case 'add':
      return joinSums(node);
    case 'slice':
      return sliceOfProduct(node, node.op.axis, node.op.start);
    case 'matmul':
      return (
        scaleAfterProduct(node, node.op.transA, node.op.transB) ?? splitProduct(node, node.op.transA, node.op.transB)
      );
    default:
      return node;
  }
}

/** Each row of the table sums the updates with its index, in a fixed order; atomic additions would not repeat exactly. */
function scatterAsSum(node: Tensor, batchAxes: number): Tensor {
  const [indices, updates] = node.inputs;
  const batch = node.shape.slice(0, batchAxes);
  const rows = node.shape[batchAxes];
  const width = sizeOf(node.shape.slice(batchAxes + 1));
  const hits = indices.reshape([...batch, -1, 1, 1]).equal(iota(rows).reshape([rows, 1]));
  return select(hits, updates.reshape([...batch, -1, 1, width]), 0)
    .sum(batchAxes)
    .reshape(node.shape);
}

function withPartialSums(node: Tensor, axes: readonly number[]): Tensor {
  const [x] = node.inputs;
  const count = x.size / node.size;
  const size = count > LONG ? divisorNear(count, Math.max(LONG / 2, Math.round(count / CONCURRENT_GROUPS))) : undefined;
  if (size === undefined || !areLast(axes, x.rank)) return node;
  return x
    .reshape([...node.shape, count / size, size])
    .sum(-1)
    .sum(-1);
}

/**
 * Rewrites sum(x) + ... + sum(y) as one sum over x and y, whatever is added in between. The norm of all gradients is then one
 * reduction, and so is the gradient of a preference that conditions every layer.
 */
function joinSums(node: Tensor): Tensor {
  const isAlike = (x: Tensor): boolean => sameShape(x.shape, node.shape);
  if (!node.inputs.every(isAlike)) return node;
  const termsOf = (x: Tensor): readonly Tensor[] =>
    x.op.kind === 'add' && x.inputs.every(isAlike) ? x.inputs.flatMap(termsOf) : (joinedTerms.get(x) ?? [x]);
  const terms = termsOf(node);
  const sums = terms.map(summed).filter((x) => x !== undefined);
  const extendsJoined = node.inputs.some((x) => joinedTerms.has(x));
  if ((sums.length < 2 && !extendsJoined) || terms.length > MOST_TERMS) return node;
  const flat = (x: Tensor): Tensor => x.reshape([...node.shape, -1]);
  const pieces = sums.flatMap((x) => (x.op.kind === 'concat' && x.op.axis === x.rank - 1 ? x.inputs : [x]));
  const joined = concat(pieces.map(flat), node.rank);
  if (joined.shape[node.rank] > 4 * LONG) return node;
  // Added in one step: in a chain of additions each would wait for the one before.
  const all = [joined.sum(-1), ...terms.filter((x) => summed(x) === undefined)];
  if (all.length === 1) return all[0];
  const total = stack(all).sum(0);
  joinedTerms.set(total, all);
  return total;
}

/** The terms of sums that were joined, so that a further addition can join them with more. */
const joinedTerms = new WeakMap<Tensor, readonly Tensor[]>();

/** The input of a sum over the last axes, also of one that was reshaped. */
function summed({ op, inputs }: Tensor): Tensor | undefined {
  if (op.kind === 'reshape') return summed(inputs[0]);
  return op.kind === 'sum' && areLast(op.axes, inputs[0].rank) ? inputs[0] : undefined;
}

function areLast(axes: readonly number[], rank: number): boolean {
  return axes.every((axis, i) => axis === rank - axes.length + i);
}

/**
 * Rewrites (s x) y as s (x y) where s has one number for each row, if the products of a batch then share their left operand:
 * a sum over them can be part of their epilogue.
 */
function scaleAfterProduct(node: Tensor, transA: boolean, transB: boolean): Tensor | undefined {
  const [a, b] = node.inputs;
  if (a.op.kind !== 'mul' || transA || sharesLeft(node)) return undefined;
  for (const [scale, x] of [a.inputs, a.inputs.toReversed()]) {
    if (scale.shape.at(-1) !== 1 || x.rank < 2 || x.shape.at(-1) !== a.shape.at(-1)) continue;
    const product = x.matmul(b, { transB });
    if (sameShape(product.shape, node.shape) && sharesLeft(product)) return product.mul(scale);
  }
  return undefined;
}

/** Splits the inner dimension of a product with few results, so that more workgroups share the work (split-K). */
function splitProduct(node: Tensor, transA: boolean, transB: boolean): Tensor {
  const [a, b] = node.inputs;
  const inner = a.shape[a.rank - (transA ? 2 : 1)];
  const [rows, columns] = node.shape.slice(-2);
  const tiles = (node.size / (rows * columns)) * Math.ceil(rows / 32) * Math.ceil(columns / 32);
  // The sum of a few parts is inlined; more of them would need a kernel.
  const least = inner / INLINED_PARTS <= LONG / 4 ? inner / INLINED_PARTS : 1;
  const wanted = inner < LONG ? SHORT_PART : Math.ceil(Math.max(least, (inner * tiles) / CONCURRENT_GROUPS));
  // A reduction has workgroups enough if it has one for each result.
  const hasGroups = roleOf(node) === 'reduce' && node.size >= CONCURRENT_GROUPS;
  const fewTiles = tiles <= CONCURRENT_GROUPS / (inner < LONG ? 16 : 2);
  const isSplit = !hasGroups && !sharesLeft(node) && inner >= 4 * SHORT_PART && fewTiles;
  const size = isSplit ? divisorNear(inner, wanted) : undefined;
  if (size === undefined) return node;
  const parts = inner / size;
  const cut = (x: Tensor, isInnerLast: boolean): Tensor => {
    const lead = x.shape.slice(0, -2);
    const [first, second] = x.shape.slice(-2);
    if (!isInnerLast) return x.reshape([...lead, parts, size, second]);
    const axes = lead.map((_, i) => i);
    const { length } = lead;
    return x.reshape([...lead, first, parts, size]).transpose([...axes, length + 1, length, length + 2]);
  };
  return cut(a, !transA).matmul(cut(b, transB), { transA, transB }).sum(-3);
}

/** Rewrites a slice of a product as the product with a slice of an operand. */
function sliceOfProduct(node: Tensor, axis: number, start: number): Tensor {
  const [product] = node.inputs;
  const { op, inputs, rank } = product;
  if (op.kind !== 'matmul' || axis < rank - 2) return node;
  const [a, b] = inputs;
  const { transA, transB } = op;
  const size = node.shape[axis];
  return axis === rank - 1
    ? a.matmul(b.slice(transB ? -2 : -1, start, size), { transA, transB })
    : a.slice(transA ? -1 : -2, start, size).matmul(b, { transA, transB });
}

/** The divisor of a count that is nearest to the wanted number, if there is one within a factor of two. */
function divisorNear(count: number, wanted: number): number | undefined {
  for (let distance = 0; distance < wanted; distance++) {
    for (const candidate of [wanted + distance, wanted - distance]) {
      if (candidate >= wanted / 2 && count % candidate === 0) return candidate;
    }
  }
  return undefined;
}
