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
import { rademacher, type Complexities, type Complexity, type Estimate, type RademacherOptions } from './rademacher.js';

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

export interface CapacityOptions extends Pick<RademacherOptions, 'preferences' | 'states' | 'dataSets' | 'seed'> {
  /** Draws of the signs on each data set. */
  readonly draws: { readonly linear: number; readonly relu: number };
  /** Ascents for each supremum over networks with a hidden layer. */
  readonly starts: number;
}

export function rademacherDependsOnNorm(options: CapacityOptions): Finding {
  const { preferences, states, dataSets, draws, starts, seed } = options;
  const data = { preferences, states, dataSets, seed };
  const alphas = [0.05, 0.5, 1];
  const linear = rademacher({ ...data, draws: draws.linear }, alphas);
  const relu = rademacher({ ...data, draws: draws.relu, starts }, alphas);
  const raised = Math.max(...classesOf(relu).map(([, each]) => each.raised));
  return {
    theorem: 2,
    statement:
      'Under equal norm bounds the order depends on which norm: fused is ahead where policies are bounded, behind at a small alpha where all that is trained is.',
    holds: [linear, relu].every(
      ({ fused: free, trained: [small] }) =>
        free.isNeverBehind && lead(free.ofConditioned) > 5 && lead(small.ofConditioned) < -5,
    ),
    explanation: [
      `Policies with one output on ${preferences} preferences with ${states} states each: linear ones, whose supremum is ` +
        `exact for each of ${draws.linear} draws of the signs, and networks with one hidden layer of relu, for ` +
        `${draws.relu} draws. Numbers are means over ${dataSets} independent data sets; "± sets" is the standard error ` +
        'over data sets, each with signs of its own, and "± draws" the standard error over signs, with these data sets. ' +
        'Ratios are those on the same data and signs.',
      'The Frobenius norm of each layer is at most 1. With bounds M1 and M2 of two layers a single neuron reaches the ' +
        'supremum over the whole class, at any width: M1 M2 / n times the maximum of |sum_i e_i relu(v.x_i)| over |v| = 1. ' +
        `It is taken as the best of ${starts} ascents, so from below; the second half of them raises no class by more than ` +
        `${(100 * raised).toFixed(2)} %. If the spectral norm of the first layer is bounded instead, several neurons do ` +
        'better than one, and the first two classes are larger by a factor between 1 and sqrt(5), for 5 inputs.',
      `|theta(w)| <= 1 at each w gives each of the ${preferences} preferences parameters of its own. This is an upper bound ` +
        'for every hypernetwork with which (1 - alpha) theta1 + alpha phi(w) keeps the norm at each preference, whatever ' +
        `its size and alpha, and one with ${preferences} relu units and unbounded weights reaches it. Classes of smaller or ` +
        'smoother hypernetworks are anywhere between conditioned and this. It is no bound where the norms of the ' +
        'hypernetwork are given and not those of the policies that it makes, as in the proof.',
      `This ratio is about the root of the number of preferences, ${Math.sqrt(preferences).toFixed(2)}, for both kinds, and ` +
        'tells of networks next to nothing: with one state at each preference the complexity is the mean length of the ' +
        'inputs, which does not fall as samples are added. No conditioned policy is left out of the class, so in no draw ' +
        'is it behind.',
      'With the norm of base and heads (on the features [w, 1]) bounded together in each layer, alpha scales the ' +
        'hypernetwork down and 1 - alpha the base, once for each layer, and at the published alpha the fused class is the ' +
        'smaller one.',
      'The theorem states no norms, so neither order is what it claims or denies. Networks with more hidden layers, in ' +
        'which one neuron is not enough, are not measured.',
    ],
    table: {
      head: ['policies', 'class', 'complexity', '± sets', '± draws', 'of conditioned', '± sets', '± draws'],
      rows: [...rowsOf('linear', linear), ...rowsOf('hidden layer', relu)],
    },
    numbers: { ...options, linear, relu },
  };
}

/** How many standard errors a ratio is above one. */
function lead({ mean, overDataSets, overDraws }: Estimate): number {
  return (mean - 1) / Math.max(overDataSets ?? 0, overDraws);
}

function classesOf({ conditioned: first, fused: free, trained }: Complexities): [string, Complexity][] {
  return [
    ['conditioned, |theta| <= 1', first],
    ['fused, |theta(w)| <= 1 at each w', free],
    ...trained.map((each): [string, Complexity] => [`fused, |theta1, phi| <= 1, alpha ${each.alpha}`, each]),
  ];
}

function rowsOf(policies: string, complexities: Complexities): string[][] {
  const text = ({ mean, overDataSets, overDraws }: Estimate) =>
    [mean, overDataSets, overDraws].map((value) => value?.toFixed(5) ?? '-');
  return classesOf(complexities).map(([name, { complexity, ofConditioned }]) => [
    policies,
    name,
    ...text(complexity),
    ...text(ofConditioned),
  ]);
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
