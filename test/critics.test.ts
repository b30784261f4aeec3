/** The networks of critics on every device. */
import { describe, expect, it } from 'vitest';

import { classificationHead } from '../src/algorithms/critic-head.js';
import { residual } from '../src/nn/index.js';
import type { Network } from '../src/nn/index.js';
import { Random } from '../src/random/index.js';
import { compile, float32, grad, openDevice, step, tensorsOf } from '../src/tensor/index.js';
import { devices, expectClose, generator } from './tensor/support.js';

/** What a network gives for some rows, and the gradients of its sum, on a device. */
async function computed(network: Network, rows: number, device: string) {
  const program = await compile(
    step({
      state: { theta: network.specs },
      inputs: { x: float32(rows, network.inputs) },
      body: ({ theta }, { x }) => {
        const y = network.apply(theta, x);
        const gradients = [...tensorsOf(grad(y.square().sum(), { theta, x }))];
        return { outputs: { y, ...Object.fromEntries(gradients) } };
      },
    }),
    { device: await openDevice(device) },
  );
  const random = new Random(5);
  program.state.load({ theta: network.init(random) });
  for (const name of program.state.names.filter((entry) => entry.endsWith('.bias'))) {
    program.state.write(name, random.fillNormal(new Float32Array((await program.state.read(name)).length)));
  }
  const x = random.fillNormal(new Float32Array(rows * network.inputs));
  const outputs = Object.entries(await program.run({ x })).map(([name, values]) => [name, values.slice()] as const);
  await program.dispose();
  return new Map(outputs);
}

describe.each(['reference', ...devices])('on %s', (device) => {
  it('a critic that classifies has the mean of its atoms as value, and the slope of that', async () => {
    const [rows, objectives, atoms] = [5, 2, 101];
    const head = classificationHead(objectives, atoms);
    expect(head.outputs).toBe(objectives * atoms);
    const program = await compile(
      step({
        state: {},
        inputs: { raw: float32(rows, head.outputs), weights: float32(rows, objectives) },
        body: (_, { raw, weights }) => {
          const values = head.values(raw);
          return { outputs: { values, slopes: grad(values.mul(weights).sum(), { raw }).raw } };
        },
      }),
      { device: await openDevice(device) },
    );
    const uniform = generator(3);
    const raw = Float32Array.from({ length: rows * head.outputs }, () => 8 * uniform() - 4);
    // Logits of which a power by itself is out of range.
    raw[7] = 200;
    const weights = Float32Array.from({ length: rows * objectives }, () => uniform());
    const found = await program.run({ raw, weights });

    const expected = { values: [] as number[], slopes: [] as number[] };
    for (let entry = 0; entry < rows * objectives; entry++) {
      const logits = Array.from(raw.subarray(entry * atoms, (entry + 1) * atoms));
      const odds = logits.map((logit) => Math.exp(logit - Math.max(...logits)));
      const total = odds.reduce((sum, x) => sum + x);
      const atom = (i: number) => -5 + i / 10;
      const value = odds.reduce((sum, x, i) => sum + (x / total) * atom(i), 0);
      expected.values.push(value);
      expected.slopes.push(...odds.map((x, i) => weights[entry] * (x / total) * (atom(i) - value)));
    }
    expectClose(found.values, expected.values, 1e-5, 'values');
    expectClose(found.slopes, expected.slopes, 1e-6, 'slopes');
    await program.dispose();
  });

  it('residual blocks and their gradients are those of the reference', async () => {
    const network = residual({ inputs: 7, width: 32, blocks: 1, outputs: 3 });
    const expected = await computed(network, 16, 'reference');
    expect(expected.size).toBe(2 + 2 * 4);
    for (const [name, values] of await computed(network, 16, device)) {
      expectClose(values, expected.get(name)!, 1e-5, name);
    }
  });
});
