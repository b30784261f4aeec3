import { describe, expect, it } from 'vitest';

import { Random } from '../random/index.js';
import { compile, constant, float32, grad, mapSpecs, step } from '../tensor/index.js';
import { mlp } from './mlp.js';
import { adam, adamSpecs, clipByGlobalNorm, clipped, softUpdate } from './optimise.js';

const parameters = { a: float32(2), b: { c: float32() } };

describe.each(['reference', 'cpu'])('on %s', (device) => {
  it('Adam makes the steps worked out by hand', async () => {
    const program = await compile(
      step({
        state: { parameters, adam: adamSpecs(parameters) },
        inputs: { g: float32(2), h: float32() },
        body: (state, { g, h }) => {
          const next = adam(state.parameters, { a: g, b: { c: h } }, state.adam, { learningRate: 0.1 });
          return { state: { parameters: next.parameters, adam: next.state } };
        },
      }),
      { device },
    );
    program.state.load({ parameters: { a: Float32Array.of(1, -2), b: { c: Float32Array.of(0.5) } } });
    const run = (g: number[], h: number) => program.run({ g: Float32Array.from(g), h: Float32Array.of(h) });
    // Step 1: m-hat = g and sqrt(v-hat) = |g|, so every entry moves by 0.1 against its gradient.
    await run([2, -4], 1);
    expect((await program.state.read('parameters.a'))[0]).toBeCloseTo(0.9, 6);
    expect((await program.state.read('parameters.a'))[1]).toBeCloseTo(-1.9, 6);
    expect((await program.state.read('parameters.b.c'))[0]).toBeCloseTo(0.4, 6);
    // Step 2, a[0], gradient 1: m = 0.9 * 0.2 + 0.1 = 0.28; v = 0.999 * 0.004 + 0.001 = 0.004996;
    // m-hat = 0.28 / 0.19, v-hat = 0.004996 / 0.001999; 0.1 * 1.4736842 / 1.5808952 = 0.0932183.
    await run([1, 0], 0);
    expect((await program.state.read('parameters.a'))[0]).toBeCloseTo(0.9 - 0.0932183, 6);
    expect((await program.state.read('adam.m.a'))[0]).toBeCloseTo(0.28, 6);
    expect((await program.state.read('adam.v.a'))[0]).toBeCloseTo(0.004996, 8);
    // a[1], gradient 0: m = 0.9 * -0.4 = -0.36; v = 0.999 * 0.016; 0.1 * (0.36 / 0.19) / sqrt(0.015984 / 0.001999).
    expect((await program.state.read('parameters.a'))[1]).toBeCloseTo(-1.9 + 0.0670058, 6);
  });

  it('Adam leaves a parameter without a gradient where it is, and damps one near epsilon', async () => {
    const program = await compile(
      step({
        state: { parameters, adam: adamSpecs(parameters) },
        inputs: { g: float32(2), h: float32() },
        body: (state, { g, h }) => {
          const next = adam(state.parameters, { a: g, b: { c: h } }, state.adam, { learningRate: 0.1, epsilon: 1e-3 });
          return { state: { parameters: next.parameters, adam: next.state } };
        },
      }),
      { device },
    );
    await program.run({ g: Float32Array.of(0, 1e-3), h: Float32Array.of(0) });
    // 0.1 * 1e-3 / (1e-3 + 1e-3).
    const [still, damped] = await program.state.read('parameters.a');
    expect(still).toBe(0);
    expect(damped).toBeCloseTo(-0.05, 6);
    expect([...(await program.state.read('parameters.b.c'))]).toEqual([0]);
  });

  it('clipping can be left out', async () => {
    const body = step({
      state: {},
      inputs: { g: float32(2) },
      body: (_, { g }) => ({ outputs: { one: clipped({ g }, 1).g, all: clipped({ g }, null).g } }),
    });
    const { one, all } = await (await compile(body, { device })).run({ g: Float32Array.of(3, 4) });
    expect(one[1]).toBeCloseTo(0.8, 5);
    expect([...all]).toEqual([3, 4]);
  });

  it('keeps the moments of what is never used from becoming denormal numbers', async () => {
    const program = await compile(
      step({
        state: { parameters: { a: float32(8) }, adam: adamSpecs({ a: float32(8) }) },
        inputs: { g: float32(8) },
        body: (state, { g }) => {
          const next = adam(state.parameters, { a: g }, state.adam, { learningRate: 0.1 });
          return { state: { parameters: next.parameters, adam: next.state } };
        },
      }),
      { device },
    );
    await program.run({ g: Float32Array.of(1, -1, 1e-3, 2, -2, 0, 5, 1e-10) });
    for (let i = 0; i < 1200; i++) await program.run({ g: new Float32Array(8) });
    const moments = [...(await program.state.read('adam.m.a'))].map(Math.abs);
    expect(moments.every((m) => m < 1e-30)).toBe(true);
    expect(moments.filter((m) => m > 0 && m < 2 ** -126)).toEqual([]);
    expect((await program.state.read('adam.v.a'))[0]).toBeGreaterThan(1e-4);
  });

  it('clipping scales all gradients by their joint norm', async () => {
    const body = step({
      state: {},
      inputs: { g: float32(2), h: float32() },
      body: (_, { g, h }) => {
        const small = clipByGlobalNorm({ g, h }, 6.5);
        const large = clipByGlobalNorm({ g, h }, 100);
        return { outputs: { norm: small.norm, g: small.gradients.g, h: small.gradients.h, same: large.gradients.g } };
      },
    });
    const program = await compile(body, { device });
    const { norm, g, h, same } = await program.run({ g: Float32Array.of(3, 4), h: Float32Array.of(12) });
    expect(norm[0]).toBeCloseTo(13, 5);
    expect(g[0]).toBeCloseTo(1.5, 5);
    expect(g[1]).toBeCloseTo(2, 5);
    expect(h[0]).toBeCloseTo(6, 5);
    expect([...same]).toEqual([3, 4]);
  });

  it('soft update moves targets by tau', async () => {
    const body = step({
      state: { target: parameters },
      inputs: { a: float32(2), c: float32() },
      body: ({ target }, { a, c }) => ({ state: { target: softUpdate(target, { a, b: { c } }, 0.25) } }),
    });
    const program = await compile(body, { device });
    program.state.load({ target: { a: Float32Array.of(0, 8), b: { c: Float32Array.of(-4) } } });
    await program.run({ a: Float32Array.of(4, 0), c: Float32Array.of(0) });
    expect([...(await program.state.read('target.a'))]).toEqual([1, 6]);
    expect([...(await program.state.read('target.b.c'))]).toEqual([-3]);
  });
});

