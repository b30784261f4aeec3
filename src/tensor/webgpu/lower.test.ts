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

/** The kinds of a program's kernels by level. */
function levelsOf(body: Step): string[][] {
  const levels: string[][] = [];
  for (const { kind, level } of plan(prepare(graphOf(body))).kernels) (levels[level] ??= []).push(kind);
  return levels;
}

const layer = { weight: float32(64, 64), bias: float32(64) };

describe('the planner', () => {
  it('fuses a chain of elementwise operations and views into one kernel', () => {
    const body = step({
      state: {},
      inputs: { x: float32(8, 4), y: float32(4) },
      body: (_, { x, y }) => ({ outputs: { z: x.mul(y).add(1).tanh().reshape([4, 8]).transpose() } }),
    });
    expect(levelsOf(body)).toEqual([['map']]);
  });

  it('puts bias and activation into the epilogue of a product', () => {
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

  it('inlines a short product that is added to another product', () => {
    const body = step({
      state: { weight: float32(64, 64), bias: float32(11, 64) },
      inputs: { x: float32(64, 64), features: float32(64, 11) },
      body: ({ weight, bias }, { x, features }) => ({
        outputs: { y: x.matmul(weight).add(features.matmul(bias)).relu() },
      }),
    });
    expect(levelsOf(body)).toEqual([['product']]);
  });

  it('puts a sum over products of a batch into their epilogue, forwards and backwards', () => {
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

  it('ends an epilogue before an operation that needs the terms of its sum again', () => {
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

  it('puts no sum over an axis of size one into an epilogue', () => {
    const body = step({
      state: { weight: float32(1, 4, 64, 64) },
      inputs: { x: float32(32, 64), factors: float32(1, 4, 32, 64) },
      body: ({ weight }, { x, factors }) => {
        const terms = x.matmul(weight);
        return { outputs: { y: terms.mul(factors).sum(0), z: terms.tanh().add(factors) } };
      },
    });
    const { kernels } = plan(prepare(graphOf(body)));
    expect(kernels.filter(({ epilogueSum }) => epilogueSum !== undefined)).toEqual([]);
  });

  it('recomputes an expensive tensor in the first level that uses it and stores it for later ones', () => {
    const body = step({
      state: { a: float32(64, 64), b: float32(64, 64) },
      inputs: { x: float32(16, 64, 14) },
      body: ({ a, b }, { x }) => {
        const expensive = x.tanh().sum(2);
        const first = expensive.matmul(a);
        return { outputs: { y: first, z: first.matmul(b).mul(expensive) } };
      },
    });
    expect(levelsOf(body)).toEqual([['product', 'map'], ['product']]);
  });

  it('a product of few tiles with a long inner dimension is split, and its parts are added where they are used', () => {
    const body = step({
      state: { weight: float32(512, 80) },
      inputs: { x: float32(32, 512) },
      body: ({ weight }, { x }) => ({ outputs: { y: x.matmul(weight).relu() } }),
    });
    expect(levelsOf(body)).toEqual([['product'], ['map']]);
  });

  const normalised = (x: Tensor): Tensor => {
    const deviation = x.sub(x.mean(-1, true));
    return deviation.div(deviation.square().mean(-1, true).add(1e-5).sqrt());
  };

  it('computes mean and variance of a row in one kernel, and normalises it in the next product', () => {
    const body = step({
      state: { a: float32(64, 64), b: float32(64, 64) },
      inputs: { x: float32(64, 64) },
      body: ({ a, b }, { x }) => ({ outputs: { y: normalised(x.matmul(a)).relu().matmul(b) } }),
    });
    expect(levelsOf(body)).toEqual([['product'], ['reduce'], ['product']]);
  });

  it('adds a residual in the epilogue of a product, and normalises the sum in one kernel', () => {
    const body = step({
      state: { input: float32(32, 64), expand: float32(64, 256), contract: float32(256, 64), output: float32(64, 64) },
      inputs: { x: float32(64, 32) },
      body: ({ input, expand, contract, output }, { x }) => {
        const signal = x.matmul(input);
        const sum = signal.add(normalised(signal).matmul(expand).relu().matmul(contract));
        return { outputs: { y: normalised(sum).matmul(output) } };
      },
    });
    expect(levelsOf(body)).toEqual([['product'], ['reduce'], ['product'], ['product'], ['reduce'], ['product']]);
  });

  it('stores rows that many products use normalised, in the kernel that reduces them', () => {
    const body = step({
      state: { a: float32(64, 400, 2000), b: float32(64, 2000, 400) },
      inputs: { x: float32(64, 400, 400) },
      body: ({ a, b }, { x }) => ({ outputs: { y: normalised(x.matmul(a)).relu().matmul(b) } }),
    });
    expect(levelsOf(body)).toEqual([['product'], ['reduce'], ['product']]);
    const [reduction] = plan(prepare(graphOf(body))).kernels.filter(({ kind }) => kind === 'reduce');
    expect(reduction.rows?.entries.map(({ op }) => op.kind)).toEqual(['relu']);
  });

  it('keeps reductions apart that need each other for other rows', () => {
    const body = step({
      state: {},
      inputs: { x: float32(64, 64) },
      body: (_, { x }) => ({ outputs: { y: x.sub(x.mean(-1)).square().sum(-1) } }),
    });
    expect(levelsOf(body)).toEqual([['reduce'], ['reduce']]);
  });

  it('materialises the input of a view rather than the view', () => {
    const body = step({
      state: { a: float32(400, 2048), b: float32(4, 100, 2048) },
      inputs: { x: float32(512, 16, 400) },
      body: ({ a, b }, { x }) => {
        const expensive = x.tanh().sum(1);
        const parts = expensive.reshape([512, 4, 100]).transpose([1, 0, 2]);
        return { outputs: { y: parts.matmul(b), z: expensive.matmul(a) } };
      },
    });
    expect(levelsOf(body)).toEqual([['map'], ['product', 'product']]);
  });

  it('moves updates that no kernel reads to the last level', () => {
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

  it('independent kernels that differ only in their operands are one dispatch and share code', () => {
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

  it('sums that are added to each other become one sum, without a chain of kernels', () => {
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

  it('updates state in place where no kernel reads the old value afterwards', () => {
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

  it('adds a copy where an update would overwrite state that is still read', () => {
    const body = step({
      state: { p: float32(6), q: float32(3, 2) },
      inputs: {},
      body: ({ p, q }) => ({ state: { p: q.transpose().reshape([6]), q: p.reshape([3, 2]) } }),
    });
    expect(levelsOf(body).length).toBe(2);
  });
});

describe('a program on tensor cores', () => {
  const twoLayers = step({
    state: { first: float32(40, 64), small: float32(64, 24), second: float32(64, 96) },
    inputs: { x: float32(64, 40) },
    body: ({ first, small, second }, { x }) => {
      const hidden = x.matmul(first).relu();
      return { outputs: { y: hidden.matmul(second).relu(), z: hidden.matmul(small) } };
    },
  });
  const state = new Map(
    ['first', 'small', 'second'].map((name, i) => [name, { buffer: 'state0', offset: 8192 * i }] as const),
  );
  const codesOf = (body: Step, tensorCores: boolean, workgroupMemory = 49152): string[] => {
    const options = { state, workgroupMemory, mostThreads: 1024, tensorCores };
    return lower(graphOf(body), options).dispatches.map(({ code }) => code);
  };
  const isFragmented = (code: string): boolean => code.includes('subgroupMatrixMultiplyAccumulate');

  it('has its large products there, in dispatches without other tiled products', () => {
    const codes = codesOf(twoLayers, true);
    // The layer, the large product behind it, and the one with too few columns, which has its tile to itself.
    expect(codes.map(isFragmented)).toEqual([true, true, false]);
    for (const code of codes) expect(isFragmented(code) && code.includes('tile_')).toBe(false);
    for (const code of codes.filter(isFragmented)) {
      const [threads] = Array.from(code.matchAll(/@workgroup_size\((\d+)\)/g), ([, digits]) => Number(digits));
      expect(threads % 32).toBe(0);
    }
  });

  it('enables what it needs before anything else, and only where it needs it', () => {
    for (const code of codesOf(twoLayers, true)) {
      expect(code.startsWith('enable f16;\nenable subgroups;\nenable chromium_experimental_subgroup_matrix;\n')).toBe(
        isFragmented(code),
      );
      expect(code.includes('f16')).toBe(isFragmented(code));
    }
    expect(codesOf(twoLayers, false).filter((code) => /enable|f16|subgroup/.test(code))).toEqual([]);
  });

  it('keeps small products, and those with a sum in their epilogue, with 32-bit numbers', () => {
    const product = (rows: number, inner: number, columns: number): Step =>
      step({
        state: {},
        inputs: { x: float32(rows, inner), y: float32(inner, columns) },
        body: (_, { x, y }) => ({ outputs: { z: x.matmul(y) } }),
      });
    const isOnTensorCores = (body: Step): boolean => codesOf(body, true).some(isFragmented);
    expect(isOnTensorCores(product(32, 16, 32))).toBe(true);
    expect(isOnTensorCores(product(31, 64, 64))).toBe(false);
    expect(isOnTensorCores(product(64, 15, 64))).toBe(false);
    expect(isOnTensorCores(product(64, 64, 31))).toBe(false);
    const summed = step({
      state: {},
      inputs: { x: float32(1, 64, 64), u: float32(11, 64, 64), f: float32(11, 64, 1) },
      body: (_, { x, u, f }) => ({ outputs: { y: x.matmul(u).mul(f).sum(0) } }),
    });
    expect(isOnTensorCores(summed)).toBe(false);
  });

  it('stays within the memory of a workgroup, also where products with other tiles run together', () => {
    const bytes = { f16: 2, 'vec2<f16>': 4, 'vec4<f16>': 8, f32: 4, vec4f: 16 };
    const specs = Object.fromEntries(
      [
        [256, 25],
        [256, 256],
        [256, 400],
        [128, 800],
        [400, 200],
        [32, 300],
        [1024, 64],
      ].flatMap(([rows, inner], i) => [
        [`x${i}`, float32(12, rows, inner)] as const,
        [`y${i}`, float32(12, inner, 100 * i + 64)] as const,
      ]),
    );
    const many = step({
      state: {},
      inputs: specs,
      body: (_, inputs) => ({
        outputs: Object.fromEntries(
          Array.from({ length: 7 }, (_, i) => [`z${i}`, inputs[`x${i}`].matmul(inputs[`y${i}`]).relu()]),
        ),
      }),
    });
    expect(codesOf(many, true).length).toBe(1);
    for (const memory of [16384, 32768, 49152]) {
      for (const code of [...codesOf(twoLayers, true, memory), ...codesOf(many, true, memory)]) {
        const arrays = code.matchAll(/var<workgroup> \w+: array<(.*), (\d+)>;/g);
        const used = Array.from(arrays, ([, type, size]) => bytes[type as keyof typeof bytes] * Number(size));
        expect(used.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(memory);
      }
    }
  });
});

describe('chooseTile', () => {
  it('tiles are large where there is much work and small where there is little', () => {
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

  it('a product that runs beside other work gets a tile that takes few registers', () => {
    const product = { rows: 256, columns: 400, inner: 400, batch: 48, terms: 1, results: 1, isBesideUpdate: false };
    const { tile: alone } = chooseTile({ ...product, share: 1 }, 256, 12288);
    const { tile: beside } = chooseTile({ ...product, share: 0.1 }, 256, 12288);
    expect(alone.perThread.rows * alone.perThread.columns).toBeGreaterThanOrEqual(64);
    expect(beside.perThread).toEqual({ rows: 4, columns: 4 });
    const { tile: update } = chooseTile({ ...product, share: 1, isBesideUpdate: true }, 256, 12288);
    expect(update.perThread).toEqual({ rows: 4, columns: 4 });
  });

  it('there is a tile for any sum of products, on small adapters too', () => {
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

  it('a tile fits into the workgroup memory of the adapter', () => {
    const { tile } = chooseTile(
      { rows: 256, columns: 400, inner: 400, batch: 48, terms: 1, share: 1, results: 1, isBesideUpdate: false },
      256,
      4096,
    );
    expect(tile.depth * (tile.height + tile.width + 8)).toBeLessThanOrEqual(4096);
    expect(400 % tile.depth).toBe(0);
  });
});
