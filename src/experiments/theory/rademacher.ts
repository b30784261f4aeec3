/**
 * The empirical Rademacher complexity of policies of [s, w] with one output: linear ones, and networks with one hidden
 * layer of relu, both without biases, of which the preference takes the place, as it sums to one. The Frobenius norm of each
 * layer is at most 1; with bounds M1 and M2 everything is multiplied by M1 M2.
 */
import { uniformSimplex } from '../../preferences/index.js';
import { Random } from '../../random/index.js';
import { dot, norm } from './finding.js';

/**
 * Rows of data whose policies share their parameters, which are linear in features c of the preference: neuron j has the
 * activation V_j.z, where z is x times each feature in turn, and its output the weight a_j.c. With the single feature 1 that
 * is a network without a hypernetwork.
 */
export interface Block {
  readonly rows: number;
  /** z in each row, and its squared length. */
  readonly inputs: Float64Array;
  readonly squares: Float64Array;
  readonly inputSize: number;
  readonly features: Float64Array;
  readonly featureSize: number;
}

export function blockOf(
  rows: readonly (readonly number[])[],
  features: readonly (readonly number[])[] = rows.map(() => [1]),
): Block {
  const inputs = rows.map((x, i) => features[i].flatMap((c) => x.map((value) => c * value)));
  return {
    rows: rows.length,
    inputs: Float64Array.from(inputs.flat()),
    squares: Float64Array.from(inputs, (z) => dot(z, z)),
    inputSize: inputs[0].length,
    features: Float64Array.from(features.flat()),
    featureSize: features[0].length,
  };
}

/** The supremum of the signed sum over linear policies: the length of sum_i e_i z_i. */
export function linearSupremum({ rows, inputs, inputSize }: Block, signs: Float64Array): number {
  const sum = new Float64Array(inputSize);
  for (let i = 0; i < rows; i++) {
    for (let k = 0; k < inputSize; k++) sum[k] += signs[i] * inputs[i * inputSize + k];
  }
  return norm(sum);
}

/**
 * The supremum of the signed sum over networks with a hidden layer, as the best of some ascents: from below, and nearly
 * always exact.
 *
 * One neuron is enough. Since relu is positive homogeneous, neuron j adds |V_j| a_j.g(V_j / |V_j|) to the sum, where
 * g(u) = sum_i e_i c_i relu(u.z_i). By Cauchy and Schwarz, twice, all of them together add at most
 * sum_j |V_j| |a_j| max |g| <= |V| |a| max |g|, where |V| and |a| are Frobenius norms, the one of a being a length as there
 * is one output. One neuron V_1 = M1 u, a_1 = M2 g(u) / |g(u)| at the best u, and zeros elsewhere, reaches it. So the
 * supremum is M1 M2 max |g(u)| over |u| = 1 exactly, whatever the width.
 *
 * Under a bound of the spectral norm of V it is a lower bound only: as many neurons as there are inputs may have length M1
 * each. Then sum_j |V_j|^2 <= M1^2 min(width, inputs), and the supremum is at most the root of the latter times larger.
 */
export function reluSupremum(block: Block, signs: Float64Array, random: Random, starts: number): number {
  const directionOf = () => {
    const u = random.fillNormal(new Float64Array(block.inputSize));
    const length = norm(u);
    return u.map((value) => value / length);
  };
  let best = 0;
  for (let start = 0; start < starts; start++) {
    let [highest, from] = [-1, new Float64Array()];
    for (let i = 0; i < DIRECTIONS; i++) {
      const u = directionOf();
      const height = norm(signedSum(block, signs, u));
      if (height > highest) [highest, from] = [height, u];
    }
    best = Math.max(best, ascend(block, signs, from));
  }
  return best;
}

/** An ascent starts from the best of so many random directions, which costs little and leads to better maxima. */
const DIRECTIONS = 10;
/** An ascent ends with a round that gains less than this share of what it has. */
const LEAST_GAIN = 1e-7;
const MOST_ROUNDS = 100;
/** The inner problem of a round ends with a sweep that changes no share by more than this. */
const LEAST_CHANGE = 1e-3;
const MOST_SWEEPS = 10;

/**
 * Climbs to a local maximum of |g(u)|. In the direction b = g / |g| of the sum, b.g(u) is the difference of two convex
 * functions: rows with e_i b.c_i > 0 less the others. The first is replaced by its tangent p.u, and p.u less the second is
 * maximised over |u| <= 1: relu(t) is the maximum of share * t over shares in [0, 1], so this is the distance of p from a
 * zonotope, min |p - sum_i share_i y_i|, and u is the direction in which p lies from it. Shares are descended one by one.
 * Plain gradients stop at the creases that the second function makes.
 */
