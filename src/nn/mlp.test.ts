import { describe, expect, it } from 'vitest';

import { Random } from '../random/index.js';
import { compile, float32, openDevice, step } from '../tensor/index.js';
import { mlp } from './mlp.js';

describe('mlp', () => {
  it('starts hidden layers with one orthogonal gain and the last with another, and biases at zero', () => {
    const network = mlp({
      inputs: 5,
      hidden: [5],
      outputs: 5,
      initialiser: { kind: 'orthogonal', gain: 2, outputGain: 0.1 },
    });
    const { layer0, layer1 } = network.init(new Random(1));
    const squares = (values: Float32Array): number => values.reduce((sum, x) => sum + x * x, 0);
    expect(squares(layer0.weight)).toBeCloseTo(5 * 2 * 2, 4);
    expect(squares(layer1.weight)).toBeCloseTo(5 * 0.1 * 0.1, 6);
    expect([...layer0.bias, ...layer1.bias].every((b) => b === 0)).toBe(true);
  });

  it('can give hidden layers mean zero and deviation one before they are activated, and leaves the last alone', async () => {
    const network = mlp({ inputs: 1, hidden: [4], outputs: 2, normalise: true });
    const program = await compile(
      step({
        state: { theta: network.specs },
        inputs: { x: float32(1, 1) },
        body: ({ theta }, { x }) => ({ outputs: { y: network.apply(theta, x) } }),
      }),
      { device: await openDevice('reference') },
    );
    // The hidden layer is 1, 2, 3, 6: mean 3, variance 3.5. Of -2, -1, 0, 3 over its root only the last is active.
    program.state.load({
      theta: {
        layer0: { weight: Float32Array.of(1, 2, 3, 6), bias: new Float32Array(4) },
        layer1: { weight: Float32Array.of(0, 0, 0, 0, 0, 0, 1, 10), bias: Float32Array.of(0.5, 0) },
      },
    });
    const { y } = await program.run({ x: Float32Array.of(1) });
    const active = 3 / Math.sqrt(3.5 + 1e-5);
    expect(y[0]).toBeCloseTo(active + 0.5, 6);
    expect(y[1]).toBeCloseTo(10 * active, 5);
    await program.dispose();
  });
});
