/**
 * Symbolic tensors and the primitive operations on them. Calling their methods computes nothing: it records a graph, which
 * the other files differentiate, rewrite and lower. Shapes are static and checked as the graph is built.
 */
import { broadcastShapes, checkShape, format, normaliseAxis, sameShape, ShapeError, sizeOf } from './shape.js';
import type { DType, Shape } from './shape.js';

/**
 * The primitive operations, which every device implements; all others are composed of them. Elementwise operations
 * broadcast their operands to the common shape, aligned at the last axis.
 */
export type Op =
  | { readonly kind: 'leaf'; readonly name: string }
  | { readonly kind: 'constant'; readonly values: Float64Array }
  | { readonly kind: UnaryKind }
  | { readonly kind: BinaryKind }
  | { readonly kind: CompareKind }
  | { readonly kind: 'select' }
  | { readonly kind: 'cast' }
  | { readonly kind: 'stopGradient' }
  | { readonly kind: 'matmul'; readonly transA: boolean; readonly transB: boolean }
  | { readonly kind: 'sum' | 'max'; readonly axes: readonly number[] }
  | { readonly kind: 'argmax'; readonly axis: number }
  | { readonly kind: 'gather' | 'scatterAdd'; readonly batchAxes: number }
  | { readonly kind: 'concat'; readonly axis: number }
  | { readonly kind: 'slice'; readonly axis: number; readonly start: number }
  | { readonly kind: 'reshape' }
  | { readonly kind: 'transpose'; readonly order: readonly number[] }
  | { readonly kind: 'broadcast' };

export type UnaryKind = 'neg' | 'abs' | 'exp' | 'log' | 'sqrt' | 'tanh' | 'relu' | 'acos';
export type BinaryKind = 'add' | 'sub' | 'mul' | 'div' | 'minimum' | 'maximum';
export type CompareKind = 'less' | 'lessEqual' | 'equal';
export type OpKind = Op['kind'];

export type Operand = Tensor | number;
export type Axes = number | readonly number[];

/** A node of the graph: an operation on other tensors, with the shape and type of its result. */
export class Tensor {
  /** Checks nothing; use the functions and methods below, which do. */
  constructor(
    readonly op: Op,
    readonly inputs: readonly Tensor[],
    readonly shape: Shape,
    readonly dtype: DType = 'float32',
  ) {}

  get rank(): number {
    return this.shape.length;
  }

  get size(): number {
    return sizeOf(this.shape);
  }

  add(other: Operand): Tensor {
    return binary('add', this, other);
  }
  sub(other: Operand): Tensor {
    return binary('sub', this, other);
  }
  mul(other: Operand): Tensor {
    return binary('mul', this, other);
  }
  div(other: Operand): Tensor {
    return binary('div', this, other);
  }
  minimum(other: Operand): Tensor {
    return binary('minimum', this, other);
  }
  maximum(other: Operand): Tensor {
    return binary('maximum', this, other);
  }
  clamp(low: Operand, high: Operand): Tensor {
    return this.maximum(low).minimum(high);
  }

  less(other: Operand): Tensor {
    return compare('less', this, other);
  }
  lessEqual(other: Operand): Tensor {
    return compare('lessEqual', this, other);
  }
  equal(other: Operand): Tensor {
    return compare('equal', this, other);
  }
  greater(other: Operand): Tensor {
    return compare('less', this, other, 'greater');
  }
  greaterEqual(other: Operand): Tensor {
    return compare('lessEqual', this, other, 'greaterEqual');
  }

  neg(): Tensor {
    return unary('neg', this);
  }
  abs(): Tensor {
    return unary('abs', this);
  }
  exp(): Tensor {
    return unary('exp', this);
  }
  log(): Tensor {
    return unary('log', this);
  }
  sqrt(): Tensor {
    return unary('sqrt', this);
  }
  tanh(): Tensor {
    return unary('tanh', this);
  }
  relu(): Tensor {
    return unary('relu', this);
  }
  acos(): Tensor {
    return unary('acos', this);
  }
  square(): Tensor {
    return this.mul(this);
  }

  /** Matrix product of the last two axes; the axes before them broadcast. */
  matmul(other: Tensor, options: { transA?: boolean; transB?: boolean } = {}): Tensor {
    const { transA = false, transB = false } = options;
    const fail = (why: string): never => {
      const flags = `${transA ? ', left transposed' : ''}${transB ? ', right transposed' : ''}`;
      throw new ShapeError(`matmul: ${format(this.shape)} and ${format(other.shape)}${flags}: ${why}`);
    };
    expectType('matmul', 'float32', this, other);
    if (this.rank < 2 || other.rank < 2) fail('both operands need at least two axes');
    const [rows, inner] = lastTwo(this.shape, transA);
    const [otherInner, columns] = lastTwo(other.shape, transB);
    if (inner !== otherInner) fail(`inner dimensions ${inner} and ${otherInner} differ`);
    const batch = broadcastShapes(this.shape.slice(0, -2), other.shape.slice(0, -2)) ?? fail('leading axes do not fit');
    return new Tensor({ kind: 'matmul', transA, transB }, [this, other], [...batch, rows, columns]);
  }

