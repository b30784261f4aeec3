import { rewrite, withInputs } from '../graph.js';
import type { Graph } from '../graph.js';
import { sameShape, sizeOf } from '../shape.js';
import { concat, iota, select, stack } from '../tensor.js';
import type { Tensor } from '../tensor.js';
import { roleOf, sharesLeft } from './roles.js';

/** A sum of more numbers than this is taken in two rounds, so that many workgroups share it. */
const LONG = 2048;
/** About as many workgroups as a large GPU runs at a time. */
const PARTS = 256;
/** Things that are added to each other and looked at together. */
const MOST_TERMS = 16;
/** Parts whose sum is no kernel of its own. */
const FEW_PARTS = 16;
/** Terms that a tile brings in at a time or two, so that a workgroup seldom waits. */
const SHORT_PART = 128;

/** The same graph in the form that suits a GPU: no serial scatter, and no sum or product that one workgroup would do alone. */
export function prepare(graph: Graph): Graph {
  return rewrite(graph, (node, inputs) => rephrase(withInputs(node, inputs)));
}

function rephrase(node: Tensor): Tensor {
  switch (node.op.kind) {
    case 'scatterAdd':
      return rephrase(scatterAsSum(node, node.op.batchAxes));
    case 'sum':
      return inTwoRounds(node, node.op.axes);
    case 'add':
      return sumsJoined(node);
    case 'slice':
      return sliceOfProduct(node, node.op.axis, node.op.start);
    case 'matmul':
      return scaledAfter(node, node.op.transA, node.op.transB) ?? splitProduct(node, node.op.transA, node.op.transB);
    default:
      return node;
  }
}

/** Every row of the table adds up the updates that name it: the same order on every run, which atomic additions are not. */
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

function inTwoRounds(node: Tensor, axes: readonly number[]): Tensor {
  const [x] = node.inputs;
  const count = x.size / node.size;
  const size = count > LONG ? divisorNear(count, Math.max(LONG / 2, Math.round(count / PARTS))) : undefined;
  if (size === undefined || !areLast(axes, x.rank)) return node;
  return x
    .reshape([...node.shape, count / size, size])
    .sum(-1)
    .sum(-1);
}

/**
 * sum(x) + sum(y) as one sum over both, also where other things are added in between: the norm of all gradients is then one
 * short reduction, and so is what all layers have to say about a preference.
 */
function sumsJoined(node: Tensor): Tensor {
  const isAlike = (x: Tensor): boolean => sameShape(x.shape, node.shape);
  if (!node.inputs.every(isAlike)) return node;
  const termsOf = (x: Tensor): readonly Tensor[] =>
    x.op.kind === 'add' && x.inputs.every(isAlike) ? x.inputs.flatMap(termsOf) : (sideBySide.get(x) ?? [x]);
  const terms = termsOf(node);
  const sums = terms.map(summed).filter((x) => x !== undefined);
  const isBegun = node.inputs.some((x) => sideBySide.has(x));
  if ((sums.length < 2 && !isBegun) || terms.length > MOST_TERMS) return node;
  const flat = (x: Tensor): Tensor => x.reshape([...node.shape, -1]);
  const pieces = sums.flatMap((x) => (x.op.kind === 'concat' && x.op.axis === x.rank - 1 ? x.inputs : [x]));
  const joined = concat(pieces.map(flat), node.rank);
  if (joined.shape[node.rank] > 4 * LONG) return node;
  // Side by side: one after the other, each would wait for the one before.
  const all = [joined.sum(-1), ...terms.filter((x) => summed(x) === undefined)];
  if (all.length === 1) return all[0];
  const total = stack(all).sum(0);
  sideBySide.set(total, all);
  return total;
}

/** What was added up in that way, to be taken apart again where more is added to it. */
const sideBySide = new WeakMap<Tensor, readonly Tensor[]>();

/** What a tensor is the sum of, under whatever shape, where that is over whole last axes. */
function summed({ op, inputs }: Tensor): Tensor | undefined {
  if (op.kind === 'reshape') return summed(inputs[0]);
  return op.kind === 'sum' && areLast(op.axes, inputs[0].rank) ? inputs[0] : undefined;
}

function areLast(axes: readonly number[], rank: number): boolean {
  return axes.every((axis, i) => axis === rank - axes.length + i);
}

/**
 * (s x) y is s (x y) where s has a number for each row. If that leaves a batch of products with one left operand, their sum
 * can follow at once.
 */
function scaledAfter(node: Tensor, transA: boolean, transB: boolean): Tensor | undefined {
  const [a, b] = node.inputs;
  if (a.op.kind !== 'mul' || transA || sharesLeft(node)) return undefined;
  for (const [scale, x] of [a.inputs, a.inputs.toReversed()]) {
    if (scale.shape.at(-1) !== 1 || x.rank < 2 || x.shape.at(-1) !== a.shape.at(-1)) continue;
    const product = x.matmul(b, { transB });
    if (sameShape(product.shape, node.shape) && sharesLeft(product)) return product.mul(scale);
  }
  return undefined;
}

/** A product with few results of many terms each: parts of the inner dimension side by side, added up afterwards. */
function splitProduct(node: Tensor, transA: boolean, transB: boolean): Tensor {
  const [a, b] = node.inputs;
  const inner = a.shape[a.rank - (transA ? 2 : 1)];
  const [rows, columns] = node.shape.slice(-2);
  const tiles = (node.size / (rows * columns)) * Math.ceil(rows / 32) * Math.ceil(columns / 32);
  // A few parts are added up where their sum is used; more of them would take a round of their own.
  const least = inner / FEW_PARTS <= LONG / 4 ? inner / FEW_PARTS : 1;
  const wanted = inner < LONG ? SHORT_PART : Math.ceil(Math.max(least, (inner * tiles) / PARTS));
  // A reduction has a workgroup for each result.
  const isShared = roleOf(node) === 'reduce' && node.size >= PARTS;
  const isSplit = !isShared && !sharesLeft(node) && inner >= 4 * SHORT_PART && tiles <= PARTS / (inner < LONG ? 16 : 2);
  const size = isSplit ? divisorNear(inner, wanted) : undefined;
  if (size === undefined) return node;
  const parts = inner / size;
  const cut = (x: Tensor, isInnerLast: boolean): Tensor => {
    const lead = x.shape.slice(0, -2);
    const [first, second] = x.shape.slice(-2);
    if (!isInnerLast) return x.reshape([...lead, parts, size, second]);
    const axes = lead.map((_, i) => i);
    const at = lead.length;
    return x.reshape([...lead, first, parts, size]).transpose([...axes, at + 1, at, at + 2]);
  };
  return cut(a, !transA).matmul(cut(b, transB), { transA, transB }).sum(-3);
}

/** Part of a product is the product with part of an operand. */
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

/** The divisor of a number that is nearest to another, within a factor of two. */
function divisorNear(count: number, wanted: number): number | undefined {
  for (let distance = 0; distance < wanted; distance++) {
    for (const candidate of [wanted + distance, wanted - distance]) {
      if (candidate >= wanted / 2 && count % candidate === 0) return candidate;
    }
  }
  return undefined;
}
