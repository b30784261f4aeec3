import { describe, expect, it } from 'vitest';

import { grad } from './grad.js';
import { topological } from './graph.js';
import { simplify } from './simplify.js';
import { concat, constant, leaf } from './tensor.js';
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

  it('drops what changes nothing', () => {
    expect(left(x.add(0).mul(1).sub(0).div(1).neg().neg().stopGradient())).toEqual([]);
    expect(left(x.transpose().transpose())).toEqual([]);
    expect(left(x.reshape([12]).reshape([2, 6]))).toEqual(['reshape']);
  });

  it('keeps an addition of zero that broadcasts', () => {
    expect(left(leaf('v', [3]).add(constant(0).broadcastTo([4, 3])))).toEqual(['add', 'broadcast']);
  });

  it('merges factors that are constants or scalars', () => {
    expect(left(x.mul(2).mul(3).mul(0.5))).toEqual(['mul']);
    // (x s) (x s) 0.1 is (x x) (s s 0.1): two products of the large tensor, not three.
    const products = simplified(x.mul(s).square().mul(0.1)).filter((node) => node.op.kind === 'mul');
    expect(products.map((node) => node.size).sort((a, b) => a - b)).toEqual([1, 1, 12, 12]);
  });

  it('moves transposes into products', () => {
    expect(left(x.transpose().matmul(y))).toEqual(['matmul']);
    expect(left(x.matmul(y.transpose()))).toEqual(['matmul']);
  });

  it('reads a slice of a concatenation from its part', () => {
    expect(left(concat([x, y], 1).slice(1, 3, 3).exp())).toEqual(['exp']);
    expect(left(concat([x, y], 1).slice(1, 2, 2))).toEqual(['concat', 'slice']);
  });

  it('leaves no trace of what nothing needs', () => {
    const unused = x.exp().tanh();
    expect(left(unused.mul(0).stopGradient().add(grad(y.square().sum(), y)))).toContain('exp');
    expect(left(grad(y.square().sum().add(unused.stopGradient().sum()), y))).not.toContain('exp');
  });
});