  /** Sum over the given axes (all by default), which are dropped unless `keep` leaves them as ones. */
  sum(axes?: Axes, keep = false): Tensor {
    return reduce('sum', this, axes, keep);
  }
  mean(axes?: Axes, keep = false): Tensor {
    const total = reduce('sum', this, axes, keep, 'mean');
    return total.mul(total.size / this.size);
  }
  max(axes?: Axes, keep = false): Tensor {
    return reduce('max', this, axes, keep);
  }
  min(axes?: Axes, keep = false): Tensor {
    return reduce('max', this.neg(), axes, keep, 'min').neg();
  }
  /** Index of the largest entry along an axis, which is dropped; the first one where several are equal. */
  argmax(axis: number): Tensor {
    expectType('argmax', 'float32', this);
    const dim = normaliseAxis('argmax', axis, this.shape);
    return new Tensor({ kind: 'argmax', axis: dim }, [this], without(this.shape, [dim]), 'int32');
  }
  argmin(axis: number): Tensor {
    return this.neg().argmax(axis);
  }

  /**
   * Rows of this table by index: [n, ...row] and indices [...i] give [...i, ...row].
   * With batchAxes = b the first b axes of both are matched: [...b, n, ...row], [...b, ...i] give [...b, ...i, ...row].
   */
  gather(indices: Tensor, batchAxes = 0): Tensor {
    expectType('gather', 'int32', indices);
    const batch = this.shape.slice(0, batchAxes);
    if (this.rank <= batchAxes || !sameShape(batch, indices.shape.slice(0, batchAxes))) {
      const shapes = `table ${format(this.shape)} and indices ${format(indices.shape)}`;
      throw new ShapeError(`gather: ${shapes} do not share their first ${batchAxes} axes`);
    }
    const shape = [...indices.shape, ...this.shape.slice(batchAxes + 1)];
    return new Tensor({ kind: 'gather', batchAxes }, [this, indices], shape, this.dtype);
  }

  /** One-hot rows along a new last axis. */
  oneHot(classes: number): Tensor {
    expectType('oneHot', 'int32', this);
    return this.reshape([...this.shape, 1])
      .equal(iota(classes))
      .toFloat();
  }

  /** Picks one entry along an axis by an index tensor, whose shape is this one without the axis; the axis is dropped. */
  takeAlong(indices: Tensor, axis: number): Tensor {
    const dim = normaliseAxis('takeAlong', axis, this.shape);
    const expected = without(this.shape, [dim]);
    if (!sameShape(indices.shape, expected)) {
      const shapes = `${format(this.shape)} along axis ${dim} needs indices ${format(expected)}`;
      throw new ShapeError(`takeAlong: ${shapes}, got ${format(indices.shape)}`);
    }
    const order = expected.map((_, i) => i);
    order.splice(dim, 0, expected.length);
    return select(indices.oneHot(this.shape[dim]).transpose(order).greater(0), this, 0).sum(dim);
  }

  slice(axis: number, start: number, size: number): Tensor {
    const dim = normaliseAxis('slice', axis, this.shape);
    if (
      !Number.isInteger(start) ||
      !Number.isInteger(size) ||
      start < 0 ||
      size < 1 ||
      start + size > this.shape[dim]
    ) {
      const range = `[${start}, ${start + size})`;
      throw new ShapeError(`slice: ${range} is not within axis ${dim} of ${format(this.shape)}`);
    }
    if (size === this.shape[dim]) return this;
    return new Tensor({ kind: 'slice', axis: dim, start }, [this], replaceAt(this.shape, dim, size), this.dtype);
  }

  /** Pieces of the given sizes along an axis. */
  split(axis: number, sizes: readonly number[]): Tensor[] {
    let start = 0;
    const pieces = sizes.map((size) => {
      start += size;
      return this.slice(axis, start - size, size);
    });
    const dim = normaliseAxis('split', axis, this.shape);
    if (start !== this.shape[dim]) {
      throw new ShapeError(`split: sizes ${format(sizes)} do not add up to axis ${dim} of ${format(this.shape)}`);
    }
    return pieces;
  }