describe('training', () => {
  const network = mlp({ inputs: 2, hidden: [8], outputs: 1, activation: 'tanh' });
  const xor = step({
    state: { network: network.specs, adam: adamSpecs(network.specs) },
    inputs: {},
    body: (state) => {
      const x = constant([0, 0, 0, 1, 1, 0, 1, 1], [4, 2]);
      const y = constant([0, 1, 1, 0], [4, 1]);
      const loss = network.apply(state.network, x).sub(y).square().mean();
      const next = adam(state.network, grad(loss, state.network), state.adam, { learningRate: 0.03 });
      return { state: { network: next.parameters, adam: next.state }, outputs: { loss } };
    },
  });

  it.each(['reference', 'cpu'])('solves XOR on %s', async (device) => {
    const program = await compile(xor, { device });
    program.state.load({ network: network.init(new Random(3)) });
    let last = Infinity;
    for (let i = 0; i < 400; i++) last = (await program.run({})).loss[0];
    expect(last).toBeLessThan(1e-3);
  });

  it('follows the reference step by step', async () => {
    const losses = await Promise.all(
      ['reference', 'cpu'].map(async (device) => {
        const program = await compile(xor, { device });
        program.state.load({ network: network.init(new Random(3)) });
        const out: number[] = [];
        for (let i = 0; i < 100; i++) out.push((await program.run({})).loss[0]);
        return out;
      }),
    );
    losses[0].forEach((loss, i) => expect(losses[1][i]).toBeCloseTo(loss, 5));
  });

  it('trains three replicas as three learners, to rounding', async () => {
    const together = await compile(xor, { replicas: 3 });
    for (let replica = 0; replica < 3; replica++) {
      together.state.load({ network: network.init(new Random(replica)) }, replica);
    }
    const joint: number[][] = [];
    for (let i = 0; i < 200; i++) joint.push([...(await together.run({})).loss]);
    for (let replica = 0; replica < 3; replica++) {
      const alone = await compile(xor);
      alone.state.load({ network: network.init(new Random(replica)) });
      let loss = 0;
      for (let i = 0; i < 200; i++) loss = (await alone.run({})).loss[0];
      expect(joint[199][replica]).toBeCloseTo(loss, 5);
    }
  });

  it('gives the same numbers twice, bit for bit', async () => {
    const runs = [];
    for (let i = 0; i < 2; i++) {
      const program = await compile(xor);
      program.state.load({ network: network.init(new Random(5)) });
      for (let k = 0; k < 50; k++) await program.run({});
      runs.push(await program.state.read('network.layer0.weight'));
    }
    expect(runs[0]).toEqual(runs[1]);
  });
});

describe('adamSpecs', () => {
  it('mirrors the parameters', () => {
    expect(adamSpecs(parameters).m).toEqual(mapSpecs(parameters, (spec) => spec));
  });
});
