import { describe, expect, it } from 'vitest';
import { cube, discrete } from '../../envs/index.js';
import { Random } from '../../random/index.js';
import { compile, float32, grad, openDevice, step } from '../../tensor/index.js';
import type { Values } from '../../tensor/index.js';
import { actionDistribution } from './action-distribution.js';

const LOGITS = [
  [0.5, -1, 2],
  [0, 0, 0],
  // Far apart, and far from zero: nothing may overflow.
  [900, 100, -700],
];
const CHOICES = [2, 1, 0];

const softmax = (row: readonly number[]) => {
  const weights = row.map((value) => Math.exp(value - Math.max(...row)));
  const total = weights.reduce((sum, weight) => sum + weight);
  return weights.map((weight) => weight / total);
};
const plain = (values: Values) => Array.from(values);

describe('a discrete action', () => {
  const { outputs, size, spread, logProbability, entropy, best, draw, width } = actionDistribution(discrete(3));
  const body = step({
    state: {},
    inputs: { logits: float32(3, 3), action: float32(3, 1) },
    body: (_, { logits, action }) => ({
      outputs: {
        logs: logProbability(action, logits, {}),
        slope: grad(logProbability(action, logits, {}).sum(), { logits }).logits,
        entropy: entropy(logits, {}),
        entropySlope: grad(entropy(logits, {}), { logits }).logits,
        best: best(logits),
        ...width(logits, {}),
      },
    }),
  });
  const run = async () => {
    const program = await compile(body, { device: await openDevice('reference') });
    return program.run({ logits: Float32Array.from(LOGITS.flat()), action: Float32Array.from(CHOICES) });
  };

  it('has an output for each choice, and nothing else to learn', () => {
    expect({ outputs, size, spread }).toEqual({ outputs: 3, size: 1, spread: {} });
  });

  it('is as probable as its share of the exponentials', async () => {
    const { logs, slope } = await run();
    LOGITS.forEach((row, i) => {
      const shares = softmax(row);
      expect(logs[i]).toBeCloseTo(Math.log(shares[CHOICES[i]]), 6);
      shares.forEach((share, a) => expect(slope[3 * i + a]).toBeCloseTo(Number(a === CHOICES[i]) - share, 6));
    });
  });

  it('has the entropy of its shares, which falls where the most probable one gains', async () => {
    const { entropy: found, entropySlope } = await run();
    const of = (rows: readonly (readonly number[])[]) => {
      const each = rows.map((row) => softmax(row).reduce((sum, p) => sum - (p > 0 ? p * Math.log(p) : 0), 0));
      return each.reduce((sum, value) => sum + value) / rows.length;
    };
    expect(found[0]).toBeCloseTo(of(LOGITS), 6);
    LOGITS.forEach((row, i) => {
      row.forEach((_, a) => {
        const moved = (by: number) =>
          LOGITS.map((other, j) => (j === i ? other.map((v, b) => (a === b ? v + by : v)) : other));
        expect(entropySlope[3 * i + a]).toBeCloseTo((of(moved(1e-4)) - of(moved(-1e-4))) / 2e-4, 5);
      });
    });
  });

  it('is the choice with the largest output where nothing is left to chance', async () => {
    const { best: found } = await run();
    expect(plain(found)).toEqual([2, 0, 0]);
  });

  it('is drawn as often as it is probable, by a seed', () => {
    const rows = 30_000;
    const logits = Float32Array.from({ length: 3 * rows }, (_, i) => LOGITS[0][i % 3]);
    const drawn = (seed: number) => {
      const actions = new Float32Array(rows);
      draw(logits, {}, new Random(seed), actions);
      return actions;
    };
    const actions = drawn(1);
    softmax(LOGITS[0]).forEach((share, a) => {
      const often = actions.filter((action) => action === a).length / rows;
      // Four standard deviations.
      expect(Math.abs(often - share)).toBeLessThan(4 * Math.sqrt((share * (1 - share)) / rows));
    });
    expect(drawn(1)).toEqual(actions);
    expect(drawn(2)).not.toEqual(actions);
  });
});

describe('the numbers of a continuous action', () => {
  const { outputs, size, draw, best } = actionDistribution(cube(2, -1, Infinity));

  it('are drawn around their means, with their deviations', () => {
    expect({ outputs, size }).toEqual({ outputs: 2, size: 2 });
    const rows = 20_000;
    const actions = new Float32Array(2 * rows);
    const means = Float32Array.from({ length: 2 * rows }, (_, i) => (i % 2 === 0 ? 3 : -5));
    draw(means, { deviation: Float32Array.of(0.5, 2) }, new Random(3), actions);
    [
      [3, 0.5],
      [-5, 2],
    ].forEach(([mean, deviation], k) => {
      const own = [...actions].filter((_, i) => i % 2 === k);
      const average = own.reduce((sum, value) => sum + value) / rows;
      const squares = own.reduce((sum, value) => sum + (value - average) ** 2, 0) / rows;
      expect(Math.abs(average - mean)).toBeLessThan((4 * deviation) / Math.sqrt(rows));
      expect(Math.abs(Math.sqrt(squares) / deviation - 1)).toBeLessThan(0.03);
    });
  });

  it('are kept within their bounds where nothing is left to chance', async () => {
    const body = step({
      state: {},
      inputs: { means: float32(1, 2) },
      body: (_, { means }) => ({ outputs: { a: best(means) } }),
    });
    const program = await compile(body, { device: await openDevice('reference') });
    expect(plain((await program.run({ means: Float32Array.of(-7, 40) })).a)).toEqual([-1, 40]);
  });
});
