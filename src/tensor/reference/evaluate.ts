/**
 * An interpreter that defines what every primitive means: one plain loop each, in float64. All devices are tested against
 * it, and so are gradients, by finite differences.
 */
import { topological } from '../graph.js';
import { padRank, sizeOf, stridesOf } from '../shape.js';
import type { Shape } from '../shape.js';
import type { Tensor } from '../tensor.js';

/** The values of all tensors that the roots depend on; `leaves` returns those of a leaf by its name. */
export function evaluate(
  roots: Iterable<Tensor>,
  leaves: (leaf: string) => ArrayLike<number>,
): Map<Tensor, Float64Array> {
  const values = new Map<Tensor, Float64Array>();
  for (const node of topological(roots)) {
    const inputs = node.inputs.map((input) => values.get(input)!);
    values.set(node, node.op.kind === 'leaf' ? Float64Array.from(leaves(node.op.name)) : apply(node, inputs));
  }
  return values;
}

function apply(node: Tensor, inputs: readonly Float64Array[]): Float64Array {
  const { op } = node;
  const [a, b] = inputs;
  const [shapeA, shapeB] = node.inputs.map((input) => input.shape);
  const map = (f: (x: number) => number): Float64Array => a.map(f);
  const elementwise = (f: (x: number, y: number, z: number) => number): Float64Array => {
    const [x, y, z] = node.inputs.map((input, i) => {
      const read = broadcastStrides(input.shape, node.shape);
      return (index: readonly number[]) => inputs[i][offset(index, read)];
    });
    if (inputs.length === 1) return build(node.shape, (index) => f(x(index), 0, 0));
    if (inputs.length === 2) return build(node.shape, (index) => f(x(index), y(index), 0));
    return build(node.shape, (index) => f(x(index), y(index), z(index)));
  };
  switch (op.kind) {
    case 'leaf':
      throw new Error('a leaf has no rule');
    case 'constant':
      return op.values;
    case 'neg':
      return map((x) => -x);
    case 'abs':
      return map(Math.abs);
    case 'exp':
      return map(Math.exp);
    case 'log':
      return map(Math.log);
    case 'sqrt':
      return map(Math.sqrt);
    case 'tanh':
      return map(Math.tanh);
    case 'relu':
      return map((x) => Math.max(x, 0));
    case 'acos':
      return map(Math.acos);
    case 'cast':
      return node.dtype === 'int32' ? map(Math.trunc) : a;
    case 'stopGradient':
    case 'reshape':
      return a;
    case 'add':
      return elementwise((x, y) => x + y);
    case 'sub':
      return elementwise((x, y) => x - y);
    case 'mul':
      return elementwise((x, y) => x * y);
    case 'div':
      return elementwise((x, y) => (node.dtype === 'int32' ? Math.trunc(x / y) : x / y));
    case 'minimum':
      return elementwise((x, y) => Math.min(x, y));
    case 'maximum':
      return elementwise((x, y) => Math.max(x, y));
    case 'less':
      return elementwise((x, y) => Number(x < y));
    case 'lessEqual':
      return elementwise((x, y) => Number(x <= y));
    case 'equal':
      return elementwise((x, y) => Number(x === y));
    case 'select':
      return elementwise((condition, x, y) => (condition !== 0 ? x : y));
    case 'broadcast':
      return elementwise((x) => x);
    case 'matmul': {
      const batch = node.shape.slice(0, -2);
      const inner = shapeA[shapeA.length - (op.transA ? 2 : 1)];
      const readA = matrixStrides(shapeA, batch, op.transA);
      const readB = matrixStrides(shapeB, batch, op.transB);
      const [stepA, stepB] = [readA.at(-1)!, readB.at(-2)!];
      return build(node.shape, (index) => {
        const matrix = index.slice(0, -2);
        const [row, column] = index.slice(-2);
        const [startA, startB] = [offset([...matrix, row, 0], readA), offset([...matrix, 0, column], readB)];
        let sum = 0;
        for (let k = 0; k < inner; k++) sum += a[startA + k * stepA] * b[startB + k * stepB];
        return sum;
      });
    }
    case 'sum':
    case 'max': {
      const out = new Float64Array(sizeOf(node.shape)).fill(op.kind === 'sum' ? 0 : -Infinity);
      const kept = shapeA.map((_, i) => i).filter((i) => !op.axes.includes(i));
      const strides = stridesOf(node.shape);
      const write = shapeA.map((_, axis) => (kept.includes(axis) ? strides[kept.indexOf(axis)] : 0));
      each(shapeA, (index, i) => {
        const target = offset(index, write);
        out[target] = op.kind === 'sum' ? out[target] + a[i] : Math.max(out[target], a[i]);
      });
      return out;
    }
    case 'argmax': {
      const read = stridesOf(shapeA);
      return build(node.shape, (index) => {
        let best = 0;
        for (let k = 1; k < shapeA[op.axis]; k++) {
          const value = (entry: number): number => a[offset(index.toSpliced(op.axis, 0, entry), read)];
          if (value(k) > value(best)) best = k;
        }
        return best;
      });
    }
    case 'gather': {
      const [read, readIndex] = [stridesOf(shapeA), stridesOf(shapeB)];
      return build(node.shape, (index) => {
        const row = checkedRow(b[offset(index.slice(0, shapeB.length), readIndex)], shapeA[op.batchAxes]);
        return a[offset([...index.slice(0, op.batchAxes), row, ...index.slice(shapeB.length)], read)];
      });
    }
    case 'scatterAdd': {
      const out = new Float64Array(sizeOf(node.shape));
      const [write, readIndex] = [stridesOf(node.shape), stridesOf(shapeA)];
      each(shapeB, (index, i) => {
        const row = checkedRow(a[offset(index.slice(0, shapeA.length), readIndex)], node.shape[op.batchAxes]);
        out[offset([...index.slice(0, op.batchAxes), row, ...index.slice(shapeA.length)], write)] += b[i];
      });
      return out;
    }
    case 'concat': {
      const out = new Float64Array(sizeOf(node.shape));
      const write = stridesOf(node.shape);
      let start = 0;
      node.inputs.forEach((part, p) => {
        each(part.shape, (index, i) => {
          out[offset(index, write) + start * write[op.axis]] = inputs[p][i];
        });
        start += part.shape[op.axis];
      });
      return out;
    }
    case 'slice': {
      const read = stridesOf(shapeA);
      return build(node.shape, (index) => a[offset(index, read) + op.start * read[op.axis]]);
    }
    case 'transpose': {
      const read = stridesOf(shapeA);
      const strides = op.order.map((axis) => read[axis]);
      return build(node.shape, (index) => a[offset(index, strides)]);
    }
  }
}