function ascend(block: Block, signs: Float64Array, start: Float64Array): number {
  const { rows, inputs, inputSize, squares, features, featureSize } = block;
  let u = start;
  let sum = signedSum(block, signs, u);
  let best = norm(sum);
  const slopes = new Float64Array(rows);
  const shares = Float64Array.from(slopes, (_, i) => Number(rowDot(inputs, inputSize, i, u) > 0));
  for (let round = 0; round < MOST_ROUNDS && best > 0; round++) {
    const rest = new Float64Array(inputSize);
    for (let i = 0; i < rows; i++) {
      slopes[i] = (signs[i] * rowDot(features, featureSize, i, sum)) / best;
      const share = slopes[i] > 0 ? Number(rowDot(inputs, inputSize, i, u) > 0) : shares[i];
      addRow(rest, slopes[i] * share, inputs, i);
    }
    for (let sweep = 0, change = 1; sweep < MOST_SWEEPS && change > LEAST_CHANGE; sweep++) {
      change = 0;
      for (let i = 0; i < rows; i++) {
        if (slopes[i] >= 0) continue;
        const free = shares[i] - rowDot(inputs, inputSize, i, rest) / (slopes[i] * squares[i]);
        const step = Math.min(1, Math.max(0, free)) - shares[i];
        if (step === 0) continue;
        addRow(rest, step * slopes[i], inputs, i);
        shares[i] += step;
        change = Math.max(change, Math.abs(step));
      }
    }
    const length = norm(rest);
    if (length === 0) return best;
    u = rest.map((value) => value / length);
    sum = signedSum(block, signs, u);
    const reached = norm(sum);
    if (reached <= best * (1 + LEAST_GAIN)) return Math.max(best, reached);
    best = reached;
  }
  return best;
}

/** g(u) = sum_i e_i c_i relu(u.z_i). */
function signedSum(block: Block, signs: Float64Array, u: Float64Array): Float64Array {
  const sum = new Float64Array(block.featureSize);
  for (let i = 0; i < block.rows; i++) {
    const output = rowDot(block.inputs, block.inputSize, i, u);
    if (output > 0) addRow(sum, signs[i] * output, block.features, i);
  }
  return sum;
}

function rowDot(matrix: Float64Array, width: number, row: number, vector: Float64Array): number {
  let sum = 0;
  for (let k = 0, at = row * width; k < width; k++, at++) sum += matrix[at] * vector[k];
  return sum;
}

function addRow(vector: Float64Array, factor: number, matrix: Float64Array, row: number): void {
  for (let k = 0, at = row * vector.length; k < vector.length; k++, at++) vector[k] += factor * matrix[at];
}

export interface RademacherOptions {
  /** Preferences, and states with each of them. */
  readonly preferences: number;
  readonly states: number;
  /** Independent data sets of that size. */
  readonly dataSets: number;
  /** Draws of the signs on each of them. */
  readonly draws: number;
  /** The generator of the first data set; the others count up from it. */
  readonly seed: number;
  /** Ascents for each supremum, an even number; left out for linear policies, whose supremum has a closed form. */
  readonly starts?: number;
}

/** A mean over data sets. */
export interface Estimate {
  readonly mean: number;
  /** Its standard error, from the data sets, each with signs of its own; none of a single data set. */
  readonly overDataSets: number | null;
  /** The part of the draws of signs in that: the standard error with these data sets. */
  readonly overDraws: number;
}

export interface Complexity {
  readonly complexity: Estimate;
  /** The ratio to the conditioned class, which sees the same data and signs. */
  readonly ofConditioned: Estimate;
  /** The mean over the draws of each data set. */
  readonly byDataSet: readonly number[];
  /** By which share the second half of the ascents raised it. */
  readonly raised: number;
  /** Whether it was never less than that of the conditioned class, draw by draw. */
  readonly isNeverBehind: boolean;
}

export interface Complexities {
  readonly conditioned: Complexity;
  /** By a hypernetwork that is free at each preference: parameters of its own at each of them. */
  readonly fused: Complexity;
  /** By a base and heads on the features [w, 1], whose norm is bounded together. */
  readonly trained: readonly ({ readonly alpha: number } & Complexity)[];
}

