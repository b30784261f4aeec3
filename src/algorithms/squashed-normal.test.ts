import { describe, expect, it } from 'vitest';
import { Random } from '../random/index.js';
import { compile, float32, grad, openDevice, step } from '../tensor/index.js';
import { squashedNormal } from './squashed-normal.js';

const LIMITS = [2, 0.5];
const distribution = squashedNormal(LIMITS);
const deviationOf = (given: number) => Math.exp(-1.5 + 3.5 * Math.tanh(given));

/** Rows of means and of what log deviations are made of, and standard normal noise. */
const GIVEN = [
  [0.3, -1.2, 0, 0.5],
  [2, 0.1, -0.7, 1.5],
];
const NOISE = [
  [0.4, -1.1],
  [1.3, 0],
];

async function sampled(given: readonly number[][], noise: readonly number[][], device = 'reference') {
  const rows = given.length;
  const program = await compile(
    step({
      state: {},
      inputs: { given: float32(rows, 4), noise: float32(rows, 2) },
      body: (_, inputs) => {
        const { action, logProbability } = distribution.sample(inputs.given, inputs.noise);
        const slopes = grad(logProbability.sum(), { given: inputs.given });
        return { outputs: { action, logProbability, slope: slopes.given, best: distribution.best(inputs.given) } };
      },
    }),
    { device: await openDevice(device), replicas: 1 },
  );
  const outputs = await program.run({
    given: Float32Array.from(given.flat()),
    noise: Float32Array.from(noise.flat()),
  });
  const read = Object.fromEntries(Object.entries(outputs).map(([name, values]) => [name, Array.from(values)]));
  await program.dispose();
  return read;
}

/** Log density of the action over its limit, with the textbook's change of variables. */
function logProbability(given: readonly number[], noise: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < 2; i++) {
    const deviation = deviationOf(given[2 + i]);
    const raw = given[i] + deviation * noise[i];
    const density = Math.exp(-0.5 * ((raw - given[i]) / deviation) ** 2) / (deviation * Math.sqrt(2 * Math.PI));
    sum += Math.log(density) - Math.log(1 - Math.tanh(raw) ** 2);
  }
  return sum;
}

describe.each(['reference', 'cpu:1'])('a squashed normal distribution, on %s', (device) => {
  it('draws tanh of a normal variable times the limit', async () => {
    const { action, best } = await sampled(GIVEN, NOISE, device);
    const expected = GIVEN.flatMap((given, row) =>
      LIMITS.map((limit, i) => limit * Math.tanh(given[i] + deviationOf(given[2 + i]) * NOISE[row][i])),
    );
    expected.forEach((value, i) => expect(action[i]).toBeCloseTo(value, 5));
    GIVEN.flatMap((given) => LIMITS.map((limit, i) => limit * Math.tanh(given[i]))).forEach((value, i) => {
      expect(best[i]).toBeCloseTo(value, 5);
    });
  });

  it('has the log probability of a change of variables, and its slope', async () => {
    const { logProbability: found, slope } = await sampled(GIVEN, NOISE, device);
    GIVEN.forEach((given, row) => {
      expect(found[row]).toBeCloseTo(logProbability(given, NOISE[row]), 5);
      given.forEach((value, i) => {
        const moved = (by: number) => logProbability(given.with(i, value + by), NOISE[row]);
        expect(slope[4 * row + i]).toBeCloseTo((moved(1e-5) - moved(-1e-5)) / 2e-5, 4);
      });
    });
  });

  it('has finite log probabilities and slopes where tanh is one in every digit', async () => {
    const { logProbability: found, slope } = await sampled([[50, -50, -9, 9]], [[0, 1]], device);
    // log(1 - tanh(u)^2) is 2 log 2 - 2 |u| there.
    const raw = [50, -50 + deviationOf(9)];
    const normal = -0.5 - Math.log(deviationOf(-9)) - Math.log(deviationOf(9)) - Math.log(2 * Math.PI);
    expect(found[0]).toBeCloseTo(normal - raw.reduce((sum, u) => sum + 2 * (Math.LN2 - Math.abs(u)), 0), 3);
    expect(slope.every(Number.isFinite)).toBe(true);
  });
});

it('probabilities integrate to one', async () => {
  // Over the raw variable of one action, with steps that are equally wide in the noise.
  const noise = Array.from({ length: 4001 }, (_, i) => [(i - 2000) / 250, 0]);
  const given = noise.map(() => [0.4, 0, 0.2, 0]);
  const { action, logProbability: found } = await sampled(given, noise);
  const other = Math.log(1 / (deviationOf(0) * Math.sqrt(2 * Math.PI)));
  let mass = 0;
  for (let i = 1; i < noise.length; i++) {
    const width = (action[2 * i] - action[2 * i - 2]) / LIMITS[0];
    mass += (width * (Math.exp(found[i] - other) + Math.exp(found[i - 1] - other))) / 2;
  }
  expect(mass).toBeCloseTo(1, 4);
});

it('draws on the host what the program would of the same noise', () => {
  const random = new Random(3);
  const expected = random.clone();
  const drawn = distribution.drawn([0.3, -1.2, 0.5, 2], () => random.normal());
  expect([...drawn]).toEqual([
    Math.fround(2 * Math.tanh(0.3 + 0.5 * expected.normal())),
    Math.fround(0.5 * Math.tanh(-1.2 + 2 * expected.normal())),
  ]);
});