  /** The same values in row-major order under another shape; one dimension may be -1 and is inferred. */
  reshape(shape: Shape): Tensor {
    const known = sizeOf(shape.filter((d) => d !== -1));
    const full = shape.map((d) => (d === -1 ? this.size / known : d));
    checkShape(`reshape of ${format(this.shape)} to ${format(shape)}`, full);
    if (sizeOf(full) !== this.size) {
      throw new ShapeError(
        `reshape: ${format(this.shape)} has ${this.size} entries, ${format(shape)} has ${sizeOf(full)}`,
      );
    }
    if (sameShape(full, this.shape)) return this;
    return new Tensor({ kind: 'reshape' }, [this], full, this.dtype);
  }

  /** The axes in the given order; by default the last two are swapped. */
  transpose(order?: readonly number[]): Tensor {
    const axes = this.shape.map((_, i) => i);
    const full = order ?? [...axes.slice(0, -2), ...axes.slice(-2).reverse()];
    if (
      !sameShape(
        [...full].sort((a, b) => a - b),
        axes,
      )
    ) {
      throw new ShapeError(`transpose: ${format(full)} is not an order of the axes of ${format(this.shape)}`);
    }
    if (sameShape(full, axes)) return this;
    const shape = full.map((axis) => this.shape[axis]);
    return new Tensor({ kind: 'transpose', order: full }, [this], shape, this.dtype);
  }

  broadcastTo(shape: Shape): Tensor {
    checkShape('broadcastTo', shape);
    const common = broadcastShapes(this.shape, shape);
    if (common === undefined || !sameShape(common, shape)) {
      throw new ShapeError(`broadcastTo: ${format(this.shape)} does not broadcast to ${format(shape)}`);
    }
    if (sameShape(shape, this.shape)) return this;
    return new Tensor({ kind: 'broadcast' }, [this], shape, this.dtype);
  }

  /** The same values, treated as constant when gradients are taken. */
  stopGradient(): Tensor {
    return new Tensor({ kind: 'stopGradient' }, [this], this.shape, this.dtype);
  }

  toFloat(): Tensor {
    return cast(this, 'float32');
  }

  /** Rounded towards zero. */
  toInt(): Tensor {
    return cast(this, 'int32');
  }
}

/** A named placeholder, whose values are given when the program runs. */
export function leaf(name: string, shape: Shape, dtype: DType = 'float32'): Tensor {
  checkShape(`leaf '${name}'`, shape);
  return new Tensor({ kind: 'leaf', name }, [], shape, dtype);
}

export function constant(values: number | ArrayLike<number>, shape?: Shape, dtype: DType = 'float32'): Tensor {
  const data = typeof values === 'number' ? Float64Array.of(values) : Float64Array.from(values);
  const full = shape ?? (typeof values === 'number' ? [] : [data.length]);
  checkShape('constant', full);
  if (sizeOf(full) !== data.length) {
    throw new ShapeError(`constant: ${data.length} values do not fill ${format(full)}`);
  }
  const fraction = dtype === 'int32' ? data.find((value) => !Number.isInteger(value)) : undefined;
  if (fraction !== undefined) throw new ShapeError(`constant: ${fraction} is not a whole number, as int32 needs`);
  return new Tensor({ kind: 'constant', values: data }, [], full, dtype);
}

export function zeros(shape: Shape): Tensor {
  return constant(0).broadcastTo(shape);
}

/** 0, 1, ..., n-1 as int32. */
export function iota(n: number): Tensor {
  return constant(
    Array.from({ length: n }, (_, i) => i),
    [n],
    'int32',
  );
}

/** The first operand where the condition holds, the second elsewhere. */
export function select(condition: Tensor, whenTrue: Operand, whenFalse: Operand): Tensor {
  expectType('select', 'bool', condition);
  const dtype = whenTrue instanceof Tensor ? whenTrue.dtype : whenFalse instanceof Tensor ? whenFalse.dtype : 'float32';
  if (dtype === 'bool') throw new ShapeError('select: chooses between numbers, got bool');
  const [a, b] = [lift(whenTrue, dtype), lift(whenFalse, dtype)];
  expectType('select', dtype, a, b);
  return new Tensor({ kind: 'select' }, [condition, a, b], commonShape('select', condition, a, b), dtype);
}

export function concat(parts: readonly Tensor[], axis: number): Tensor {
  if (parts.length === 0) throw new ShapeError('concat: needs at least one tensor');
  const [first] = parts;
  if (parts.length === 1) return first;
  expectType('concat', first.dtype, ...parts);
  const dim = normaliseAxis('concat', axis, first.shape);
  const rest = without(first.shape, [dim]);
  if (!parts.every((p) => p.rank === first.rank && sameShape(without(p.shape, [dim]), rest))) {
    const shapes = parts.map((p) => format(p.shape)).join(', ');
    throw new ShapeError(`concat: ${shapes} differ in more than axis ${dim}`);
  }
  const total = parts.reduce((sum, p) => sum + p.shape[dim], 0);
  return new Tensor({ kind: 'concat', axis: dim }, parts, replaceAt(first.shape, dim, total), first.dtype);
}

