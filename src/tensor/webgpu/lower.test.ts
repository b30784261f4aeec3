import { describe, expect, it } from 'vitest';

import type { Graph } from '../graph.js';
import { float32, grad, step } from '../index.js';
import type { Step, Tensor } from '../index.js';
import { simplify } from '../simplify.js';
import { trace } from '../step.js';
import { lower } from './lower.js';
import { plan } from './plan.js';
import { prepare } from './prepare.js';
import { chooseTile } from './tile.js';

function graphOf(body: Step): Graph {
  return simplify(trace(body));
}

/** The program's kernels by level. */
function levelsOf(body: Step): string[][] {
  const levels: string[][] = [];
  for (const { kind, level } of plan(prepare(graphOf(body))).kernels) (levels[level] ??= []).push(kind);
  return levels;
}

const layer = { weight: float32(64, 64), bias: float32(64) };

describe('lowering', () => {
  it('makes one kernel of a chain of elementwise operations', () => {
    const body = step({
      state: {},
      inputs: { x: float32(8, 4), y: float32(4) },
      body: (_, { x, y }) => ({ outputs: { z: x.mul(y).add(1).tanh().reshape([4, 8]).transpose() } }),
    });
    expect(levelsOf(body)).toEqual([['map']]);
  });

  it('puts bias and activation behind the product', () => {
    const body = step({
      state: { a: layer, b: layer },
      inputs: { x: float32(64, 64) },
      body: ({ a, b }, { x }) => {
        const hidden = x.matmul(a.weight).add(a.bias).relu();
        return { outputs: { y: hidden.matmul(b.weight).add(b.bias) } };
      },
    });
    expect(levelsOf(body)).toEqual([['product'], ['product']]);
  });

  it('works a short product out where it is added to another', () => {
    const body = step({
      state: { weight: float32(64, 64), bias: float32(11, 64) },
      inputs: { x: float32(64, 64), features: float32(64, 11) },
      body: ({ weight, bias }, { x, features }) => ({
        outputs: { y: x.matmul(weight).add(features.matmul(bias)).relu() },
      }),
    });
    expect(levelsOf(body)).toEqual([['product']]);
  });

  it('adds up products of a batch as they are made, forwards and backwards', () => {
    const body = step({
      state: { weight: float32(11, 64, 64), before: float32(64, 64) },
      inputs: { x: float32(32, 64), factors: float32(11, 32, 1) },
      body: ({ weight, before }, { x, factors }) => {
        const hidden = x.matmul(before).relu();
        const loss = hidden.reshape([1, 32, 64]).matmul(weight).mul(factors).sum(0).relu().square().sum();
        return { outputs: { gradient: grad(loss, { before }).before } };
      },
    });
    expect(levelsOf(body)).toEqual([['product'], ['product'], ['product'], ['product']]);
  });

  it('has what follows such a sum wait where it needs the terms once more', () => {
    const body = step({
      state: { weight: float32(11, 64, 64) },
      inputs: { x: float32(1, 32, 64), factors: float32(11, 32, 1) },
      body: ({ weight }, { x, factors }) => {
        const terms = x.matmul(weight);
        return { outputs: { y: terms.mul(factors).sum(0).add(terms.max(0)) } };
      },
    });
    expect(levelsOf(body)).toEqual([['product'], ['map']]);
  });

  it('leaves a sum of one to others', () => {
    const body = step({
      state: { weight: float32(1, 4, 64, 64) },
      inputs: { x: float32(32, 64), factors: float32(1, 4, 32, 64) },
      body: ({ weight }, { x, factors }) => {
        const terms = x.matmul(weight);
        return { outputs: { y: terms.mul(factors).sum(0), z: terms.tanh().add(factors) } };
      },
    });
    const { kernels } = plan(prepare(graphOf(body)));
    expect(kernels.filter(({ fold }) => fold !== undefined)).toEqual([]);
  });

  it('keeps for later what it works out on the spot where it is needed first', () => {
    const body = step({
      state: { a: float32(64, 64), b: float32(64, 64) },
      inputs: { x: float32(16, 64, 14) },
      body: ({ a, b }, { x }) => {
        const dear = x.tanh().sum(2);
        const first = dear.matmul(a);
        return { outputs: { y: first, z: first.matmul(b).mul(dear) } };
      },
    });
    expect(levelsOf(body)).toEqual([['product', 'map'], ['product']]);
  });

  it('splits a product of few tiles with a long inner dimension, and adds up where the sum is used', () => {
    const body = step({
      state: { weight: float32(512, 80) },
      inputs: { x: float32(32, 512) },
      body: ({ weight }, { x }) => ({ outputs: { y: x.matmul(weight).relu() } }),
    });
    expect(levelsOf(body)).toEqual([['product'], ['map']]);
  });

  it('keeps what a view shows rather than the view', () => {
    const body = step({
      state: { a: float32(400, 2048), b: float32(4, 100, 2048) },
      inputs: { x: float32(512, 16, 400) },
      body: ({ a, b }, { x }) => {
        const dear = x.tanh().sum(1);
        const parts = dear.reshape([512, 4, 100]).transpose([1, 0, 2]);
        return { outputs: { y: parts.matmul(b), z: dear.matmul(a) } };
      },
    });
    expect(levelsOf(body)).toEqual([['map'], ['product', 'product']]);
  });

  it('leaves updates that nobody waits for to the end', () => {
    const body = step({
      state: { a: float32(64, 64), b: float32(64, 64) },
      inputs: { x: float32(64, 64) },
      body: ({ a, b }, { x }) => {
        const loss = x.matmul(a).relu().matmul(b).square().sum();
        const gradients = grad(loss, { a, b });
        return { state: { a: a.sub(gradients.a.mul(0.1)), b: b.sub(gradients.b.mul(0.1)) } };
      },
    });
    expect(levelsOf(body).at(-1)).toEqual(['product', 'product']);
  });

  it('runs what does not depend on each other side by side, with shared code', () => {
    const body = step({
      state: { a: layer, b: layer },
      inputs: { x: float32(64, 64) },
      body: ({ a, b }, { x }) => ({ outputs: { y: x.matmul(a.weight).relu(), z: x.matmul(b.weight).relu() } }),
    });
    expect(levelsOf(body)).toEqual([['product', 'product']]);
    const { dispatches } = lower(graphOf(body), {
      state: new Map(
        ['a.weight', 'a.bias', 'b.weight', 'b.bias'].map((name, i) => [name, { buffer: 'state0', offset: 8192 * i }]),
      ),
      workgroupMemory: 32768,
    });
    expect(dispatches.length).toBe(1);
    expect(dispatches[0].code.match(/fn kernel/g)?.length).toBe(1);
  });

  it('joins sums that are added to each other, and has nothing wait in line to be added', () => {
    const table = float32(32, 100);
    const body = step({
      state: { a: table, b: table, weight: float32(64, 64), other: float32(64, 64) },
      inputs: { x: float32(32, 64) },
      body: ({ a, b, weight, other }, { x }) => {
        const total = (product: Tensor): Tensor => product.slice(1, 0, 1).reshape([32]);
        const [first, second] = [total(x.matmul(weight)), total(x.matmul(other))];
        return { outputs: { y: a.sum(1).add(first).add(b.sum(1)).add(second).tanh() } };
      },
    });
    expect(levelsOf(body)).toEqual([['reduce', 'reduce', 'reduce'], ['map']]);
  });

  it('updates state in place where nobody reads the old value afterwards', () => {
    const body = step({
      state: { p: float32(100), m: float32(100) },
      inputs: { x: float32(100) },
      body: ({ p, m }, { x }) => {
        const next = m.mul(0.9).add(grad(p.mul(x).sum(), p).mul(0.1));
        return { state: { m: next, p: p.sub(next.mul(0.01)) } };
      },
    });
    expect(levelsOf(body)).toEqual([['map']]);
  });

  it('copies where an entry takes the place of another that is still read', () => {
    const body = step({
      state: { p: float32(6), q: float32(3, 2) },
      inputs: {},
      body: ({ p, q }) => ({ state: { p: q.transpose().reshape([6]), q: p.reshape([3, 2]) } }),
    });
    expect(levelsOf(body).length).toBe(2);
  });
});

