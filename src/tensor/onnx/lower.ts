/**
 * Lowers a graph to an ONNX model. Most primitives are one ONNX operator; matrix products, sums and scatters are mapped to the
 * forms that onnxruntime computes fastest. The CPU device and the exporter both use it.
 */
import { topological } from '../graph.js';
import { sameShape, sizeOf } from '../shape.js';
import type { Shape } from '../shape.js';
import type { Tensor } from '../tensor.js';
import { initializer, MICROSOFT, onnxType } from './model.js';
import type { OnnxInitializer, OnnxModel, OnnxNode, OnnxType, OnnxValue } from './model.js';

export interface LowerOptions {
  name: string;
  /** Uses standard operators only, for programs other than onnxruntime; products of transposed matrices are slower. */
  portable?: boolean;
}

/** Lowers tensors to one model: leaves become its inputs under their names, results its outputs. */
export function lower(
  inputs: readonly OnnxValue[],
  results: ReadonlyMap<string, Tensor>,
  { name, portable = false }: LowerOptions,
): OnnxModel {
  const order = topological(results.values());
  const taken = new Set([...inputs.map((input) => input.name), ...results.keys()]);
  const emitter = new Emitter(onlyUses(order, results.values()), portable, taken);
  for (const node of order) {
    // A square that is only summed is lowered with the sum.
    if (!emitter.isSummedSquare(node)) emitter.lower(node);
  }
  const nodes = emitter.finish(results);
  const outputs = [...results].map(([output, tensor]) => valueOf(output, tensor));
  return { name, nodes, initializers: emitter.initializers, inputs, outputs };
}

export function valueOf(name: string, tensor: Tensor): OnnxValue {
  return { name, type: tensor.dtype, shape: tensor.shape };
}

/** The users of tensors that have exactly one and are not results. */
function onlyUses(order: readonly Tensor[], results: Iterable<Tensor>): Map<Tensor, Tensor> {
  const users = new Map<Tensor, Tensor[]>();
  for (const node of order) {
    for (const input of node.inputs) {
      const list = users.get(input);
      if (list === undefined) users.set(input, [node]);
      else list.push(node);
    }
  }
  for (const result of results) users.delete(result);
  return new Map([...users].filter(([, list]) => new Set(list).size === 1).map(([node, [user]]) => [node, user]));
}

const directNames = {
  neg: 'Neg',
  abs: 'Abs',
  exp: 'Exp',
  log: 'Log',
  sqrt: 'Sqrt',
  tanh: 'Tanh',
  relu: 'Relu',
  acos: 'Acos',
  add: 'Add',
  sub: 'Sub',
  mul: 'Mul',
  div: 'Div',
  minimum: 'Min',
  maximum: 'Max',
  less: 'Less',
  lessEqual: 'LessOrEqual',
  equal: 'Equal',
  select: 'Where',
} as const;

/** The operands' shapes for a batch of products that is one plain matrix product, because the right operand has no batch. */
interface FlatProduct {
  readonly left: Shape;
  readonly right: Shape;
}

class Emitter {
  private readonly nodes: OnnxNode[] = [];
  readonly initializers: OnnxInitializer[] = [];
  private readonly names = new Map<Tensor, string>();
  private readonly constants = new Map<string, string>();
  /** Products that are not lowered yet, because an addition may follow that they are fused with. */
  private readonly deferred = new Set<Tensor>();
  private fresh = 0;

  constructor(
    private readonly onlyUse: ReadonlyMap<Tensor, Tensor>,
    private readonly portable: boolean,
    private readonly taken: ReadonlySet<string>,
  ) {}

  /** The nodes of the model, with each result under the name of its output. */
  finish(results: ReadonlyMap<string, Tensor>): OnnxNode[] {
    const renamed = new Map<string, string>();
    const copies: OnnxNode[] = [];
    const names = [...results].map(([output, tensor]) => [output, this.nameOf(tensor)]);
    const computed = new Set(this.nodes.map((node) => node.output));
    for (const [output, name] of names) {
      // Only the output of a node can be renamed, and only once; inputs and second names need a copy.
      if (computed.has(name) && !renamed.has(name)) renamed.set(name, output);
      else copies.push({ type: 'Identity', inputs: [name], output, attributes: {} });
    }
    const rename = (name: string): string => renamed.get(name) ?? name;
    return [...this.nodes, ...copies].map((node) => ({
      ...node,
      inputs: node.inputs.map(rename),
      output: rename(node.output),
    }));
  }

  isSummedSquare(node: Tensor): boolean {
    return node.op.kind === 'mul' && node.inputs[0] === node.inputs[1] && this.onlyUse.get(node)?.op.kind === 'sum';
  }

