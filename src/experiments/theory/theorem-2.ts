/**
 * Theorem 2: PSL-MORL's networks, fused with a hypernetwork's, have a higher Rademacher complexity than PD-MORL's, which
 * take the preference as an input only. What can be shown: they include the others and are strictly more. What cannot:
 * the inequality by the published proof, whose bounds hold up to a constant and whose norms are chosen to fit.
 */
import { conditioned, fused, mlp, type Family, type FamilyParameters, type Parameters } from '../../nn/index.js';
import { uniformSimplex } from '../../preferences/index.js';
import { Random } from '../../random/index.js';
import { compile, float32, step } from '../../tensor/index.js';
import { norm, shown, type Finding } from './finding.js';

type Values = FamilyParameters<Float32Array>;

/** A family on rows, each with a preference of its own; float64 arithmetic on float32 parameters. */
async function outputsOf(family: Family, values: Values, w: Float32Array, x: Float32Array): Promise<Float32Array> {
  const rows = x.length / family.network.inputs;
  const program = await compile(
    step({
      state: { family: family.specs },
      inputs: { w: float32(rows, w.length / rows), x: float32(rows, family.network.inputs) },
      body: (state, inputs) => ({ outputs: { y: family.apply(state.family, inputs.w, inputs.x) } }),
    }),
    { device: 'reference' },
  );
  program.state.load({ family: values });
  const { y } = await program.run({ w, x });
  return Float32Array.from(y);
}

/** Sets the offset of every head, its last row, to theta, and all else of it to zero: phi(w) = theta everywhere. */
function constantHeads(heads: Parameters<Float32Array>, theta: Parameters<Float32Array>): void {
  for (const [layer, parts] of Object.entries(heads)) {
    for (const part of ['weight', 'bias'] as const) {
      const values = theta[layer][part];
      parts[part].fill(0).set(values, parts[part].length - values.length);
    }
  }
}

export async function fusedIncludesConditioned(width: number, seed: number): Promise<Finding> {
  const random = new Random(seed);
  const rows = 64;
  const cases = [
    { name: 'fruit tree, Q', observation: 2, objectives: 6, hidden: 4, outputs: 12, alphas: [0.05, 0.1] },
    { name: 'Walker2d, actor', observation: 17, objectives: 2, hidden: 2, outputs: 6, alphas: [0.01, 0.5, 1] },
  ];
  const results: { network: string; alpha: number; largestOutput: number; largestDifference: number }[] = [];
  for (const { name, observation, objectives, hidden, outputs, alphas } of cases) {
    const inputs = observation + objectives;
    const network = mlp({ inputs, hidden: new Array<number>(hidden).fill(width), outputs });
    const theta = network.init(random);
    const w = new Float32Array(rows * objectives);
    const x = random.fillNormal(new Float32Array(rows * inputs));
    for (let i = 0; i < rows; i++) {
      uniformSimplex(random, w.subarray(i * objectives, (i + 1) * objectives));
      x.set(w.subarray(i * objectives, (i + 1) * objectives), i * inputs + observation);
    }
    const expected = await outputsOf(conditioned(network), { base: theta }, w, x);
    for (const alpha of alphas) {
      const family = fused(network, alpha, { objectives });
      const { hyper } = family.init(random);
      constantHeads(hyper!.heads, theta);
      const y = await outputsOf(family, { base: theta, hyper }, w, x);
      results.push({
        network: name,
        alpha,
        largestOutput: Math.max(...expected.map(Math.abs)),
        largestDifference: Math.max(...expected.map((value, i) => Math.abs(value - y[i]))),
      });
    }
  }
  return {
    theorem: 2,
    statement: 'Every conditioned network is a fused one, at any alpha.',
    holds: results.every(({ largestOutput, largestDifference }) => largestDifference <= 1e-5 * largestOutput),
    explanation: [
      'Given theta, let the base be theta and the hypernetwork generate theta at every preference: (1 - alpha) theta + ' +
        `alpha theta = theta. Checked on this program's families with random parameters and inputs, ${width} wide.`,
      'So the fused class is at least as rich, and its Rademacher complexity at least as high, if no norm is bounded.',
    ],
    table: {
      head: ['network', 'alpha', 'largest output', 'largest difference'],
      rows: results.map((r) => [
        r.network,
        String(r.alpha),
        shown(r.largestOutput),
        r.largestDifference.toExponential(1),
      ]),
    },
    numbers: { width, rows, results },
  };
}

