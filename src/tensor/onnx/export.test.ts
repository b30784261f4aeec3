import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import * as ort from 'onnxruntime-node';
import { describe, expect, it } from 'vitest';

import { constant, leaf } from '../tensor.js';
import { exportOnnx } from './export.js';
import { lower } from './lower.js';

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

  it('uses standard operators alone where it is asked to be portable', () => {
    const batched = leaf('a', [2, 3, 4]).matmul(leaf('b', [2, 3, 5]), { transA: true });
    const domains = (portable: boolean): unknown[] =>
      lower([], new Map([['y', batched]]), { name: 'test', portable }).nodes.map((node) => node.domain);
    expect(domains(true).every((domain) => domain === undefined)).toBe(true);
    expect(domains(false)).toContain('com.microsoft');
  });

  it('says which leaf is missing', () => {
    expect(() => exportOnnx({ x }, { y })).toThrow("leaf 'w' is used but is not among the inputs: x");
    expect(() => exportOnnx({ v: x }, { y: x.neg() })).toThrow("input 'v' must be a leaf of that name");
  });
});
