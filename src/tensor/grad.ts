/**
 * Reverse-mode differentiation. It goes through the graph of a loss from the end and adds, for each operation, the operations
 * that compute its adjoint, so the gradient is part of the same graph and is simplified and compiled with it.
 */
import { topological } from './graph.js';
import { mapTensors, tensorsOf } from './sets.js';
import { format, padRank, sameShape, ShapeError } from './shape.js';
import type { Shape } from './shape.js';
import { concat, constant, scatterAdd, select, Tensor, zeros } from './tensor.js';
import type { MapTree, Tree } from './tree.js';

/** d loss / d variable for each variable of a tree. The result can be differentiated again. */
export function grad<T extends Tree<Tensor>>(loss: Tensor, variables: T): MapTree<T, Tensor, Tensor> {
  if (loss.size !== 1) throw new ShapeError(`grad: the loss must be a single number, got ${format(loss.shape)}`);
  const wanted = new Set(tensorsOf(variables).values());
  const order = topological([loss]);
  const depends = new Set<Tensor>();
  for (const node of order) {
    if (wanted.has(node) || (node.op.kind !== 'stopGradient' && node.inputs.some((x) => depends.has(x))))
      depends.add(node);
  }

  const cotangents = new Map<Tensor, Contribution[]>();
  const contribute = (node: Tensor, contribution: Contribution): void => {
    if (!depends.has(node)) return;
    const list = cotangents.get(node);
    if (list === undefined) cotangents.set(node, [contribution]);
    else list.push(contribution);
  };
  contribute(loss, constant(1).broadcastTo(loss.shape));

  const result = new Map<Tensor, Tensor>();
  for (const node of order.reverse()) {
    const contributions = cotangents.get(node);
    if (contributions === undefined) continue;
    const g = combine(node.shape, contributions);
    if (wanted.has(node)) result.set(node, g);
    adjoint(node, g, contribute, depends);
  }
  return mapTensors(variables, (variable) => result.get(variable) ?? zeros(variable.shape));
}

/** A summand of a cotangent; one for a range of an axis stays a piece, so that the pieces of a split are concatenated. */
type Contribution = Tensor | Piece;
interface Piece {
  readonly axis: number;
  readonly start: number;
  readonly value: Tensor;
}

function combine(shape: Shape, contributions: readonly Contribution[]): Tensor {
  const whole = contributions.filter((c) => c instanceof Tensor);
  const pieces = contributions.filter((c): c is Piece => !(c instanceof Tensor));
  for (const group of disjointGroups(pieces)) whole.push(join(shape, group));
  return whole.reduce((sum, c) => sum.add(c));
}

/** Sorts pieces into groups along one axis, in which none overlaps another. */
function disjointGroups(pieces: readonly Piece[]): Piece[][] {
  const groups: Piece[][] = [];
  for (const piece of [...pieces].sort((a, b) => a.start - b.start)) {
    const fits = groups.find((group) => group[0].axis === piece.axis && endOf(group[group.length - 1]) <= piece.start);
    if (fits === undefined) groups.push([piece]);
    else fits.push(piece);
  }
  return groups;
}

function join(shape: Shape, pieces: readonly Piece[]): Tensor {
  const [{ axis }] = pieces;
  const parts: Tensor[] = [];
  let end = 0;
  const padTo = (start: number): void => {
    if (start > end) parts.push(zeros(shape.map((d, i) => (i === axis ? start - end : d))));
  };
  for (const piece of pieces) {
    padTo(piece.start);
    parts.push(piece.value);
    end = endOf(piece);
  }
  padTo(shape[axis]);
  return concat(parts, axis);
}

function endOf(piece: Piece): number {
  return piece.start + piece.value.shape[piece.axis];
}