/** One state variable and one preference, a hidden layer of this width. */
const WITNESS_WIDTH = 4;

export async function fusedIsStrictlyRicher(): Promise<Finding> {
  const h = WITNESS_WIDTH;
  const network = mlp({ inputs: 2, hidden: [h], outputs: 1 });
  const points = 1001;
  // Along the line s = t, w = (t, 1 - t) the product s w1 is t^2.
  const t = Array.from({ length: points }, (_, i) => i / (points - 1));
  const w = Float32Array.from(t.flatMap((value) => [value, 1 - value]));
  const x = Float32Array.from(t.flatMap((value) => [value, value]));
  const errorOf = (y: Float32Array) => Math.max(...y.map((value, i) => Math.abs(value - t[i] ** 2)));

  // relu(s) in the first hidden unit, and an output weight that is generated: w1.
  const family = fused(network, 0.5, { objectives: 2, hidden: [2], features: 1 });
  const values = family.init(new Random(1));
  const base = zeros(values.base!);
  const hyper = { trunk: zeros(values.hyper!.trunk), heads: zeros(values.hyper!.heads) };
  base.layer0.weight[0] = 2;
  hyper.trunk.layer0.weight[0] = 1;
  hyper.trunk.layer1.weight[0] = 1;
  hyper.heads.layer1.weight[0] = 2;
  const fusedError = errorOf(await outputsOf(family, { base, hyper }, w, x));

  // As many equal pieces as there are units, each a parallel of its chord; a unit adds one bend at most.
  const theta = zeros(network.init(new Random(1)));
  for (let i = 0; i < h; i++) {
    theta.layer0.weight[i] = 1;
    theta.layer0.bias[i] = -i / h;
    theta.layer1.weight[i] = i === 0 ? 1 / h : 2 / h;
  }
  theta.layer1.bias[0] = -1 / (8 * h * h);
  const conditionedError = errorOf(await outputsOf(conditioned(network), { base: theta }, w, x));
  const bound = 1 / (8 * (h + 1) ** 2);
  return {
    theorem: 2,
    statement:
      'The fused class is strictly richer: it holds s w1 exactly, and no conditioned network of that size does.',
    holds: fusedError < 1e-6 && conditionedError >= bound,
    explanation: [
      'A conditioned network with relu is piecewise linear in state and preference together. A fused one multiplies them, ' +
        'since its weights are functions of the preference. Along s = w1 = t the product is t^2, which K linear pieces ' +
        `miss by at least 1 / (8 K^2); ${h} hidden units make at most ${h + 1} pieces.`,
      'This is about networks of equal size: a wider conditioned network comes as close as one likes.',
    ],
    table: {
      head: ['network, one hidden layer', 'largest error'],
      rows: [
        [`fused, ${h} wide`, fusedError.toExponential(1)],
        [`conditioned, ${h} wide, one by hand`, shown(conditionedError)],
        [`conditioned, ${h} wide, no less than`, shown(bound)],
      ],
    },
    numbers: { width: h, fusedError, conditionedError, bound },
  };
}

function zeros(parameters: Parameters<Float32Array>): Record<string, { weight: Float32Array; bias: Float32Array }> {
  return Object.fromEntries(
    Object.entries(parameters).map(([layer, { weight, bias }]) => [
      layer,
      { weight: new Float32Array(weight.length), bias: new Float32Array(bias.length) },
    ]),
  );
}

