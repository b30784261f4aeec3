import { describe, expect, it } from 'vitest';

import { grad } from './grad.js';
import { topological } from './graph.js';
import { evaluate } from './reference/evaluate.js';
import { simplify } from './simplify.js';
import { concat, constant, leaf, select } from './tensor.js';
import type { OpKind, Tensor } from './tensor.js';

function simplified(root: Tensor): Tensor[] {
  const outputs = new Map([['y', root]]);
  const none = new Map<string, Tensor>();
  return topological(simplify({ inputs: none, state: none, outputs, updates: none }).outputs.values());
}

/** The operations that are left of an expression, sorted. */
function left(root: Tensor): OpKind[] {
  return simplified(root)
    .map((node) => node.op.kind)
    .filter((kind) => kind !== 'leaf' && kind !== 'constant')
    .sort();
}

const x = leaf('x', [4, 3]);
const y = leaf('y', [4, 3]);
const s = leaf('s', []);

describe('simplify', () => {
  it('shares equal expressions', () => {
    expect(left(x.exp().add(y).mul(x.exp().add(y).tanh()))).toEqual(['add', 'exp', 'mul', 'tanh']);
  });

  it('drops operations without effect', () => {
    expect(left(x.add(0).mul(1).sub(0).div(1).neg().neg().stopGradient())).toEqual([]);
    expect(left(x.transpose().transpose())).toEqual([]);
    expect(left(x.reshape([12]).reshape([2, 6]))).toEqual(['reshape']);
  });

  it('keeps an addition of zero that broadcasts', () => {
    expect(left(leaf('v', [3]).add(constant(0).broadcastTo([4, 3])))).toEqual(['add', 'broadcast']);
  });

  it('merges factors that are constants or scalars', () => {
    expect(left(x.mul(2).mul(3).mul(0.5))).toEqual(['mul']);
    const products = simplified(x.mul(s).mul(0.1)).filter((node) => node.op.kind === 'mul');
    expect(products.map((node) => node.size).sort((a, b) => a - b)).toEqual([1, 12]);
    // A merged constant would leave the range of float32.
    expect(left(x.mul(1e25).mul(1e25))).toEqual(['mul', 'mul']);
    expect(left(x.mul(1e-30).mul(1e-30))).toEqual(['mul', 'mul']);
  });

  it('moves transposes into products', () => {
    expect(left(x.transpose().matmul(y))).toEqual(['matmul']);
    expect(left(x.matmul(y.transpose()))).toEqual(['matmul']);
  });

  it('reads a slice of a concatenation from its part', () => {
    expect(left(concat([x, y], 1).slice(1, 3, 3).exp())).toEqual(['exp']);
    expect(left(concat([x, y], 1).slice(1, 2, 2))).toEqual(['concat', 'slice']);
  });

  it('removes what no result depends on', () => {
    const unused = x.exp().tanh();
    expect(left(unused.mul(0).stopGradient().add(grad(y.square().sum(), y)))).toContain('exp');
    expect(left(grad(y.square().sum().add(unused.stopGradient().sum()), y))).not.toContain('exp');
  });
});

describe('the results of simplify', () => {
  const v = leaf('v', [3]);
  const z = leaf('z', [2, 3, 4]);
  const column = leaf('column', [4, 1]);
  const ones = constant(1).broadcastTo([4, 3]);
  const noughts = constant(0).broadcastTo([4, 3]);
  const expressions: Readonly<Record<string, Tensor>> = {
    'a row added to zeros': v.add(noughts),
    'zeros added to a row': noughts.add(v),
    'a row less zeros': v.sub(noughts),
    'a row times ones': v.mul(ones),
    'ones times a row': ones.mul(v),
    'a row over ones': v.div(ones),
    'one over a row': constant(1).div(v),
    'zero less a row': constant(0).sub(v),
    'a negated row added and taken away': x.add(v.neg()).sub(v.neg()).neg().neg(),
    'transposes that do not commute': z.transpose([1, 2, 0]).transpose([0, 2, 1]),
    'transposes that undo each other': z.transpose([1, 2, 0]).transpose([2, 0, 1]),
    'a product of moved batch axes': z.transpose([1, 0, 2]).matmul(leaf('m', [4, 2])),
    'a product of transposed batches': z.matmul(z.transpose()),
    'a transposed operand, transposed': x.transpose().matmul(y, { transA: true, transB: true }),
    'a slice of a slice': x.slice(0, 1, 3).slice(0, 1, 1),
    'slices of two axes': x.slice(0, 1, 3).slice(1, 1, 1),
    'a slice of the second part': concat([x, y], 0).slice(0, 5, 2),
    'a slice of another axis': concat([x, y], 0).slice(1, 1, 2),
    'a broadcast of a broadcast': v.broadcastTo([1, 3]).broadcastTo([2, 4, 3]),
    'broadcasts that only together have the shape': leaf('row', [1, 3])
      .broadcastTo([4, 3])
      .add(column.broadcastTo([4, 3])),
    'a broadcast that nothing else makes': v.broadcastTo([4, 3]).mul(s),
    'a selection among broadcasts': select(v.broadcastTo([4, 3]).less(s), s.broadcastTo([4, 3]), x),
    'a product with a column and a scalar': x.mul(column).mul(s).mul(3),
    'a product of scaled tensors': x.mul(column).mul(y.mul(s)).mul(v),
    'an outer product, scaled': column
      .mul(leaf('row', [1, 3]))
      .mul(s)
      .mul(column),
    'constants alone': constant(2)
      .mul(3)
      .mul(constant([1, 2, 3])),
  };
  it.each(Object.entries(expressions))('have the values and the shape of %s', (_, root) => {
    const values = (name: string): Float64Array =>
      Float64Array.from({ length: { x: 12, y: 12, s: 1, v: 3, z: 24, column: 4, row: 3, m: 8 }[name]! }, (_, i) =>
        Math.sin(name.charCodeAt(0) + 3 * i),
      );
    const better = simplified(root).at(-1)!;
    expect(better.shape).toEqual(root.shape);
    const [is, was] = [evaluate([better], values).get(better)!, evaluate([root], values).get(root)!];
    was.forEach((value, i) => expect(is[i]).toBeCloseTo(value, 12));
  });

  it('never share one number of two types', () => {
    const i = leaf('i', [3], 'int32');
    const constants = simplified(v.add(1).mul(i.add(1).toFloat())).filter((node) => node.op.kind === 'constant');
    expect(constants.map((node) => node.dtype).sort()).toEqual(['float32', 'int32']);
  });
});