  lower(node: Tensor): void {
    const { op } = node;
    const [a, b] = node.inputs;
    switch (op.kind) {
      case 'leaf':
        this.names.set(node, op.name);
        return;
      case 'constant':
        this.names.set(node, this.constant(node.dtype, op.values, node.shape));
        return;
      case 'stopGradient':
        this.names.set(node, this.nameOf(a));
        return;
      case 'add':
        if (this.lowerBiasedProduct(node)) return;
        break;
      case 'matmul':
        this.lowerProduct(node);
        return;
      case 'sum':
        this.lowerSum(node, op.axes);
        return;
      case 'max':
        this.names.set(node, this.emit('ReduceMax', [this.nameOf(a), this.integers(op.axes)], { keepdims: 0 }));
        return;
      case 'argmax':
        this.names.set(
          node,
          this.castTo('int32', this.emit('ArgMax', [this.nameOf(a)], { axis: op.axis, keepdims: 0 })),
        );
        return;
      case 'cast':
        this.names.set(node, this.castTo(node.dtype, this.nameOf(a)));
        return;
      case 'gather': {
        const table = this.flatBatch(a, op.batchAxes);
        const rows = this.emit('Gather', [table, this.flatIndices(b, op.batchAxes, a.shape[op.batchAxes])], {
          axis: 0,
        });
        this.names.set(node, this.reshape(rows, node.shape));
        return;
      }
      case 'scatterAdd':
        this.lowerScatterAdd(node, op.batchAxes);
        return;
      case 'concat':
        this.names.set(
          node,
          this.emit(
            'Concat',
            node.inputs.map((x) => this.nameOf(x)),
            { axis: op.axis },
          ),
        );
        return;
      case 'slice': {
        const range = [op.start, op.start + node.shape[op.axis], op.axis].map((i) => this.integers([i]));
        this.names.set(node, this.emit('Slice', [this.nameOf(a), ...range]));
        return;
      }
      case 'reshape':
        this.names.set(node, this.reshape(this.nameOf(a), node.shape));
        return;
      case 'transpose':
        this.names.set(node, this.emit('Transpose', [this.nameOf(a)], { perm: op.order }));
        return;
      case 'broadcast':
        this.names.set(node, this.emit('Expand', [this.nameOf(a), this.integers(node.shape)]));
        return;
      default:
    }
    const operands = node.inputs.map((x) => this.nameOf(x));
    this.names.set(node, this.emit(directNames[op.kind], operands));
  }

  private lowerProduct(node: Tensor): void {
    if (node.op.kind !== 'matmul') return;
    const { transA, transB } = node.op;
    const [a, b] = node.inputs;
    const flat = flatProduct(node);
    if (flat !== undefined) {
      if (this.onlyUse.get(node)?.op.kind === 'add') this.deferred.add(node);
      else this.names.set(node, this.gemm(node, flat));
      return;
    }
    let [left, right] = [this.nameOf(a), this.nameOf(b)];
    if (!transA && !transB) {
      this.names.set(node, this.emit('MatMul', [left, right]));
    } else if (this.portable) {
      if (transA) left = this.emit('Transpose', [left], { perm: swapLastTwo(a.rank) });
      if (transB) right = this.emit('Transpose', [right], { perm: swapLastTwo(b.rank) });
      this.names.set(node, this.emit('MatMul', [left, right]));
    } else {
      const attributes = { transA: Number(transA), transB: Number(transB) };
      this.names.set(node, this.emit('FusedMatMul', [left, right], attributes, MICROSOFT));
    }
  }

  /** Lowers x W + b to one Gemm, if the product has no other user and b is one row. */
  private lowerBiasedProduct(node: Tensor): boolean {
    const [first, second] = node.inputs;
    for (const [product, bias] of [
      [first, second],
      [second, first],
    ]) {
      const columns = node.shape[node.rank - 1];
      const isRow = bias.size === columns && bias.shape[bias.rank - 1] === columns;
      if (this.deferred.has(product) && product !== bias && isRow && sameShape(product.shape, node.shape)) {
        this.deferred.delete(product);
        const row = this.reshape(this.nameOf(bias), [columns], bias.shape);
        this.names.set(node, this.gemm(product, flatProduct(product)!, row));
        return true;
      }
    }
    return false;
  }

  private gemm(product: Tensor, flat: FlatProduct, bias?: string): string {
    if (product.op.kind !== 'matmul') throw new Error('gemm lowers products only');
    const { transA, transB } = product.op;
    const [a, b] = product.inputs;
    const operands = [
      this.reshape(this.nameOf(a), flat.left, a.shape),
      this.reshape(this.nameOf(b), flat.right, b.shape),
    ];
    if (bias !== undefined) operands.push(bias);
    const attributes = { transA: Number(transA), transB: Number(transB) };
    const rows = flat.left[transA ? 1 : 0];
    const columns = flat.right[transB ? 0 : 1];
    return this.reshape(this.emit('Gemm', operands, attributes), product.shape, [rows, columns]);
  }