export interface RademacherOptions {
  /** Preferences, and states with each of them. */
  readonly preferences: number;
  readonly states: number;
  /** Draws of the signs. */
  readonly draws: number;
  readonly seed: number;
}

/** A mean over draws of the signs, and its standard error. */
interface Estimate {
  readonly mean: number;
  readonly error: number;
}

/**
 * The empirical Rademacher complexity of linear policies theta(w).[s, w], whose supremum is known for each draw of the
 * signs. With |theta| at most 1 for all inputs alike (conditioned) it is |sum_i e_i x_i| / n. With |theta(w)| at most 1 at
 * each preference (fused, by a hypernetwork that is free at each of them) every preference has a sum of its own. With the
 * norm of all that is trained bounded by 1, base and heads on the features [w, 1] together, it is that of the inputs
 * [(1 - alpha) x, alpha x w1, ..., alpha x].
 */
export function rademacher({ preferences, states, draws, seed }: RademacherOptions, alphas: readonly number[]) {
  const random = new Random(seed);
  const objectives = 2;
  const groups = Array.from({ length: preferences }, () => {
    const w = uniformSimplex(random, new Float64Array(objectives));
    return { w, rows: Array.from({ length: states }, () => [random.normal(), random.normal(), random.normal(), ...w]) };
  });
  const n = preferences * states;
  const samples = { conditioned: [] as number[], fused: [] as number[], trained: alphas.map((): number[] => []) };
  for (let draw = 0; draw < draws; draw++) {
    const sums = groups.map(({ rows }) => signedSum(random, rows));
    const columns = [0, 1].map((k) => add(sums.map((sum, g) => sum.map((value) => groups[g].w[k] * value))));
    const total = add(sums);
    samples.conditioned.push(norm(total) / n);
    samples.fused.push(sums.reduce((all, sum) => all + norm(sum), 0) / n);
    alphas.forEach((alpha, i) => {
      const parts = [total.map((value) => (1 - alpha) * value), ...[...columns, total].map((sum) => sum.map((value) => alpha * value))]; // oxfmt-ignore
      samples.trained[i].push(norm(parts.flat()) / n);
    });
  }
  return {
    conditioned: estimate(samples.conditioned),
    fused: estimate(samples.fused),
    trained: alphas.map((alpha, i) => ({
      alpha,
      ...estimate(samples.trained[i]),
      // Draw by draw, since both see the same signs.
      lead: estimate(samples.trained[i].map((value, draw) => value - samples.conditioned[draw])),
    })),
    lead: estimate(samples.fused.map((value, draw) => value - samples.conditioned[draw])),
    never: samples.fused.every((value, draw) => value >= samples.conditioned[draw]),
  };
}

function signedSum(random: Random, rows: readonly (readonly number[])[]): number[] {
  return add(rows.map((row) => (random.uniform() < 0.5 ? row.map((value) => -value) : [...row])));
}

function add(vectors: readonly (readonly number[])[]): number[] {
  return vectors.reduce<number[]>(
    (sum, v) => sum.map((value, k) => value + v[k]),
    vectors[0].map(() => 0),
  );
}

function estimate(values: readonly number[]): Estimate {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, error: Math.sqrt(squares / (values.length - 1) / values.length) };
}

