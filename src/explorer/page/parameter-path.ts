/**
 * Where the parameters θ(w) of a policy go when the preference w moves. They are a sum of few fixed vectors, the rows of a
 * hypernetwork's heads and the base network, or the members of a finite set, and only the coordinates in that sum depend
 * on w. So lengths, distances and projections of a hundred thousand parameters come down to Gram matrices of a few rows,
 * which are worked out once, and are exact.
 */
import { answering, bestRow, type Layer, type Model } from '../../model/index.js';
import { forward } from '../../model/plain-policy.js';
import type { Preference } from './messages.js';

export interface ParameterPath {
  /** Numbers of the policy at one preference. */
  readonly parameters: number;
  /** Numbers of the whole model. */
  readonly stored: number;
  /** Numbers that a preference is turned into before parameters are generated; undefined of a finite set. */
  readonly features: number | undefined;
  /** The share with which the generated parameters are mixed in. */
  readonly alpha: number | undefined;
  /** What distances are measured from: the base network, or where there is none the mean over all preferences. */
  readonly reference: 'base' | 'mean';
  /** How much of the variance over preferences the two axes have. */
  readonly explained: readonly [number, number];
  /** Inputs and outputs of each layer. */
  readonly layers: readonly (readonly [inputs: number, outputs: number])[];
  at(preference: Preference): PathPoint;
  /** How far apart the parameters at two preferences are, relative to the length of the reference. */
  distance(a: Preference, b: Preference): number;
}

export interface PathPoint {
  /** On the two principal axes, relative to the length of the reference. */
  readonly place: readonly [x: number, y: number];
  /** For each layer the distance from the reference, relative to the length of the reference's layer. */
  readonly moved: readonly number[];
  /** The length of the generated part of the sum beside that of the base: 0 is none of it, 1 is all. */
  readonly generated: number;
}

/** Iterations until a principal axis stands; few axes matter, and those are found long before. */
const ITERATIONS = 300;

/**
 * @param sampled the preferences whose parameters the principal axes are those of
 * @returns undefined where the parameters are the same at every preference
 */
export function parameterPath(model: Model, sampled: readonly Preference[]): ParameterPath | undefined {
  const sum = sumOf(model);
  if (sum === undefined) return undefined;
  const { coordinatesAt, base, vectors } = sum;
  const grams = vectors.map(gramOf);
  const whole = grams[0].map((row, i) => row.map((_, j) => grams.reduce((total, gram) => total + gram[i][j], 0)));
  const coordinates = sampled.map(coordinatesAt);
  const mean = coordinates[0].map((_, k) => average(coordinates.map((one) => one[k])));
  const reference = base === undefined ? mean : mean.map((_, k) => (k === base ? 1 : 0));
  const length = norm(whole, reference);
  const axes = principalAxes(
    whole,
    coordinates.map((one) => minus(one, mean)),
  );
  const onAxes = (of: readonly number[]): [number, number] => {
    const offset = times(whole, minus(of, mean));
    return [dot(axes.directions[0], offset) / length, dot(axes.directions[1], offset) / length];
  };
  const { policy } = model.description;
  const { generated } = policy.parameters;
  const generatedIn = (of: readonly number[]) => {
    if (generated === undefined || base === undefined) return generated === undefined ? 0 : 1;
    const parts = [norm(whole, of.with(base, 0)), Math.abs(of[base]) * Math.sqrt(whole[base][base])];
    return parts[0] / (parts[0] + parts[1]);
  };
  // So that the picture is always the same way round: the first objective to the right, all alike above its ends.
  const objectives = sampled[0].length;
  const first = coordinatesAt(sampled[0].map((_, k) => (k === 0 ? 1 : 0)));
  const middle = coordinatesAt(sampled[0].map(() => 1 / objectives));
  const signs = [onAxes(first)[0] < 0 ? -1 : 1, onAxes(middle)[1] < 0 ? -1 : 1];
  return {
    parameters: policy.layers.slice(1).reduce((total, outputs, i) => total + (policy.layers[i] + 1) * outputs, 0),
    stored: [...model.tensors.values()].reduce((total, { length: size }) => total + size, 0),
    features: generated?.layers.at(-1),
    alpha: generated?.share,
    reference: base === undefined ? 'mean' : 'base',
    explained: axes.explained,
    layers: policy.layers.slice(1).map((outputs, i) => [policy.layers[i], outputs]),
    at: (preference) => {
      const of = coordinatesAt(preference);
      const [x, y] = onAxes(of);
      return {
        place: [signs[0] * x, signs[1] * y],
        moved: grams.map((gram) => norm(gram, minus(of, reference)) / norm(gram, reference)),
        generated: generatedIn(of),
      };
    },
    distance: (a, b) => norm(whole, minus(coordinatesAt(a), coordinatesAt(b))) / length,
  };
}

/** θ(w) as a sum of vectors. */
interface Sum {
  /** For each layer, all vectors. */
  readonly vectors: readonly (readonly Layer[])[];
  /** Which of them is the base network, where there is one that all preferences share. */
  readonly base: number | undefined;
  readonly coordinatesAt: (preference: Preference) => number[];
}

