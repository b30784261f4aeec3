import { describe, expect, it } from 'vitest';

import { float32, grad, openDevice, step } from '../../src/tensor/index.js';
import type { Values } from '../../src/tensor/index.js';
import { compileFor } from '../../src/tensor/program.js';
import { simplify } from '../../src/tensor/simplify.js';
import { trace } from '../../src/tensor/step.js';
import type { Step } from '../../src/tensor/step.js';
import { openGpu } from '../../src/tensor/webgpu/device.js';
import { chooseFragments, fragmentShapes, fragmentTilesOf } from '../../src/tensor/webgpu/fragment-tile.js';
import type { FragmentChooser, FragmentMemoryLimit } from '../../src/tensor/webgpu/fragment-tile.js';
import { lower } from '../../src/tensor/webgpu/lower.js';
import { findEmulated } from './emulated-fragments.js';
import { devices, expectClose, generator, randomInputs, stateAfterUpdates, updateInputs } from './support.js';

/** A GPU in software compiles every kernel anew. */
const SLOW = 240_000;

/** Dawn without any hardware, which checks shaders as it does for a GPU. Never released, since Node would crash. */
const checker = await import('webgpu').then(
  ({ create }) => create(['backend=null', 'enable-dawn-features=allow_unsafe_apis']),
  () => undefined,
);

/** Real tensor cores where there are some, and emulated ones wherever there is a GPU; the support file says what is missing. */
const kinds = [
  ...(devices.includes('gpu') ? [{ name: 'emulated tensor cores', find: findEmulated }] : []),
  ...(devices.includes('gpu-mixed') ? [{ name: 'tensor cores', find: undefined }] : []),
];

/** Numbers that 16 bits hold exactly, and whose products add up exactly in 32 bits. */
function exactValues(specs: Readonly<Record<string, { shape: readonly number[] }>>): Record<string, Values> {
  const uniform = generator(1);
  return Object.fromEntries(
    Object.entries(specs).map(([name, { shape }]) => [
      name,
      Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => Math.round((uniform() * 2 - 1) * 64) / 64),
    ]),
  );
}

async function outputsOf(body: Step, device: Parameters<typeof compileFor>[0], values: Record<string, Values>) {
  const program = await compileFor(device, body);
  const outputs: Record<string, Values> = await program.run(values);
  const copies = Object.fromEntries(Object.entries(outputs).map(([name, array]) => [name, array.slice()]));
  await program.dispose();
  return copies;
}

/** Emulated, a number of 16 bits by itself takes a whole word. */
const roomForWords = (limit: FragmentMemoryLimit): FragmentMemoryLimit => ({ ...limit, total: limit.total / 2 });
const chooseForWords: FragmentChooser = (product, threads, limit) =>
  chooseFragments(product, threads, roomForWords(limit));

