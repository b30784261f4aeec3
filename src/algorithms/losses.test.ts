import { describe, expect, it } from 'vitest';
import { compile, float32, openDevice, step } from '../tensor/index.js';
import { above, cosine } from './losses.js';

async function cosineFrom(origin: readonly number[] | undefined, a: readonly number[], q: readonly number[]) {
  const program = await compile(
    step({
      state: {},
      inputs: { a: float32(2), q: float32(2) },
      body: (_, inputs) => ({ outputs: { cosine: cosine(inputs.a, above(inputs.q, origin)) } }),
    }),
    { device: await openDevice('reference') },
  );
  const { cosine: found } = await program.run({ a: Float32Array.from(a), q: Float32Array.from(q) });
  return found[0];
}

describe('the cosine of Q', () => {
  it('is that from the origin where nothing else is said', async () => {
    expect(await cosineFrom(undefined, [1, 0], [3, 4])).toBeCloseTo(0.6, 6);
    expect(await cosineFrom([0, 0], [1, 0], [3, 4])).toBeCloseTo(0.6, 6);
  });

  it('is taken after 19 is added to the time in deep sea treasure, as published', async () => {
    // 8 of treasure after 4 steps is (8, 15) from (0, -19).
    expect(await cosineFrom([0, -19], [0, 1], [8, -4])).toBeCloseTo(15 / 17, 6);
  });
});