export function rademacherDependsOnNorm(options: RademacherOptions): Finding {
  const result = rademacher(options, [0.05, 0.5, 1]);
  const ratio = (value: number) => (value / result.conditioned.mean).toFixed(3);
  const row = (name: string, { mean, error }: Estimate) => [name, mean.toFixed(5), error.toFixed(5), ratio(mean)];
  const [small] = result.trained;
  return {
    theorem: 2,
    statement:
      'Under equal norm bounds the order depends on which norm: fused is ahead where policies are bounded, behind at a small alpha where all that is trained is.',
    holds: result.never && result.lead.mean > 5 * result.lead.error && small.lead.mean < -5 * small.lead.error,
    explanation: [
      `Linear policies on ${options.preferences} preferences with ${options.states} states each, where the supremum is ` +
        `exact for each of ${options.draws} draws of the signs; the error is the standard error over the draws.`,
      'With the norm of the policy bounded at each preference, a hypernetwork fits the signs of every preference by itself, ' +
        'and in no draw is it behind. With the norm of base and hypernetwork together bounded, alpha scales the ' +
        'hypernetwork down and 1 - alpha the base, and at the published alpha the fused class is the smaller one.',
      'The theorem states no norms, so neither order is what it claims or denies; deeper networks are not measured here.',
    ],
    table: {
      head: ['class', 'complexity', 'error', 'of conditioned'],
      rows: [
        row('conditioned, |theta| <= 1', result.conditioned),
        row('fused, |theta(w)| <= 1 at each w', result.fused),
        ...result.trained.map((each) => row(`fused, |theta1, phi| <= 1, alpha ${each.alpha}`, each)),
      ],
    },
    numbers: { ...options, ...result },
  };
}

/** kappa = c1 c2 B / (gamma^2 sqrt(n)): what the paper's ratio is multiplied by, of which only B and n can be known. */
const KAPPAS = [1, 1e-2, 1e-4, 1e-6];

export function paperRatio(seed: number): Finding {
  const random = new Random(seed);
  const networks = [
    { name: 'fruit tree, Q', inputs: 8, objectives: 6, hidden: [512, 512, 512, 512], outputs: 12 },
    { name: 'Walker2d, actor', inputs: 19, objectives: 2, hidden: [400, 400], outputs: 6 },
  ];
  const results = networks.map(({ name, objectives, ...sizes }) => {
    const network = mlp(sizes);
    const { base, hyper } = fused(network, 0.05, { objectives }).init(random);
    const layers = Object.values(base!);
    const heads = Object.values(hyper!.heads).flatMap(({ weight, bias }) => [weight, bias]);
    const product = Object.values(hyper!.trunk).reduce((all, { weight }) => all * norm(weight), norm(heads.map(norm)));
    const depth = layers.length;
    const atOne = product / ((Math.sqrt(2 * Math.LN2 * depth) + 1) * norm(layers[depth - 1].weight));
    return {
      network: name,
      depth,
      hyperDepth: Object.keys(hyper!.trunk).length + 1,
      product,
      atOne,
      critical: 1 / atOne,
    };
  });
  return {
    theorem: 2,
    statement: "The paper's ratio is above or below one as its free constant is chosen.",
    holds: results.every(({ atOne }) => atOne > 1 && atOne * KAPPAS.at(-1)! < 1),
    explanation: [
      'The ratio of the proof is kappa times the Frobenius norms of the hypernetwork, divided by (sqrt(2 ln 2 d1) + 1) and ' +
        'the norm of the last layer, with kappa = c1 c2 B / (gamma^2 sqrt(n)). The constants c1 and c2 are those of an ' +
        'Omega and unknown, and the ratio falls with the number n of samples. Norms here are those of fresh networks.',
      "The proof then chooses the bounds M' of the norms so large that the ratio exceeds one. Any class beats any other in " +
        'that way, and a larger bound says nothing about networks that keep their norms.',
      'Its lower bound of the composition is a product of two lower bounds, which is none, and it holds for some data and ' +
        'some loss, while the upper bound is for all data without a loss.',
    ],
    table: {
      head: ['network', 'd1', 'd2', ...KAPPAS.map((kappa) => `kappa ${kappa}`), 'is 1 at kappa'],
      rows: results.map(({ network, depth, hyperDepth, atOne, critical }) => [
        network,
        String(depth),
        String(hyperDepth),
        ...KAPPAS.map((kappa) => shown(atOne * kappa)),
        critical.toExponential(2),
      ]),
    },
    numbers: { kappas: KAPPAS, results },
  };
}
