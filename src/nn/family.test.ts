import { describe, expect, it } from 'vitest';

import { Random } from '../random/index.js';
import { compile, concat, float32, grad, mapSpecs, step } from '../tensor/index.js';
import type { Spec, Tree, Values } from '../tensor/index.js';
import { added, conditioned, fused, generated, independent, repeatForRows } from './family.js';
import type { Family } from './family.js';
import { mlp } from './mlp.js';

const objectives = 3;
const network = mlp({ inputs: 4, hidden: [5], outputs: 2 });
const options = { objectives, hidden: [6, 6], features: 3 };
const alpha = 0.3;
const fixed = [
  [1, 0, 0],
  [0, 1, 0],
  [0.2, 0.2, 0.6],
];
const families: readonly Family[] = [
  conditioned(network),
  fused(network, alpha, options),
  generated(network, options),
  added(network, options),
  independent(network, fixed),
];

type Values2 = Readonly<Record<string, Readonly<Record<'weight' | 'bias', Float32Array>>>>;

/** One network on one row, in plain numbers: relu between layers, none after the last. */
function plainMlp(theta: Values2, x: readonly number[]): number[] {
  const layers = Object.values(theta);
  return layers.reduce<number[]>(
    (signal, { weight, bias }, i) =>
      Array.from(bias, (b, j) => {
        const sum = signal.reduce((total, value, k) => total + value * weight[k * bias.length + j], b);
        return i < layers.length - 1 ? Math.max(0, sum) : sum;
      }),
    [...x],
  );
}

/** A tensor that features generate: a row of the head for each, and a last one that is added as it is. */
function generatedBy(head: Float32Array, features: readonly number[]): number[] {
  const size = head.length / (features.length + 1);
  return Array.from({ length: size }, (_, i) =>
    [...features, 1].reduce((sum, f, k) => sum + f * head[k * size + i], 0),
  );
}

/** The formula of each family, written out: parameters at a preference from the stored values. */
function formula(family: Family, values: ReturnType<Family['init']>, w: readonly number[]): Values2 {
  const base = values.base;
  const phi = (layer: string, part: 'weight' | 'bias'): number[] => {
    const { trunk, heads } = values.hyper!;
    const features = plainMlp(trunk, w);
    return generatedBy(heads[layer][part], features);
  };
  const entry = (layer: string, part: 'weight' | 'bias'): number[] => {
    switch (family.kind) {
      case 'conditioned':
        return [...base![layer][part]];
      case 'fused':
        return phi(layer, part).map((x, i) => (1 - alpha) * base![layer][part][i] + alpha * x);
      case 'generated':
        return phi(layer, part);
      case 'added':
        return phi(layer, part).map((x, i) => base![layer][part][i] + x);
      case 'independent': {
        const distances = fixed.map((f) => Math.hypot(...f.map((x, i) => x - w[i])));
        const nearest = distances.indexOf(Math.min(...distances));
        const size = base![layer][part].length / fixed.length;
        return [...base![layer][part].slice(nearest * size, (nearest + 1) * size)];
      }
      default:
        throw new Error(family.kind);
    }
  };
  return Object.fromEntries(
    Object.keys(network.specs).map((layer) => [
      layer,
      { weight: Float32Array.from(entry(layer, 'weight')), bias: Float32Array.from(entry(layer, 'bias')) },
    ]),
  );
}

function preferences(count: number, random: Random): number[][] {
  return Array.from({ length: count }, () => {
    const w = Array.from({ length: objectives }, () => random.uniform());
    const sum = w.reduce((total, x) => total + x);
    return w.map((x) => x / sum);
  });
}

async function forward(
  family: Family,
  values: Tree<Values>,
  w: readonly number[][],
  x: Float32Array,
): Promise<number[]> {
  const rows = x.length / 4;
  const program = await compile(
    step({
      state: { family: family.specs },
      inputs: { w: float32(w.length, objectives), x: float32(rows, 4) },
      body: (state, inputs) => ({ outputs: { y: family.apply(state.family, inputs.w, inputs.x) } }),
    }),
  );
  program.state.load({ family: values });
  const { y } = await program.run({ w: Float32Array.from(w.flat()), x });
  return [...y];
}

/** Biases and offsets start at zero, where a mistake with them would not show. */
function withoutZeros<T extends object>(values: T, random: Random): T {
  for (const part of Object.values(values) as object[]) {
    if (part instanceof Float32Array) part.forEach((x, i) => (part[i] = x === 0 ? 0.3 * random.normal() : x));
    else withoutZeros(part, random);
  }
  return values;
}