  private lowerSum(node: Tensor, axes: readonly number[]): void {
    const [a] = node.inputs;
    if (a.rank === 2 && axes.length === 1 && axes[0] === 0 && !this.isSummedSquare(a)) {
      // A sum over rows as a product with a row of ones, which is two to four times as fast as onnxruntime's own sum.
      const [rows, columns] = a.shape;
      const ones = this.constant('float32', new Float32Array(rows).fill(1), [1, rows]);
      this.names.set(node, this.reshape(this.emit('Gemm', [ones, this.nameOf(a)]), [columns]));
      return;
    }
    const [type, operand] = this.isSummedSquare(a) ? ['ReduceSumSquare', a.inputs[0]] : ['ReduceSum', a];
    this.names.set(node, this.emit(type, [this.nameOf(operand), this.integers(axes)], { keepdims: 0 }));
  }

  private lowerScatterAdd(node: Tensor, batchAxes: number): void {
    const [indices, updates] = node.inputs;
    const count = indices.size;
    const row = updates.size / count;
    const rows = node.size / row;
    const flat = this.flatIndices(indices, batchAxes, node.shape[batchAxes]);
    const expanded = this.emit('Expand', [this.reshape(flat, [count, 1]), this.integers([count, row])]);
    const zeros = this.emit('Expand', [this.constant('float32', [0], []), this.integers([rows, row])]);
    const operands = [zeros, expanded, this.reshape(this.nameOf(updates), [count, row])];
    // ScatterElements adds serially, so that repeated indices do not race.
    const sum = this.emit('ScatterElements', operands, { axis: 0, reduction: 'add' });
    this.names.set(node, this.reshape(sum, node.shape));
  }

  /** A table with its batch axes and its rows joined into one axis. */
  private flatBatch(x: Tensor, batchAxes: number): string {
    if (batchAxes === 0) return this.nameOf(x);
    const joined = batchAxes + 1;
    return this.reshape(this.nameOf(x), [sizeOf(x.shape.slice(0, joined)), ...x.shape.slice(joined)]);
  }

  /** Indices into a table whose batch axes were joined with its rows. */
  private flatIndices(indices: Tensor, batchAxes: number, rows: number): string {
    if (batchAxes === 0) return this.nameOf(indices);
    const batch = sizeOf(indices.shape.slice(0, batchAxes));
    const starts = this.constant(
      'int32',
      Array.from({ length: batch }, (_, i) => i * rows),
      [batch, 1],
    );
    return this.emit('Add', [this.reshape(this.nameOf(indices), [batch, indices.size / batch]), starts]);
  }

  private castTo(type: OnnxType, name: string): string {
    return this.emit('Cast', [name], { to: onnxType[type] });
  }

  /** A reshape, which onnxruntime does without a copy; nothing if the shape stays the same. */
  private reshape(name: string, shape: Shape, from?: Shape): string {
    if (from !== undefined && sameShape(from, shape)) return name;
    return this.emit('Reshape', [name, this.integers(shape)]);
  }

  private nameOf(tensor: Tensor): string {
    if (this.deferred.delete(tensor)) this.names.set(tensor, this.gemm(tensor, flatProduct(tensor)!));
    return this.names.get(tensor)!;
  }

  private emit(
    type: string,
    inputs: readonly string[],
    attributes: OnnxNode['attributes'] = {},
    domain?: string,
  ): string {
    const output = this.freshName('t');
    this.nodes.push({ type, inputs, output, attributes, domain });
    return output;
  }

  private freshName(letter: string): string {
    let name: string;
    do name = `${letter}${this.fresh++}`;
    while (this.taken.has(name));
    return name;
  }

  private integers(values: readonly number[]): string {
    return this.constant('int64', values, [values.length]);
  }

  private constant(type: OnnxType, values: ArrayLike<number>, shape: Shape): string {
    // Large tables are not compared: simplification has shared them already.
    const key = values.length > 64 ? undefined : `${type}[${shape.join()}]${Array.from(values, textOf).join()}`;
    const known = key === undefined ? undefined : this.constants.get(key);
    if (known !== undefined) return known;
    const name = this.freshName('c');
    this.initializers.push(initializer(name, type, values, shape));
    if (key !== undefined) this.constants.set(key, name);
    return name;
  }
}

/** A number with the sign of zero. */
function textOf(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

function flatProduct(node: Tensor): FlatProduct | undefined {
  if (node.op.kind !== 'matmul') return undefined;
  const { transA } = node.op;
  const [a, b] = node.inputs;
  if (sizeOf(b.shape.slice(0, -2)) !== 1) return undefined;
  const right = b.shape.slice(-2);
  if (sizeOf(a.shape.slice(0, -2)) === 1) return { left: a.shape.slice(-2), right };
  // The rows of all batches form one matrix, unless the left operand is transposed.
  return transA ? undefined : { left: [sizeOf(a.shape.slice(0, -1)), a.shape[a.rank - 1]], right };
}

function swapLastTwo(rank: number): number[] {
  const axes = Array.from({ length: rank }, (_, i) => i);
  return [...axes.slice(0, -2), rank - 1, rank - 2];
}