describe('tiles', () => {
  it('are large where there is much to do and small where there is little', () => {
    const { tile: many } = chooseTile(
      { rows: 256, columns: 400, inner: 400, batch: 48, terms: 1, share: 1, results: 1, isBesideUpdate: false },
      256,
      12288,
    );
    const { tile: few } = chooseTile(
      { rows: 256, columns: 400, inner: 400, batch: 1, terms: 1, share: 1, results: 1, isBesideUpdate: false },
      256,
      12288,
    );
    expect(many.height * many.width).toBeGreaterThan(few.height * few.width);
  });

  it('take few registers beside other work', () => {
    const product = { rows: 256, columns: 400, inner: 400, batch: 48, terms: 1, results: 1, isBesideUpdate: false };
    const { tile: alone } = chooseTile({ ...product, share: 1 }, 256, 12288);
    const { tile: beside } = chooseTile({ ...product, share: 0.1 }, 256, 12288);
    expect(alone.perThread.rows * alone.perThread.columns).toBeGreaterThanOrEqual(64);
    expect(beside.perThread).toEqual({ rows: 4, columns: 4 });
    const { tile: update } = chooseTile({ ...product, share: 1, isBesideUpdate: true }, 256, 12288);
    expect(update.perThread).toEqual({ rows: 4, columns: 4 });
  });

  it('are found for any sum of products, on small adapters too', () => {
    const product = { rows: 32, columns: 64, batch: 1, results: 1 };
    for (let terms = 2; terms <= 16; terms++) {
      for (const threads of [64, 256, 320]) {
        for (const beside of [
          { share: 1, isBesideUpdate: false },
          { share: 0.1, isBesideUpdate: true },
        ]) {
          for (const inner of [40, 125, 185, 225, 320, 420, 561]) {
            const { tile } = chooseTile({ ...product, ...beside, inner, terms }, threads, 3584);
            expect(tile.width % terms).toBe(0);
            expect(tile.depth * (tile.height + tile.width + 8)).toBeLessThanOrEqual(3584);
          }
        }
      }
    }
  });

  it('fit into the memory that there is', () => {
    const { tile } = chooseTile(
      { rows: 256, columns: 400, inner: 400, batch: 48, terms: 1, share: 1, results: 1, isBesideUpdate: false },
      256,
      4096,
    );
    expect(tile.depth * (tile.height + tile.width + 8)).toBeLessThanOrEqual(4096);
    expect(400 % tile.depth).toBe(0);
  });
});
