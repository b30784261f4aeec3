import { describe, expect, it, vi } from 'vitest';

import { compile, concat, float32, grad, mapTensors, openDevice, step } from '../../src/tensor/index.js';
import type { Tensor, Values } from '../../src/tensor/index.js';
import { compileFor } from '../../src/tensor/program.js';
import { openGpu } from '../../src/tensor/webgpu/device.js';
import { chooseTile, shapesForSums, tileOf, tileShapes } from '../../src/tensor/webgpu/tile.js';
import { devices, expectClose, randomInputs, stateAfterUpdates, updateInputs } from './support.js';

/** A GPU in software compiles every kernel anew, which takes a slow machine a minute for all tiles. */
const SLOW = 240_000;

const products = [
  { left: [19, 21], right: [21, 17] },
  { left: [21, 20], right: [21, 18], transA: true },
  { left: [21, 20], right: [18, 21], transA: true, transB: true },
  { left: [3, 8, 11], right: [3, 11, 300] },
  { left: [32, 40], right: [40, 80] },
  { left: [64, 33], right: [33, 6] },
  { left: [5, 5000], right: [5000, 3] },
];

/** Chooses tiles of a given shape where that is possible. */
class Tiler {
  shape = tileShapes[0];
  readonly used = new Set<string>();

  readonly tileFor: typeof chooseTile = (product, threads, memory) => {
    const [height, width, rows, columns] = this.shape;
    const tile = tileOf(product, { height, width, perThread: { rows, columns } }, threads, memory);
    if (tile === undefined) return chooseTile(product, threads, memory);
    this.used.add(this.shape.join());
    return { tile, time: 0 };
  };
}