function expectNear(actual: readonly number[], expected: readonly number[]): void {
  expect(actual.length).toBe(expected.length);
  expected.forEach((value, i) => expect(actual[i]).toBeCloseTo(value, 5));
}

describe.each(families)('the $kind family', (family) => {
  const random = new Random(11);
  const values = withoutZeros(family.init(random), random);
  const x = random.fillNormal(new Float32Array(6 * 4), 0, 1);

  it('has the parameters of its formula, for each group of rows', async () => {
    const w = preferences(3, random);
    const expected = Array.from({ length: 6 }, (_, row) =>
      plainMlp(formula(family, values, w[Math.floor(row / 2)]), [...x.slice(row * 4, row * 4 + 4)]),
    );
    expectNear(await forward(family, values, w, x), expected.flat());
  });

  it('gives the same answer in groups and with one network per row', async () => {
    const w = preferences(2, random);
    const grouped = await forward(family, values, w, x);
    const perRow = await forward(family, values, [w[0], w[0], w[0], w[1], w[1], w[1]], x);
    expectNear(perRow, grouped);
  });

  it('trains all its parameters through one loss', async () => {
    const specs = family.specs;
    const program = await compile(
      step({
        state: { family: specs, gradients: mapSpecs(specs, (spec: Spec) => spec) },
        inputs: { w: float32(3, objectives), x: float32(6, 4) },
        body: (state, inputs) => {
          const loss = family.apply(state.family, inputs.w, inputs.x).square().sum();
          return { state: { gradients: grad(loss, state.family) } };
        },
      }),
    );
    program.state.load({ family: values as Tree<Values> });
    await program.run({ w: Float32Array.from(fixed.flat()), x });
    for (const name of program.state.names.filter((n) => n.startsWith('gradients.'))) {
      expect(
        (await program.state.read(name)).some((g) => g !== 0),
        name,
      ).toBe(true);
    }
  });
});

describe('a generated network', () => {
  it('starts at the scale of an ordinary one', () => {
    const large = mlp({ inputs: 19, hidden: [200, 200], outputs: 6 });
    const family = generated(large, { objectives });
    const deviation = (values: ArrayLike<number>): number =>
      Math.sqrt(Array.from(values).reduce((sum, x) => sum + x * x, 0) / values.length);
    for (const seed of [1, 2, 3]) {
      const { hyper } = family.init(new Random(seed));
      const ordinary = large.init(new Random(seed));
      for (const w of [
        [1, 0, 0],
        [0, 0, 1],
        [0.3, 0.3, 0.4],
      ]) {
        const features = plainMlp(hyper!.trunk, w);
        for (const layer of Object.keys(large.specs)) {
          const theta = generatedBy(hyper!.heads[layer].weight, features);
          const ratio = deviation(theta) / deviation(ordinary[layer].weight);
          expect(ratio).toBeGreaterThan(0.4);
          expect(ratio).toBeLessThan(2.5);
        }
      }
    }
  });
});

describe('a very narrow hypernetwork', () => {
  it('starts with finite numbers even where its features are dead', () => {
    for (let seed = 0; seed < 50; seed++) {
      const { hyper } = generated(network, { objectives, hidden: [1], features: 2 }).init(new Random(seed));
      for (const { weight } of Object.values(hyper!.heads)) expect(weight.every(Number.isFinite)).toBe(true);
    }
  });
});

describe('arguments', () => {
  it('are checked where a family is made', () => {
    expect(() => fused(network, 1.5, options)).toThrow('alpha must lie in [0, 1], got 1.5');
    expect(() => independent(network, [])).toThrow('needs at least one fixed preference');
  });

  it('are checked where a family is applied', async () => {
    const family = generated(network, options);
    await expect(
      forward(family, family.init(new Random(1)) as Tree<Values>, preferences(4, new Random(2)), new Float32Array(24)),
    ).rejects.toThrow('a batch of 6 rows cannot be served in 4 equal preference groups');
  });
});

describe('repeatForRows', () => {
  it('repeats each preference for the rows of its group', async () => {
    const program = await compile(
      step({
        state: {},
        inputs: { w: float32(2, 2), x: float32(4, 1) },
        body: (_, { w, x }) => ({ outputs: { y: concat([x, repeatForRows(w, 4)], 1) } }),
      }),
    );
    const { y } = await program.run({ w: Float32Array.of(1, 2, 3, 4), x: Float32Array.of(9, 8, 7, 6) });
    expect([...y]).toEqual([9, 1, 2, 8, 1, 2, 7, 3, 4, 6, 3, 4]);
  });
});
