import { describe, expect, it } from 'vitest';

import { Random } from '../random/index.js';
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
});
