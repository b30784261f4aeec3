import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { constant, leaf } from '../tensor.js';
import { exportOnnx } from './export.js';
import { lower } from './lower.js';
import { ort } from './runtime.js';

const x = leaf('x', [2, 3]);
const w = leaf('w', [4, 3]);
const y = x
  .matmul(w, { transB: true })
  .add(constant([1, 2, 3, 4]))
  .relu();

const feeds = {
  x: new ort.Tensor('float32', Float32Array.of(1, 2, 3, -1, -2, -3), [2, 3]),
  w: new ort.Tensor('float32', Float32Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1), [4, 3]),
};
// Rows of x w^T + [1 2 3 4], cut at zero.
const expected = [2, 4, 6, 10, 0, 0, 0, 0];

describe('exportOnnx', () => {
  it.each([true, false])('writes a file that onnxruntime loads (portable: %s)', async (portable) => {
    const folder = await mkdtemp(join(tmpdir(), 'psl-onnx-'));
    try {
      const file = join(folder, 'layer.onnx');
      await writeFile(file, exportOnnx({ x, w }, { y }, { portable }));
      const session = await ort.InferenceSession.create(file);
      expect(session.inputNames).toEqual(['x', 'w']);
      expect(session.outputNames).toEqual(['y']);
      const result = await session.run(feeds);
      expect([...(result.y.data as Float32Array)]).toEqual(expected);
      expect(result.y.dims).toEqual([2, 4]);
      await session.release();
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('a portable export uses standard operators only', () => {
    const batched = leaf('a', [2, 3, 4]).matmul(leaf('b', [2, 3, 5]), { transA: true });
    const domains = (portable: boolean): unknown[] =>
      lower([], new Map([['y', batched]]), { name: 'test', portable }).nodes.map((node) => node.domain);
    expect(domains(true).every((domain) => domain === undefined)).toBe(true);
    expect(domains(false)).toContain('com.microsoft');
  });

  it('a product and a square can be outputs although they are also part of a fused operation', async () => {
    const product = x.matmul(w, { transB: true });
    const square = x.mul(x);
    const outputs = { product, biased: product.add(constant([1, 2, 3, 4])), square, total: square.sum() };
    const session = await ort.InferenceSession.create(exportOnnx({ x, w }, outputs));
    const result = await session.run(feeds);
    const lists = Object.fromEntries(Object.entries(result).map(([name, { data }]) => [name, [...(data as never[])]]));
    expect(lists).toEqual({
      product: [1, 2, 3, 6, -1, -2, -3, -6],
      biased: [2, 4, 6, 10, 0, 0, 0, -2],
      square: [1, 4, 9, 1, 4, 9],
      total: [28],
    });
    await session.release();
  });

  it('names a leaf that is missing among the inputs', () => {
    expect(() => exportOnnx({ x }, { y })).toThrow("leaf 'w' is used but is not among the inputs: x");
    expect(() => exportOnnx({ v: x }, { y: x.neg() })).toThrow("input 'v' must be a leaf of that name");
  });

  it('avoids the names that a caller chose', async () => {
    const t0 = leaf('t0', [2]);
    const bytes = exportOnnx({ t0 }, { c0: t0.exp().add(1), t1: t0.exp().tanh().neg() });
    const session = await ort.InferenceSession.create(bytes);
    const result = await session.run({ t0: new ort.Tensor('float32', Float32Array.of(0, 0), [2]) });
    expect([...(result.c0.data as Float32Array)]).toEqual([2, 2]);
    await session.release();
    expect(() => exportOnnx({ t0 }, { t0: t0.neg() })).toThrow("'t0' names both an input and an output");
    expect(() => exportOnnx({ t0 }, {})).toThrow('there are no outputs to export');
  });
});
