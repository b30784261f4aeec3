import { describe, expect, it } from 'vitest';

import { adam, adamSpecs, mlp } from '../../src/nn/index.js';
import { Random } from '../../src/random/index.js';
import { compile, float32, grad, step } from '../../src/tensor/index.js';

// Not on a GPU, which in software takes a tenth of a second for each of these steps. More threads would only wait for each other.
describe.each(['cpu:1'])('on %s', (device) => {
  it('20,000 training steps do not grow memory', { timeout: 120_000 }, async () => {
    const network = mlp({ inputs: 64, hidden: [64, 64], outputs: 2 });
    const train = step({
      state: { network: network.specs, adam: adamSpecs(network.specs) },
      inputs: { x: float32(16, 64) },
      body: (state, { x }) => {
        const loss = network.apply(state.network, x).square().mean();
        const next = adam(state.network, grad(loss, state.network), state.adam, { learningRate: 1e-3 });
        return { state: { network: next.parameters, adam: next.state }, outputs: { loss } };
      },
    });
    const program = await compile(train, { device });
    const random = new Random(1);
    program.state.load({ network: network.init(random) });
    const rss: number[] = [];
    for (let i = 1; i <= 20_000; i++) {
      // A new array each time, as a careless caller would.
      await program.run({ x: random.fillNormal(new Float32Array(16 * 64), 0, 1) });
      if (i % 2000 === 0) rss.push(process.memoryUsage().rss / 2 ** 20);
    }
    // Once warm, the second half may wobble with the garbage collector but does not climb. One leaked array a step
    // would be 80 MB here.
    const [warm, end] = [Math.max(...rss.slice(2, 5)), Math.min(...rss.slice(-3))];
    expect(end - warm, `resident MB every 2000 steps: ${rss.map(Math.round).join(' ')}`).toBeLessThan(16);
    await program.dispose();
  });
});