/** Tensors of one shape along a new first axis. */
export function stack(parts: readonly Tensor[]): Tensor {
  return concat(
    parts.map((p) => p.reshape([1, ...p.shape])),
    0,
  );
}

/** The adjoint of gather: adds row updates [...i, ...row] into a table of n zero rows, at their indices. */
export function scatterAdd(rows: number, indices: Tensor, updates: Tensor, batchAxes = 0): Tensor {
  expectType('scatterAdd', 'int32', indices);
  expectType('scatterAdd', 'float32', updates);
  checkShape('scatterAdd', [rows]);
  if (!sameShape(indices.shape, updates.shape.slice(0, indices.rank))) {
    const shapes = `updates ${format(updates.shape)} do not begin with the shape of indices ${format(indices.shape)}`;
    throw new ShapeError(`scatterAdd: ${shapes}`);
  }
  const shape = [...indices.shape.slice(0, batchAxes), rows, ...updates.shape.slice(indices.rank)];
  return new Tensor({ kind: 'scatterAdd', batchAxes }, [indices, updates], shape, updates.dtype);
}

export function cast(x: Tensor, dtype: DType): Tensor {
  return x.dtype === dtype ? x : new Tensor({ kind: 'cast' }, [x], x.shape, dtype);
}

function unary(kind: UnaryKind, x: Tensor): Tensor {
  expectType(kind, 'float32', x);
  return new Tensor({ kind }, [x], x.shape, x.dtype);
}

function binary(kind: BinaryKind, left: Tensor, right: Operand): Tensor {
  const other = lift(right, left.dtype);
  expectType(kind, left.dtype === 'bool' ? 'float32' : left.dtype, left, other);
  return new Tensor({ kind }, [left, other], commonShape(kind, left, other), left.dtype);
}

/** With `flipped`, the name of the mirrored comparison for messages, the operands are exchanged. */
function compare(kind: CompareKind, left: Tensor, right: Operand, flipped?: string): Tensor {
  const what = flipped ?? kind;
  const other = lift(right, left.dtype);
  expectType(what, left.dtype === 'bool' ? 'float32' : left.dtype, left, other);
  const shape = commonShape(what, left, other);
  return new Tensor({ kind }, flipped === undefined ? [left, other] : [other, left], shape, 'bool');
}

function reduce(
  kind: 'sum' | 'max',
  x: Tensor,
  axes: Axes = x.shape.map((_, i) => i),
  keep = false,
  what: string = kind,
): Tensor {
  expectType(what, 'float32', x);
  const list = typeof axes === 'number' ? [axes] : axes;
  const sorted = list.map((axis) => normaliseAxis(what, axis, x.shape)).sort((a, b) => a - b);
  if (new Set(sorted).size !== sorted.length) throw new ShapeError(`${what}: axes ${format(list)} name one axis twice`);
  if (sorted.length === 0) return x;
  const reduced = new Tensor({ kind, axes: sorted }, [x], without(x.shape, sorted), x.dtype);
  return keep ? reduced.reshape(x.shape.map((d, i) => (sorted.includes(i) ? 1 : d))) : reduced;
}

function lift(x: Operand, dtype: DType): Tensor {
  return x instanceof Tensor ? x : constant(x, [], dtype);
}

function commonShape(what: string, ...operands: Tensor[]): Shape {
  const shape = broadcastShapes(...operands.map((t) => t.shape));
  if (shape === undefined) {
    throw new ShapeError(`${what}: shapes ${operands.map((t) => format(t.shape)).join(' and ')} do not broadcast`);
  }
  return shape;
}

function expectType(what: string, dtype: DType, ...operands: Tensor[]): void {
  const wrong = operands.find((t) => t.dtype !== dtype);
  if (wrong !== undefined) {
    throw new ShapeError(`${what}: expects ${dtype}, got ${wrong.dtype} ${format(wrong.shape)}`);
  }
}

function lastTwo(shape: Shape, swapped: boolean): [number, number] {
  const [a, b] = [shape[shape.length - 2], shape[shape.length - 1]];
  return swapped ? [b, a] : [a, b];
}

function without(shape: Shape, axes: readonly number[]): Shape {
  return shape.filter((_, i) => !axes.includes(i));
}

function replaceAt(shape: Shape, axis: number, value: number): Shape {
  return shape.map((d, i) => (i === axis ? value : d));
}
