import { expect } from 'vitest';

import { concat, float32, openDevice, step } from '../../src/tensor/index.js';
import type { Device, Spec, Tensor, Values } from '../../src/tensor/index.js';
import { compileFor } from '../../src/tensor/program.js';
import { evaluate } from '../../src/tensor/reference/evaluate.js';
import { sizeOf } from '../../src/tensor/shape.js';

/** Devices that must agree with the reference: a GPU where there is one, be it in software, and its tensor cores. */
export const devices = ['cpu', ...(await present('gpu')), ...(await present('gpu-mixed'))];

async function present(device: string): Promise<string[]> {
  try {
    await openDevice(device);
    return [device];
  } catch (error) {
    // A warning, so that skipped tests are not taken for passed ones.
    console.warn(`SKIPPED: the tensor tests on '${device}', because ${String(error)}`);
    return [];
  }
}

/** How many random programs are tried: a software GPU compiles only four in a second. */
export function runsOn(device: string, runs: number): number {
  return device.startsWith('gpu') ? Math.ceil(runs / 10) : runs;
}

/** A small random generator, so that these tests depend on no other layer. */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    // Mulberry32.
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export function randomValues(
  spec: Spec,
  uniform: () => number,
  [low, high]: readonly [number, number] = [-2, 2],
  rows = 1,
): Values {
  const size = sizeOf(spec.shape);
  return spec.dtype === 'int32'
    ? Int32Array.from({ length: size }, () => Math.floor(uniform() * rows))
    : Float32Array.from({ length: size }, () => low + (high - low) * uniform());
}

export function randomInputs(
  specs: Readonly<Record<string, Spec>>,
  seed: number,
  range?: readonly [number, number],
  rows?: number,
): Record<string, Values> {
  const uniform = generator(seed);
  return Object.fromEntries(
    Object.entries(specs).map(([name, spec]) => [name, randomValues(spec, uniform, range, rows)]),
  );
}

/** Value of one tensor on the reference, with leaves given by name. */
export function referenceValue(tensor: Tensor, leaves: Readonly<Record<string, ArrayLike<number>>>): Float64Array {
  return evaluate([tensor], (name) => leaves[name]).get(tensor)!;
}

/** Checks that values are equal up to the rounding of float32, relative to the largest of them. */
export function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>, tolerance = 2e-6, what = ''): void {
  expect(actual.length, `${what} length`).toBe(expected.length);
  let scale = 1;
  for (let i = 0; i < expected.length; i++) scale = Math.max(scale, Math.abs(expected[i]));
  for (let i = 0; i < expected.length; i++) {
    const difference = Math.abs(actual[i] - expected[i]);
    if (!(difference <= tolerance * scale)) {
      expect.fail(`${what} entry ${i}: ${actual[i]} differs from ${expected[i]} by ${difference} (scale ${scale})`);
    }
  }
}

export function stackValues(parts: readonly Values[]): Values {
  const [first] = parts;
  const all = parts.flatMap((part) => Array.from(part));
  return first instanceof Int32Array ? Int32Array.from(all) : Float32Array.from(all);
}

const [BATCH, ROWS, COLUMNS, INNER] = [2, 75, 90, 37];

export const updateInputs = { x: float32(BATCH, ROWS, INNER), y: float32(BATCH, INNER, COLUMNS) };

/** A product of a concatenation with an optimiser in its epilogue: two results that share work. */
const update = step({
  state: { p: float32(BATCH, ROWS, COLUMNS), m: float32(BATCH, ROWS, COLUMNS) },
  inputs: updateInputs,
  body: ({ p, m }, { x, y }) => {
    const z = concat([x.slice(2, 0, 20), x.slice(2, 20, 17)], 2).matmul(y);
    const moved = m.mul(0.5).add(z);
    return { state: { p: p.sub(moved.tanh()), m: moved } };
  },
});

/** The state after two such updates on a device. */
export async function stateAfterUpdates(device: Device, values: Record<string, Values>) {
  const program = await compileFor(device, update);
  const inputs = values as { x: Values; y: Values };
  await program.run(inputs);
  await program.run(inputs);
  const state = { p: await program.state.read('p'), m: await program.state.read('m') };
  await program.dispose();
  return state;
}
