import type { Spec } from '../../src/tensor/shape.js';
import { float32, int32 } from '../../src/tensor/shape.js';
import { concat, constant, scatterAdd, select } from '../../src/tensor/tensor.js';
import type { OpKind, Tensor } from '../../src/tensor/tensor.js';

/** A small function whose value and gradient are checked on every device. */
export interface Case {
  readonly inputs: Readonly<Record<string, Spec>>;
  readonly build: (inputs: Record<string, Tensor>) => Tensor;
  /** Values are drawn from this range, [-2, 2] by default; integers are drawn from 0 to `rows` - 1. */
  readonly range?: readonly [number, number];
  readonly rows?: number;
  /** No derivative to check: the result is an integer, or a step function. */
  readonly flat?: boolean;
}

/** At least one case for each primitive; the type checker rejects a primitive without one. */
export const cases: Readonly<Record<OpKind, readonly Case[]>> = {
  leaf: [{ inputs: { x: float32(2, 3) }, build: ({ x }) => x }],
  constant: [
    { inputs: { x: float32(2, 2) }, build: ({ x }) => x.mul(constant([1.5, -2, 0.25, 3], [2, 2])) },
    { inputs: { x: float32(3) }, build: () => constant([1, 2, 3]), flat: true },
  ],
  neg: unary((x) => x.neg()),
  abs: unary((x) => x.abs()),
  exp: unary((x) => x.exp()),
  log: unary((x) => x.log(), [0.1, 3]),
  sqrt: unary((x) => x.sqrt(), [0.1, 3]),
  tanh: unary((x) => x.tanh()),
  relu: unary((x) => x.relu()),
  acos: unary((x) => x.acos(), [-0.9, 0.9]),
  add: binary((x, y) => x.add(y)),
  sub: binary((x, y) => x.sub(y)),
  mul: binary((x, y) => x.mul(y)),
  div: binary((x, y) => x.div(y), [0.5, 2]),
  minimum: binary((x, y) => x.minimum(y)),
  maximum: binary((x, y) => x.maximum(y)),
  less: binary((x, y) => x.less(y).toFloat(), undefined, true),
  lessEqual: binary((x, y) => x.lessEqual(y).toFloat(), undefined, true),
  equal: [
    { inputs: { i: int32(4), j: int32(3, 4) }, build: ({ i, j }) => i.equal(j).toFloat(), rows: 3, flat: true },
    { inputs: { x: float32(4) }, build: ({ x }) => x.equal(x).toFloat(), flat: true },
  ],
  select: [
    { inputs: { x: float32(3, 4), y: float32(4) }, build: ({ x, y }) => select(x.less(y), x.mul(2), y) },
    { inputs: { x: float32(3, 1), y: float32(4) }, build: ({ x, y }) => select(x.greater(0), y, -1) },
  ],
  cast: [
    { inputs: { i: int32(5) }, build: ({ i }) => i.add(2).toFloat().mul(0.5), rows: 9, flat: true },
    { inputs: { x: float32(5) }, build: ({ x }) => x.greater(0).toFloat().mul(x) },
    { inputs: { x: float32(5) }, build: ({ x }) => x.mul(3).toInt().toFloat(), flat: true },
  ],
  stopGradient: [
    {
      inputs: { x: float32(2, 2), y: float32(2, 2) },
      build: ({ x, y }) => x.mul(y.stopGradient()).add(y).stopGradient(),
      flat: true,
    },
  ],
  matmul: [
    product(float32(3, 4), float32(4, 2)),
    product(float32(4, 3), float32(4, 2), { transA: true }),
    product(float32(3, 4), float32(2, 4), { transB: true }),
    product(float32(4, 3), float32(2, 4), { transA: true, transB: true }),
    product(float32(2, 3, 4), float32(2, 4, 2)),
    product(float32(2, 4, 3), float32(2, 4, 2), { transA: true }),
    product(float32(2, 3, 4), float32(2, 2, 4), { transB: true }),
    product(float32(2, 4, 3), float32(2, 2, 4), { transA: true, transB: true }),
    product(float32(2, 3, 4), float32(4, 2)),
    product(float32(3, 4), float32(2, 4, 2)),
    product(float32(2, 1, 3, 4), float32(5, 4, 2)),
    product(float32(1, 3, 4), float32(1, 4, 2)),
    product(float32(2, 4, 3), float32(4, 2), { transA: true }),
    // With one row added, which devices fuse.
    {
      inputs: { x: float32(3, 4), w: float32(4, 2), b: float32(2) },
      build: ({ x, w, b }) => x.matmul(w).add(b).tanh(),
    },
    {
      inputs: { x: float32(2, 3, 4), w: float32(2, 4, 5), b: float32(2, 1, 5) },
      build: ({ x, w, b }) => b.add(x.matmul(w)).relu(),
    },
    {
      inputs: { x: float32(3, 4), w: float32(4, 3), b: float32(3, 3) },
      build: ({ x, w, b }) => x.matmul(w).add(b),
    },
    { inputs: { x: float32(3, 4), w: float32(4, 1), b: float32(3) }, build: ({ x, w, b }) => x.matmul(w).add(b) },
    // A column, as many numbers as a row would have.
    { inputs: { x: float32(3, 4), w: float32(4, 3), b: float32(3, 1) }, build: ({ x, w, b }) => x.matmul(w).add(b) },
    {
      inputs: { x: float32(1, 4), w: float32(4, 3) },
      build: ({ x, w }) => x.matmul(w).add(x.matmul(w)),
    },
    {
      inputs: { x: float32(3, 4), y: float32(2, 4) },
      build: ({ x, y }) => x.matmul(y.transpose()).add(x.matmul(y.transpose()).mul(0.5)),
    },
  ],
  sum: [
    { inputs: { x: float32(2, 3, 4) }, build: ({ x }) => x.square().sum() },
    { inputs: { x: float32(2, 3, 4) }, build: ({ x }) => x.square().sum(1) },
    { inputs: { x: float32(2, 3, 4) }, build: ({ x }) => x.exp().sum([0, -1]) },
    { inputs: { x: float32(2, 3) }, build: ({ x }) => x.div(x.square().sum(-1, true).sqrt()) },
    { inputs: { x: float32(2, 3, 4) }, build: ({ x }) => x.square().mean([1, 2]) },
  ],
  max: [
    { inputs: { x: float32(2, 3, 4) }, build: ({ x }) => x.max(1) },
    { inputs: { x: float32(2, 3, 4) }, build: ({ x }) => x.max([0, 2]) },
    { inputs: { x: float32(5) }, build: ({ x }) => x.min() },
  ],
  argmax: [
    { inputs: { x: float32(2, 3, 4) }, build: ({ x }) => x.argmax(1), flat: true },
    { inputs: { x: float32(6) }, build: ({ x }) => x.argmin(0), flat: true },
    { inputs: { x: float32(2, 3) }, build: ({ x }) => x.mul(0).argmax(-1), flat: true },
  ],
  gather: [
    { inputs: { table: float32(5, 3), i: int32(4) }, build: ({ table, i }) => table.gather(i), rows: 5 },
    { inputs: { table: float32(5), i: int32(2, 3) }, build: ({ table, i }) => table.gather(i), rows: 5 },
    { inputs: { table: float32(2, 5, 3), i: int32(2, 4) }, build: ({ table, i }) => table.gather(i, 1), rows: 5 },
    {
      inputs: { x: float32(3, 4, 2), i: int32(3, 2) },
      build: ({ x, i }) => x.takeAlong(i, 1),
      rows: 4,
    },
  ],
  scatterAdd: [
    { inputs: { i: int32(6), u: float32(6, 2) }, build: ({ i, u }) => scatterAdd(3, i, u), rows: 3 },
    { inputs: { i: int32(2, 4), u: float32(2, 4, 3) }, build: ({ i, u }) => scatterAdd(5, i, u, 1), rows: 5 },
  ],
  concat: [
    { inputs: { x: float32(2, 3), y: float32(2, 1) }, build: ({ x, y }) => concat([x, y, x], 1) },
    { inputs: { x: float32(2, 3), y: float32(3) }, build: ({ x, y }) => concat([x, y.reshape([1, 3])], 0) },
  ],
  slice: [
    { inputs: { x: float32(4, 5) }, build: ({ x }) => x.slice(1, 1, 3).mul(x.slice(1, 2, 3)) },
    { inputs: { x: float32(4, 5) }, build: ({ x }) => x.slice(0, 2, 1).add(x.slice(1, 0, 1)) },
    {
      inputs: { x: float32(2, 6) },
      build: ({ x }) => {
        const [a, b, c] = x.split(1, [1, 3, 2]);
        return concat([c.exp(), b, a], 1);
      },
    },
  ],
  reshape: [{ inputs: { x: float32(2, 6) }, build: ({ x }) => x.reshape([3, -1]).mul(constant([1, 2, 3, 4])) }],
  transpose: [
    { inputs: { x: float32(2, 3, 4) }, build: ({ x }) => x.transpose([2, 0, 1]).mul(constant([1, 2, 3])) },
    { inputs: { x: float32(2, 3) }, build: ({ x }) => x.transpose().transpose().exp() },
  ],
  broadcast: [
    { inputs: { x: float32(3, 1) }, build: ({ x }) => x.broadcastTo([2, 3, 4]) },
    { inputs: { x: float32(3) }, build: ({ x }) => x.broadcastTo([2, 3]).square() },
  ],
};

function unary(f: (x: Tensor) => Tensor, range?: readonly [number, number]): Case[] {
  return [{ inputs: { x: float32(3, 4) }, build: ({ x }) => f(x), range }];
}

function binary(f: (x: Tensor, y: Tensor) => Tensor, range?: readonly [number, number], flat?: boolean): Case[] {
  const shapes = [
    [float32(3, 4), float32(3, 4)],
    [float32(3, 4), float32(4)],
    [float32(3, 1), float32(2, 1, 4)],
    [float32(), float32(3)],
  ];
  return shapes.map(([x, y]) => ({ inputs: { x, y }, build: ({ x: a, y: b }) => f(a, b), range, flat }));
}

function product(x: Spec, y: Spec, options: { transA?: boolean; transB?: boolean } = {}): Case {
  return { inputs: { x, y }, build: ({ x: a, y: b }) => a.matmul(b, options) };
}
