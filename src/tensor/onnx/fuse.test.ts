import { describe, expect, it } from 'vitest';

import { compileFor } from '../program.js';
import { float32 } from '../shape.js';
import { simplify } from '../simplify.js';
import { step, trace } from '../step.js';
import type { Step } from '../step.js';
import { CpuDevice } from './device.js';
import { partition } from './fuse.js';
import type { CpuMemory } from './memory.js';
import { onnxruntimeNode } from './runtime.js';

const momentum = (size: number) =>
  step({
    state: { p: float32(size), m: float32(size), target: float32(size), count: float32() },
    inputs: { x: float32(2, size), rate: float32() },
    body: ({ p, m, target, count }, { x, rate }) => {
      const g = x.sum(0);
      const m2 = m.mul(0.9).add(g);
      const p2 = p.sub(m2.mul(rate).div(g.abs().sqrt().add(count))).maximum(-3);
      return {
        state: { p: p2, m: m2, target: target.add(p2.sub(target).mul(0.1)).relu(), count: count.add(1) },
        outputs: { p2: p2.sum() },
      };
    },
  });

const groupsOf = (body: Step) => partition(simplify(trace(body)));

describe('partition', () => {
  it('joins updates of one shape that share work', () => {
    const { groups, rest } = groupsOf(momentum(8));
    expect(groups).toHaveLength(1);
    expect([...groups[0].updates.keys()]).toEqual(['p', 'm', 'target']);
    expect([...groups[0].state.values()].sort()).toEqual(['m', 'p', 'target']);
    expect(groups[0].arrays.map((node) => node.op.kind)).toEqual(['sum']);
    // The scalar is left to the graph.
    expect([...rest.keys()]).toEqual(['count']);
  });

  it('leaves updates alone that read as many arrays as they write', () => {
    const add = step({
      state: { a: float32(4) },
      inputs: { x: float32(4) },
      body: ({ a }, { x }) => ({ state: { a: a.add(x) } }),
    });
    expect(groupsOf(add).groups).toHaveLength(0);
  });

  it('a fused update stops at operations without a WebAssembly instruction and at shapes that broadcast', () => {
    const body = step({
      state: { a: float32(2, 3), b: float32(2, 3), c: float32(3) },
      inputs: {},
      body: ({ a, b, c }) => ({ state: { a: a.add(c).mul(2), b: a.tanh().sub(b) } }),
    });
    const { groups } = groupsOf(body);
    for (const group of groups) expect(group.arrays.every((node) => ['add', 'tanh'].includes(node.op.kind))).toBe(true);
  });
});

describe('fused updates', () => {
  // Sizes around the width of the vector unit, and one that fills it many times.
  it.each([2, 3, 4, 5, 7, 8, 9, 1000, 1003])('of %i numbers equal those of the plain graph', async (size) => {
    const results: number[][] = [];
    for (const fuseUpdates of [true, false]) {
      for (const replicas of [undefined, 3]) {
        const program = await compileFor(new CpuDevice(onnxruntimeNode, { threads: 1, fuseUpdates }), momentum(size), {
          replicas,
        });
        const copies = replicas ?? 1;
        const x = Float32Array.from({ length: 2 * size * copies }, (_, i) => Math.sin(i % (2 * size)));
        const rate = new Float32Array(copies).fill(0.05);
        const out: number[] = [];
        for (let i = 0; i < 4; i++) out.push((await program.run({ x, rate })).p2[0]);
        for (const name of ['p', 'm', 'target', 'count']) {
          const values = await program.state.read(name);
          out.push(...values.slice(values.length - values.length / copies));
        }
        results.push(out);
        await program.dispose();
      }
    }
    for (const other of results.slice(1)) {
      results[0].forEach((value, i) => expect(other[i]).toBeCloseTo(value, 4));
    }
    expect(results[0].every(Number.isFinite)).toBe(true);
  });

  it('give each replica its own scalars', async () => {
    const program = await compileFor(new CpuDevice(onnxruntimeNode, { threads: 1 }), momentum(5), { replicas: 2 });
    const x = new Float32Array(2 * 2 * 5).fill(0.5);
    await program.run({ x, rate: Float32Array.of(0, 0.5) });
    const p = await program.state.read('p');
    // g = 1, m = 1, count = 0: p moves by the rate.
    expect([...p]).toEqual([0, 0, 0, 0, 0, -0.5, -0.5, -0.5, -0.5, -0.5]);
  });

  it('a disposed program frees the memory of its fused updates', async () => {
    const device = new CpuDevice(onnxruntimeNode, { threads: 1 });
    const first = await compileFor(device, momentum(5000));
    const { state } = first;
    const size = (): number => (state.memory as CpuMemory).wasm.buffer.byteLength;
    const before = size();
    await first.dispose();
    for (let i = 0; i < 20; i++) await (await compileFor(device, momentum(5000), { state })).dispose();
    expect(size()).toBe(before);
  });

  it('survive the growth of their memory', async () => {
    const device = new CpuDevice(onnxruntimeNode, { threads: 1 });
    const small = await compileFor(device, momentum(6));
    const inputs = { x: new Float32Array(12).fill(0.5), rate: Float32Array.of(0.5) };
    await small.run(inputs);
    const big = step({
      state: { a: float32(300, 300), b: float32(300, 300), p: float32(6) },
      inputs: {},
      body: ({ a, b, p }) => ({ state: { a: a.add(1), b: b.add(a) }, outputs: { p } }),
    });
    const large = await compileFor(device, big, { state: small.state });
    await large.run({});
    const { p } = await large.run({});
    expect([...p]).toEqual(new Array(6).fill(-0.5));
    expect((await small.state.read('b'))[89_999]).toBe(1);
    await small.run(inputs);
    expect((await small.state.read('m'))[5]).toBeCloseTo(1.9, 6);
  });
});