// Where there is no GPU the support file has said so.
describe.runIf(devices.includes('gpu'))('on a GPU', () => {
  it.each(products)('a GPU multiplies $left and $right (transA $transA, transB $transB)', async (product) => {
    const { left, right, transA, transB } = product;
    const body = step({
      state: {},
      inputs: { x: float32(...left), y: float32(...right) },
      body: (_, { x, y }) => {
        const z = x.matmul(y, { transA, transB });
        return { outputs: { z: z.relu(), ...grad(z.tanh().mean(), { x, y }) } };
      },
    });
    const values = randomInputs({ x: float32(...left), y: float32(...right) }, 1, [-1, 1]) as { x: Values; y: Values };
    const [gpu, truth] = [await compile(body, { device: 'gpu' }), await compile(body, { device: 'cpu' })];
    const [is, should] = [await gpu.run(values), await truth.run(values)] as Record<string, Values>[];
    for (const name of Object.keys(should)) expectClose(is[name], should[name], 2e-5, name);
    await Promise.all([gpu.dispose(), truth.dispose()]);
  });

  it('a product with an optimiser in its epilogue has the same values with every tile', { timeout: SLOW }, async () => {
    const values = randomInputs(updateInputs, 3, [-1, 1]);
    const should = await stateAfterUpdates(await openDevice('reference'), values);
    const tiler = new Tiler();
    const device = await openGpu(undefined, { threadCounts: [128, 256, 320], tileFor: tiler.tileFor });
    for (const shape of tileShapes) {
      tiler.shape = shape;
      const is = await stateAfterUpdates(device, values);
      for (const name of ['p', 'm'] as const) expectClose(is[name], should[name], 2e-5, `${name} with ${shape.join()}`);
    }
    // Some need more threads than a small adapter has.
    expect(tiler.used.size).toBeGreaterThanOrEqual(24);
    device.close();
  });

  it('a sum of products has the same values with every tile', { timeout: SLOW }, async () => {
    const [terms, rows, columns, inner] = [3, 37, 21, 19];
    const spec = { x: float32(1, rows, inner), u: float32(terms, inner, columns), f: float32(terms, rows, 1) };
    const body = step({
      state: {},
      inputs: spec,
      body: (_, { x, u, f }) => {
        const each = x.matmul(u);
        return { outputs: { y: each.mul(f).sum(0).relu(), longest: each.square().sum(2) } };
      },
    });
    const values = randomInputs(spec, 5, [-1, 1]) as Record<keyof typeof spec, Values>;
    const truth = await compile(body, { device: 'reference' });
    const should = await truth.run(values);
    const tiler = new Tiler();
    const device = await openGpu(undefined, { threadCounts: [96, 192], tileFor: tiler.tileFor });
    // Higher tiles run the same code more often.
    for (const shape of shapesForSums(terms).filter(([height]) => height <= 32)) {
      tiler.shape = shape;
      const program = await compileFor(device, body);
      const is = await program.run(values);
      for (const name of ['y', 'longest'] as const)
        expectClose(is[name], should[name], 2e-5, `${name} with ${shape.join()}`);
      await program.dispose();
    }
    expect(tiler.used.size).toBeGreaterThanOrEqual(20);
    device.close();
  });

  it.each([
    { terms: 11, rows: 33, inputs: 40, outputs: 30, replicas: 1 },
    { terms: 3, rows: 5, inputs: 9, outputs: 12, replicas: 2 },
    { terms: 16, rows: 70, inputs: 130, outputs: 6, replicas: 1 },
  ])(
    'a GPU sums $terms products of $rows x $outputs in their epilogue',
    async ({ terms, rows, inputs, outputs, replicas }) => {
      const specs = {
        x: float32(rows, inputs),
        f: float32(terms, rows, 1),
        u: float32(terms, inputs, outputs),
        b: float32(terms, 1, outputs),
      };
      const body = step({
        state: {},
        inputs: specs,
        body: (_, { x, f, u, b }) => {
          const layer = (signal: Tensor): Tensor => signal.reshape([1, rows, -1]).matmul(u).add(b).mul(f).sum(0).relu();
          const y = layer(x.add(f.slice(0, 0, 1).reshape([rows, 1])));
          // An operation after a sum that needs its terms again is not part of the epilogue.
          const terms = x.reshape([1, rows, inputs]).mul(0.5).matmul(u);
          const z = terms.mul(f).sum(0).add(terms.max(0)).tanh();
          return { outputs: { y, z, ...grad(y.square().mean(), { x, f, u, b }) } };
        },
      });
      const values = randomInputs(
        Object.fromEntries(Object.entries(specs).map(([name, { shape }]) => [name, float32(replicas, ...shape)])),
        4,
        [-1, 1],
      ) as unknown as Record<keyof typeof specs, Values>;
      const [gpu, truth] = await Promise.all(['gpu', 'reference'].map((device) => compile(body, { device, replicas })));
      const [is, should] = [await gpu.run(values), await truth.run(values)] as Record<string, Values>[];
      for (const name of Object.keys(should)) expectClose(is[name], should[name], 2e-5, name);
      await Promise.all([gpu.dispose(), truth.dispose()]);
    },
  );

  const [terms, sums] = [float32(3, 24, 20), float32(3, 20, 1)];
  const cycles: Record<string, (a: Tensor, b: Tensor, f: Tensor, s: Tensor) => Record<string, Tensor>> = {
    'their epilogues': (a, b, f) => ({
      p: a.mul(f).sum(0).add(b.max(0)),
      q: b.mul(f).sum(0).add(a.max(0)),
    }),
    'their factors': (a, b) => ({ p: a.mul(b.max(2, true)).sum(0), q: b.mul(a.max(2, true)).sum(0) }),
    'results that share a kernel': (a, _, f, s) => {
      const twice = s.mul(2);
      return { p: a.max(0).add(s), q: twice, r: a.mul(f).sum(0).add(twice) };
    },
  };
  it.each(Object.keys(cycles))('a GPU sums products that depend on each other through %s', async (name) => {
    const specs = { x: float32(1, 20, 24), u: terms, w: terms, f: sums, s: float32(20, 20) };
    const body = step({
      state: {},
      inputs: specs,
      body: (_, { x, u, w, f, s }) => ({ outputs: cycles[name](x.matmul(u), x.matmul(w), f, s) }),
    });
    const values = randomInputs(specs, 6, [-1, 1]) as unknown as Record<keyof typeof specs, Values>;
    const [gpu, truth] = await Promise.all(['gpu', 'reference'].map((device) => compile(body, { device })));
    const [is, should] = [await gpu.run(values), await truth.run(values)] as Record<string, Values>[];
    for (const output of Object.keys(should)) expectClose(is[output], should[output], 2e-5, output);
    await Promise.all([gpu.dispose(), truth.dispose()]);
  });

  const normalised = (x: Tensor): Tensor => {
    const deviation = x.sub(x.mean(-1, true));
    return deviation.div(deviation.square().mean(-1, true).add(1e-5).sqrt());
  };
  const softmax = (x: Tensor): Tensor => {
    const exponential = x.sub(x.max(-1, true)).exp();
    return exponential.div(exponential.sum(-1, true));
  };
  const rowwise: Record<string, (x: Tensor) => Tensor> = {
    'a softmax': softmax,
    'layer normalisation': normalised,
    'layer normalisation of a softmax': (x) => normalised(softmax(x)),
    'rows that are normalised in other shapes': (x) => normalised(x.reshape([-1, 6, x.shape[1]])).reshape(x.shape),
    'rows and columns that are normalised': (x) => normalised(normalised(x).transpose()).transpose(),
    'rows that need other rows': (x) => normalised(x.sub(x.sum(1).slice(0, 1, 1).reshape([1, 1]))),
  };
  it.each([
    { name: 'a softmax', rows: 54, width: 130, replicas: 1 },
    { name: 'layer normalisation', rows: 6, width: 17, replicas: 2 },
    { name: 'layer normalisation of a softmax', rows: 54, width: 130, replicas: 1 },
    { name: 'rows that are normalised in other shapes', rows: 6, width: 17, replicas: 2 },
    { name: 'rows and columns that are normalised', rows: 54, width: 130, replicas: 1 },
    { name: 'rows that need other rows', rows: 6, width: 17, replicas: 2 },
  ])('a GPU computes $name', async ({ name, rows, width, replicas }) => {
    const specs = { x: float32(rows, width), factor: float32(rows, width) };
    const body = step({
      state: { moved: float32(rows, width) },
      inputs: specs,
      body: ({ moved }, { x, factor }) => {
        const y = rowwise[name](x);
        return {
          // An update that depends on the whole row of the old value.
          state: { moved: rowwise[name](moved.add(x)) },
          outputs: { y, gradient: grad(y.mul(factor).tanh().sum(), x) },
        };
      },
    });
    const all = Object.entries(specs).map(([key, { shape }]) => [key, float32(replicas, ...shape)] as const);
    const values = randomInputs(Object.fromEntries(all), 7, [-1, 1]) as unknown as Record<keyof typeof specs, Values>;
    const [gpu, truth] = await Promise.all(['gpu', 'reference'].map((device) => compile(body, { device, replicas })));
    for (let i = 0; i < 2; i++) {
      const [is, should] = [await gpu.run(values), await truth.run(values)] as Record<string, Values>[];
      for (const key of Object.keys(should)) expectClose(is[key], should[key], 5e-5, key);
    }
    expectClose(await gpu.state.read('moved'), await truth.state.read('moved'), 5e-5, 'moved');
    await Promise.all([gpu.dispose(), truth.dispose()]);
  });

  it('a network with layer normalisation is trained on a GPU as on the reference', async () => {
    const [rows, inputs, width] = [12, 5, 40];
    const parameters = { first: float32(inputs, width), second: float32(width, width), third: float32(width, 1) };
    const body = step({
      state: { ...parameters, moment: parameters },
      inputs: { x: float32(rows, inputs), y: float32(rows, 1) },
      body: ({ moment, ...weights }, { x, y }) => {
        const hidden = normalised(normalised(x.matmul(weights.first)).relu().matmul(weights.second)).relu();
        const loss = hidden.matmul(weights.third).sub(y).square().mean();
        const next = mapTensors(grad(loss, weights), (gradient, path) =>
          moment[path as keyof typeof parameters].mul(0.9).add(gradient),
        );
        const update = mapTensors(next, (step, path) => weights[path as keyof typeof parameters].sub(step.mul(0.05)));
        return { state: { ...update, moment: next }, outputs: { loss } };
      },
    });
    const start = randomInputs({ ...parameters, x: float32(rows, inputs), y: float32(rows, 1) }, 8, [-1, 1]);
    const values = { x: start.x, y: start.y };
    const [gpu, truth] = await Promise.all(['gpu', 'reference'].map((device) => compile(body, { device })));
    for (const program of [gpu, truth]) {
      for (const name of Object.keys(parameters)) program.state.write(name, start[name]);
      for (let i = 0; i < 3; i++) await program.run(values);
    }
    for (const name of truth.state.names) {
      expectClose(await gpu.state.read(name), await truth.state.read(name), 1e-4, name);
    }
    await Promise.all([gpu.dispose(), truth.dispose()]);
  });

  it('a GPU sums over any axes, long and short', async () => {
    const body = step({
      state: {},
      inputs: { x: float32(3, 50, 70) },
      body: (_, { x }) => ({
        outputs: {
          all: x.sum(),
          rows: x.sum(2),
          columns: x.sum([0, 1]),
          first: x.sum(0),
          most: x.max([1, 2]),
          where: x.reshape([3, 3500]).argmax(1),
          joined: x
            .square()
            .sum([1, 2])
            .add(x.sum([1, 2])),
        },
      }),
    });
    const values = randomInputs({ x: float32(3, 50, 70) }, 2) as { x: Values };
    const [gpu, truth] = [await compile(body, { device: 'gpu' }), await compile(body, { device: 'reference' })];
    const [is, should] = [await gpu.run(values), await truth.run(values)] as Record<string, Values>[];
    for (const name of Object.keys(should)) expectClose(is[name], should[name], 2e-6, name);
    await gpu.dispose();
  });

  it('a GPU does what it is asked for in order, although no call waits for the one before', async () => {
    const body = step({
      state: { p: float32(2) },
      inputs: { x: float32(2) },
      body: ({ p }, { x }) => ({ state: { p: p.add(x) }, outputs: { after: p.add(x) } }),
    });
    const program = await compile(body, { device: 'gpu' });
    const x = Float32Array.of(1, 2);
    const first = program.run({ x });
    // Inputs are copied when run is called.
    x.fill(10);
    const between = program.state.read('p');
    const second = program.run({ x }, { read: [] });
    program.state.write('p', Float32Array.of(100), 1);
    const last = program.state.read('p');
    expect([...(await first).after]).toEqual([1, 2]);
    expect([...(await between)]).toEqual([1, 2]);
    await second;
    expect([...(await last)]).toEqual([11, 100]);
    await program.dispose();
  });

  it('a GPU runs many steps in one submission and reads only the outputs that are asked for', async () => {
    const body = step({
      state: { p: float32(4) },
      inputs: { x: float32(4) },
      body: ({ p }, { x }) => ({ state: { p: p.add(x) }, outputs: { before: p, twice: concat([x, x], 0) } }),
    });
    const program = await compile(body, { device: 'gpu' });
    for (let i = 1; i <= 25; i++) await program.run({ x: new Float32Array(4).fill(i) }, { read: [] });
    const { before, ...rest } = await program.run({ x: Float32Array.of(1, 2, 3, 4) }, { read: ['before'] });
    expect([...before]).toEqual([325, 325, 325, 325]);
    expect(Object.keys(rest)).toEqual([]);
    expect([...(await program.state.read('p'))]).toEqual([326, 327, 328, 329]);
    await program.dispose();
  });

  it('a program that was compiled before is not compiled again, and has a state of its own', async () => {
    const body = step({
      state: { p: float32(4) },
      inputs: { x: float32(4) },
      body: ({ p }, { x }) => ({ state: { p: p.add(x) } }),
    });
    const device = await openGpu();
    const { device: inner } = device as unknown as { device: GPUDevice };
    const compiled = vi.spyOn(inner, 'createShaderModule');
    const programs = [await compileFor(device, body)];
    const count = compiled.mock.calls.length;
    expect(count).toBeGreaterThan(0);
    programs.push(await compileFor(device, body));
    expect(compiled).toHaveBeenCalledTimes(count);
    await programs[0].run({ x: Float32Array.of(1, 2, 3, 4) });
    await programs[0].dispose();
    await programs[1].run({ x: Float32Array.of(5, 6, 7, 8) });
    expect([...(await programs[1].state.read('p'))]).toEqual([5, 6, 7, 8]);
    await programs[1].dispose();
    device.close();
  });
});