/** Passes the cotangent g of a tensor on to its inputs. */
function adjoint(
  node: Tensor,
  g: Tensor,
  contribute: (input: Tensor, contribution: Contribution) => void,
  depends: ReadonlySet<Tensor>,
): void {
  const { op, inputs } = node;
  const [a, b, c] = inputs;
  // An adjoint is built only if a variable depends on it: that of a frozen network never is.
  const to = (input: Tensor, make: () => Tensor): void => {
    if (depends.has(input)) contribute(input, sumTo(make(), input.shape));
  };
  switch (op.kind) {
    case 'leaf':
    case 'constant':
    case 'less':
    case 'lessEqual':
    case 'equal':
    case 'argmax':
    case 'cast':
    case 'stopGradient':
      return;
    case 'neg':
      to(a, () => g.neg());
      return;
    case 'abs':
      to(a, () => select(a.less(0), g.neg(), g));
      return;
    case 'exp':
      to(a, () => g.mul(node));
      return;
    case 'log':
      to(a, () => g.div(a));
      return;
    case 'sqrt':
      to(a, () => g.div(node.mul(2)));
      return;
    case 'tanh':
      to(a, () => g.mul(constant(1).sub(node.square())));
      return;
    case 'relu':
      // From its output, so that its input need not be stored; as a product, which is faster than a select.
      to(a, () => g.mul(node.greater(0).toFloat()));
      return;
    case 'acos':
      to(a, () => g.neg().div(constant(1).sub(a.square()).sqrt()));
      return;
    case 'add':
      to(a, () => g);
      to(b, () => g);
      return;
    case 'sub':
      to(a, () => g);
      to(b, () => g.neg());
      return;
    case 'mul':
      to(a, () => g.mul(b));
      to(b, () => g.mul(a));
      return;
    case 'div':
      to(a, () => g.div(b));
      to(b, () => g.mul(node).div(b).neg());
      return;
    case 'minimum':
      to(a, () => select(a.lessEqual(b), g, 0));
      to(b, () => select(a.lessEqual(b), 0, g));
      return;
    case 'maximum':
      to(a, () => select(a.greaterEqual(b), g, 0));
      to(b, () => select(a.greaterEqual(b), 0, g));
      return;
    case 'select':
      to(b, () => select(a, g, 0));
      to(c, () => select(a, 0, g));
      return;
    case 'matmul': {
      // C = op(A) op(B): dA = g op(B)^T and dB = op(A)^T g, each transposed once more where the operand was.
      const { transA, transB } = op;
      to(a, () => (transA ? b.matmul(g, { transA: transB, transB: true }) : g.matmul(b, { transB: !transB })));
      to(b, () => (transB ? g.matmul(a, { transA: true, transB: transA }) : a.matmul(g, { transA: !transA })));
      return;
    }
    case 'sum':
      to(a, () => g.reshape(keptShape(a.shape, op.axes)).broadcastTo(a.shape));
      return;
    case 'max':
      to(a, () => {
        // Equal maxima share the gradient.
        const kept = keptShape(a.shape, op.axes);
        const hit = a.equal(node.reshape(kept)).toFloat();
        return hit.mul(g.reshape(kept).div(hit.sum(op.axes).reshape(kept)));
      });
      return;
    case 'gather':
      to(a, () => scatterAdd(a.shape[op.batchAxes], b, g, op.batchAxes));
      return;
    case 'scatterAdd':
      to(b, () => g.gather(a, op.batchAxes));
      return;
    case 'concat': {
      let start = 0;
      for (const part of inputs) {
        const [first, size] = [start, part.shape[op.axis]];
        to(part, () => g.slice(op.axis, first, size));
        start += size;
      }
      return;
    }
    case 'slice':
      contribute(a, { axis: op.axis, start: op.start, value: g });
      return;
    case 'reshape':
      to(a, () => g.reshape(a.shape));
      return;
    case 'transpose':
      to(a, () => g.transpose(op.order.map((_, i) => op.order.indexOf(i))));
      return;
    case 'broadcast':
      to(a, () => g);
      return;
  }
}

/** The adjoint of broadcasting: sums a tensor down to a shape that broadcasts to its own. */
function sumTo(x: Tensor, shape: Shape): Tensor {
  if (sameShape(x.shape, shape)) return x;
  const padded = padRank(shape, x.rank);
  const axes = padded.flatMap((d, i) => (d === 1 && x.shape[i] !== 1 ? [i] : []));
  return x.sum(axes).reshape(shape);
}

function keptShape(shape: Shape, axes: readonly number[]): Shape {
  return shape.map((d, i) => (axes.includes(i) ? 1 : d));
}