/** Of the policies that answer preferences, their own or another's. */
function sumOf(model: Model): Sum | undefined {
  const sum = sumAt(model);
  const answerTo = answering(model);
  if (sum === undefined || answerTo === undefined) return sum;
  return { ...sum, coordinatesAt: (preference) => sum.coordinatesAt(Array.from(answerTo(preference))) };
}

function sumAt({ description, tensors }: Model): Sum | undefined {
  const { layers, parameters } = description.policy;
  const { base, generated, members } = parameters;
  const layerOf = (name: string, i: number): Layer => ({
    weight: tensors.get(`${name}.layer${i}.weight`)!,
    bias: tensors.get(`${name}.layer${i}.bias`)!,
  });
  const indices = layers.slice(1).map((_, i) => i);
  if (members !== undefined && base !== undefined) {
    const returns = tensors.get(members.returns)!;
    return {
      vectors: indices.map((i) => rowsOf(layerOf(base.tensors, i), members.count)),
      base: undefined,
      coordinatesAt: (preference) => {
        const chosen = bestRow(returns, preference);
        return Array.from({ length: members.count }, (_, k) => (k === chosen ? base.share : 0));
      },
    };
  }
  if (generated === undefined) return undefined;
  const trunk = generated.layers.slice(1).map((_, i) => layerOf(`${generated.tensors}.trunk`, i));
  const signals = generated.layers.map((size) => new Float64Array(size));
  const rows = generated.layers.at(-1)! + 1;
  return {
    vectors: indices.map((i) => {
      const heads = rowsOf(layerOf(`${generated.tensors}.heads`, i), rows);
      return base === undefined ? heads : [...heads, layerOf(base.tensors, i)];
    }),
    base: base === undefined ? undefined : rows,
    coordinatesAt: (preference) => {
      signals[0].set(preference);
      const features = [...forward(trunk, signals, 'relu'), 1].map((feature) => generated.share * feature);
      return base === undefined ? features : [...features, base.share];
    },
  };
}

/** Tensors that hold several layers below each other, apart. */
function rowsOf({ weight, bias }: Layer, count: number): Layer[] {
  const part = (values: Float32Array, k: number) =>
    values.subarray((k * values.length) / count, ((k + 1) * values.length) / count);
  return Array.from({ length: count }, (_, k) => ({ weight: part(weight, k), bias: part(bias, k) }));
}

type Matrix = readonly (readonly number[])[];

/** The products of all vectors with each other. */
function gramOf(vectors: readonly Layer[]): Matrix {
  const gram = vectors.map(() => new Array<number>(vectors.length).fill(0));
  vectors.forEach((a, i) => {
    for (let j = i; j < vectors.length; j++) {
      gram[i][j] = gram[j][i] = dot(a.weight, vectors[j].weight) + dot(a.bias, vectors[j].bias);
    }
  });
  return gram;
}

/**
 * The two axes along which points differ most, by the power method: with the covariance C of their coordinates and the
 * Gram matrix G of what those are coordinates of, the axes are the eigenvectors of C G, of length 1 under G.
 * @param points around their mean
 */
function principalAxes(gram: Matrix, points: readonly (readonly number[])[]) {
  const total = average(points.map((point) => norm(gram, point) ** 2));
  const directions: (readonly number[])[] = [];
  const explained: number[] = [];
  for (let axis = 0; axis < 2; axis++) {
    const orthogonal = (vector: readonly number[]) =>
      directions.reduce((rest, done) => {
        const along = dot(done, times(gram, rest));
        return rest.map((value, k) => value - along * done[k]);
      }, vector);
    const remaining = points.map(orthogonal);
    const farthest = remaining.reduce((most, point) => (norm(gram, point) > norm(gram, most) ? point : most));
    // What is left where the points differ no more is rounding, and no axis.
    const isLeft = norm(gram, farthest) > 1e-6 * Math.sqrt(total);
    let direction: readonly number[] = farthest.map((value) => (isLeft ? value : 0));
    let variance = 0;
    for (let i = 0; i < ITERATIONS && isLeft; i++) {
      const size = norm(gram, direction);
      direction = direction.map((value) => value / size);
      const across = times(gram, direction);
      const along = remaining.map((point) => dot(point, across));
      variance = average(along.map((value) => value ** 2));
      if (i < ITERATIONS - 1) direction = orthogonal(weightedMean(remaining, along));
    }
    directions.push(direction);
    explained.push(total > 0 ? variance / total : 0);
  }
  return { directions, explained: [explained[0], explained[1]] as const };
}

function weightedMean(points: readonly (readonly number[])[], weights: readonly number[]): number[] {
  return points[0].map((_, k) => average(points.map((point, j) => weights[j] * point[k])));
}

function norm(gram: Matrix, vector: readonly number[]): number {
  return Math.sqrt(Math.max(0, dot(vector, times(gram, vector))));
}

function times(matrix: Matrix, vector: readonly number[]): number[] {
  return matrix.map((row) => dot(row, vector));
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

function minus(a: readonly number[], b: readonly number[]): number[] {
  return a.map((value, k) => value - b[k]);
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