export function rademacher(options: RademacherOptions, alphas: readonly number[]): Complexities {
  const { dataSets, seed, starts } = options;
  const samples = Array.from({ length: dataSets }, (_, i) => {
    const random = new Random(seed + i);
    const [directions] = random.streams(1);
    const supremum = (block: Block, signs: Float64Array) => {
      if (starts === undefined) {
        const exact = linearSupremum(block, signs);
        return { half: exact, whole: exact };
      }
      const [half, other] = [0, 1].map(() => reluSupremum(block, signs, directions, starts / 2));
      return { half, whole: Math.max(half, other) };
    };
    return samplesOf(random, options, alphas, supremum);
  });
  const [conditioned, fused, ...trained] = samples[0].map((_, k) =>
    complexityOf(
      samples.map((classes) => classes[k]),
      samples.map(([first]) => first),
    ),
  );
  return { conditioned, fused, trained: trained.map((each, i) => ({ alpha: alphas[i], ...each })) };
}

type Sample = Readonly<{ half: number; whole: number }>;

/** For each class, conditioned first, the supremum for each draw of the signs on a new data set. */
function samplesOf(
  random: Random,
  { preferences, states, draws }: RademacherOptions,
  alphas: readonly number[],
  supremum: (block: Block, signs: Float64Array) => Sample,
): readonly (readonly Sample[])[] {
  const groups = Array.from({ length: preferences }, () => {
    const w = [...uniformSimplex(random, new Float64Array(2))];
    return { w, rows: Array.from({ length: states }, () => [random.normal(), random.normal(), random.normal(), ...w]) };
  });
  const rows = groups.flatMap((group) => group.rows);
  const features = (alpha: number) => groups.flatMap((group) => group.rows.map(() => mixedFeatures(alpha, group.w)));
  const classes = [
    [blockOf(rows)],
    groups.map((group) => blockOf(group.rows)),
    ...alphas.map((alpha) => [blockOf(rows, features(alpha))]),
  ];
  const samples = classes.map((): Sample[] => []);
  for (let draw = 0; draw < draws; draw++) {
    const signs = Float64Array.from(rows, () => (random.uniform() < 0.5 ? -1 : 1));
    classes.forEach((blocks, k) => {
      let [at, half, whole] = [0, 0, 0];
      for (const block of blocks) {
        const found = supremum(block, signs.subarray(at, at + block.rows));
        at += block.rows;
        half += found.half / rows.length;
        whole += found.whole / rows.length;
      }
      samples[k].push({ half, whole });
    });
  }
  return samples;
}

/**
 * Base and heads are mixed to (1 - alpha) theta1 + alpha (w1 phi1 + w2 phi2 + phi3), that is with the features
 * [1 - alpha, alpha w1, alpha w2, alpha]. As w1 + w2 = 1 they span two dimensions only, and these two numbers have the same
 * inner products.
 */
export function mixedFeatures(alpha: number, [w1, w2]: readonly number[]): number[] {
  return [Math.sqrt((1 - alpha) ** 2 + 1.5 * alpha ** 2), (alpha * (w1 - w2)) / Math.SQRT2];
}

/** From the draws on each data set, and those of the conditioned class. */
function complexityOf(
  samples: readonly (readonly Sample[])[],
  conditioned: readonly (readonly Sample[])[],
): Complexity {
  const wholes = samples.map((draws) => draws.map(({ whole }) => whole));
  const bases = conditioned.map((draws) => draws.map(({ whole }) => whole));
  const means = wholes.map(mean);
  const baseMeans = bases.map(mean);
  const ratios = means.map((value, i) => value / baseMeans[i]);
  // To first order, what a draw adds to the ratio of its data set.
  const shares = wholes.map((draws, i) =>
    draws.map((value, draw) => (value - ratios[i] * bases[i][draw]) / baseMeans[i]),
  );
  const half = mean(samples.flatMap((draws) => draws.map((sample) => sample.half)));
  const whole = mean(wholes.flat());
  return {
    complexity: estimate(means, wholes),
    ofConditioned: estimate(ratios, shares),
    byDataSet: means,
    raised: whole / half - 1,
    isNeverBehind: wholes.every((draws, i) => draws.every((value, draw) => value >= bases[i][draw])),
  };
}

function estimate(values: readonly number[], draws: readonly (readonly number[])[]): Estimate {
  return {
    mean: mean(values),
    overDataSets: values.length === 1 ? null : standardError(values),
    overDraws: norm(draws.map(standardError)) / draws.length,
  };
}

function standardError(values: readonly number[]): number {
  const center = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - center) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1) / values.length);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