function checkedRow(row: number, rows: number): number {
  if (!(row >= 0 && row < rows)) throw new RangeError(`index ${row} is outside a table of ${rows} rows`);
  return row;
}

function each(shape: Shape, visit: (index: readonly number[], i: number) => void): void {
  const index = shape.map(() => 0);
  const size = sizeOf(shape);
  for (let i = 0; i < size; i++) {
    visit(index, i);
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      index[axis]++;
      if (index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
}

function build(shape: Shape, value: (index: readonly number[]) => number): Float64Array {
  const out = new Float64Array(sizeOf(shape));
  each(shape, (index, i) => {
    out[i] = value(index);
  });
  return out;
}

function offset(index: readonly number[], strides: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < index.length; i++) sum += index[i] * strides[i];
  return sum;
}

/** Strides that read a tensor as if it were broadcast to a shape: zero along the axes that are repeated. */
function broadcastStrides(shape: Shape, to: Shape): number[] {
  const padded = padRank(shape, to.length);
  return stridesOf(padded).map((stride, i) => (padded[i] === 1 ? 0 : stride));
}

function matrixStrides(shape: Shape, batch: Shape, transposed: boolean): number[] {
  const strides = broadcastStrides(shape, [...batch, 0, 0]);
  const matrix = stridesOf(shape).slice(-2);
  return [...strides.slice(0, -2), ...(transposed ? matrix.reverse() : matrix)];
}