describe.each(kinds)('on $name', ({ find }) => {
  const options = { tensorCores: true, fragmentsFor: find === undefined ? chooseFragments : chooseForWords };
  it.each(
    [
      { batch: [2], rows: 37, inner: 50, columns: 61 },
      { batch: [], rows: 256, inner: 25, columns: 400 },
      { batch: [2], rows: 128, inner: 400, columns: 80 },
      { batch: [3], rows: 32, inner: 256, columns: 202 },
    ].flatMap((size) =>
      [false, true].flatMap((transA) => [false, true].map((transB) => ({ ...size, transA, transB }))),
    ),
  )(
    'multiplies $batch x $rows x $inner x $columns (transA $transA, transB $transB) exactly where 16 bits suffice',
    async ({ batch, rows, inner, columns, transA, transB }) => {
      const specs = {
        x: float32(...batch, ...(transA ? [inner, rows] : [rows, inner])),
        y: float32(...batch, ...(transB ? [columns, inner] : [inner, columns])),
        b: float32(...batch, 1, columns),
      };
      const body = step({
        state: {},
        inputs: specs,
        body: (_, { x, y, b }) => ({ outputs: { z: x.matmul(y, { transA, transB }).add(b).relu() } }),
      });
      const values = exactValues(specs);
      const device = await openGpu(find, options);
      const is = await outputsOf(body, device, values);
      const should = await outputsOf(body, await openDevice('reference'), values);
      expectClose(is.z, should.z, 1e-6, 'z');
      device.close();
    },
  );

  it('a product with an optimiser in its epilogue has the same values with every tile', { timeout: SLOW }, async () => {
    const values = exactValues(updateInputs);
    const should = await stateAfterUpdates(await openDevice('reference'), values);
    const used = new Set<string>();
    for (const [i, shape] of fragmentShapes.entries()) {
      // Each shape with one depth and width of a run, and with the first or last of its numbers of buffers and rounds.
      const depths = [16, 32, 48].map((_, d, all) => all[(d + i) % 3]);
      const runs = [([1, 2, 4] as const)[Math.floor(i / 3) % 3], 2 as const];
      const fragmentsFor: FragmentChooser = (product, threads, memory) => {
        const tiles = runs.flatMap((run) => {
          const room = run === 1 ? roomForWords(memory) : memory;
          return depths.map((depth) => fragmentTilesOf(product, shape, depth, room, run));
        });
        const tile = tiles.find(({ length }) => length > 0)?.at(i % 2 === 0 ? 0 : -1);
        const isOfShape = threads === 32 * shape[2] * shape[3] && tile !== undefined;
        if (isOfShape) used.add(shape.join());
        return isOfShape ? { tile, time: 0 } : { ...options.fragmentsFor(product, threads, memory), time: Infinity };
      };
      const device = await openGpu(find, { tensorCores: true, fragmentsFor });
      const is = await stateAfterUpdates(device, values);
      for (const name of ['p', 'm'] as const) expectClose(is[name], should[name], 2e-5, `${name} with ${shape.join()}`);
      device.close();
    }
    // Some need more threads or memory than a small adapter has.
    expect(used.size).toBeGreaterThanOrEqual(18);
  });

  it('gradients of a layer differ from those on the reference by the rounding of the operands', async () => {
    const specs = { x: float32(64, 48), w: float32(48, 80), b: float32(80), y: float32(64, 80) };
    const body = step({
      state: {},
      inputs: specs,
      body: (_, { x, w, b, y }) => {
        const loss = x.matmul(w).add(b).tanh().sub(y).square().mean();
        return { outputs: { loss, ...grad(loss.mul(1000), { x, w, b }) } };
      },
    });
    const values = randomInputs(specs, 4, [-1, 1]);
    const device = await openGpu(find, options);
    const is = await outputsOf(body, device, values);
    const should = await outputsOf(body, await openDevice('reference'), values);
    for (const name of Object.keys(should)) expectClose(is[name], should[name], 5e-3, name);
    expect(() => expectClose(is.w, should.w, 1e-5, 'w')).toThrow('differs');
    device.close();
  });
});

describe.runIf(checker !== undefined)('the compiler of Dawn', () => {
  it.each([
    { transA: false, transB: false, inner: 400 },
    { transA: false, transB: true, inner: 25 },
    { transA: true, transB: false, inner: 36 },
  ])('accepts the code of every tile (inner $inner, transA $transA, transB $transB)', async (product) => {
    const { transA, transB, inner } = product;
    const body = step({
      state: { p: float32(2, 75, 90) },
      inputs: {
        x: float32(2, ...(transA ? [inner, 75] : [75, inner])),
        y: float32(2, ...(transB ? [90, inner] : [inner, 90])),
      },
      body: ({ p }, { x, y }) => {
        const z = x.matmul(y, { transA, transB });
        return { state: { p: p.add(z) }, outputs: { z: z.relu() } };
      },
    });
    const features = ['shader-f16', 'subgroups', 'chromium-experimental-subgroup-matrix'] as GPUFeatureName[];
    const device = await (await checker!.requestAdapter())!.requestDevice({ requiredFeatures: features });
    let checked = 0;
    for (const [i, shape] of fragmentShapes.entries()) {
      const run = ([1, 2, 4] as const)[i % 3];
      const fragmentsFor: FragmentChooser = (about, threads, memory) => {
        const [tile] = [16, 32].flatMap((depth) => fragmentTilesOf(about, shape, depth, memory, run));
        const isOfShape = threads === 32 * shape[2] * shape[3];
        return isOfShape ? { tile, time: 0 } : { ...chooseFragments(about, threads, memory), time: Infinity };
      };
      const { dispatches } = lower(simplify(trace(body)), {
        state: new Map([['p', { buffer: 'state0', offset: 0 }]]),
        ...{ workgroupMemory: 49152, mostThreads: 1024, tensorCores: true, fragmentsFor },
      });
      for (const { code } of dispatches.filter((dispatch) => dispatch.code.includes('subgroupMatrixLoad'))) {
        const { messages } = await device.createShaderModule({ code }).getCompilationInfo();
        expect(messages.map(({ lineNum, message }) => `${shape.join()}, line ${lineNum}: ${message}`)).toEqual([]);
        checked++;
      }
    }
    expect(checked).toBeGreaterThanOrEqual(fragmentShapes.length);
    device.destroy();
  });
});
