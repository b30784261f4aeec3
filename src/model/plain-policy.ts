/**
 * The policy of a trained model in plain TypeScript, synchronous, for a page and for Node alike: the parameters of a
 * preference are made once when it changes, and each action is then one pass through a small network.
 */
import { assertPreference } from '../preferences/index.js';
import { answering } from './answers.js';
import { observationSize } from './description.js';
import type { HiddenActivation } from './description.js';
import type { Model } from './model.js';
import { rowOf } from './rows.js';
import { bestRow } from './utility.js';

/** A linear layer: a weight [inputs, outputs], row by row, and a bias. */
export interface Layer {
  readonly weight: Float32Array;
  readonly bias: Float32Array;
}

/** What observations are normalised with. */
export interface Moments {
  readonly mean: Float32Array;
  readonly scale: Float32Array;
  readonly limit: number;
}

/** A policy that can be moved from preference to preference while it acts. */
export interface PlainPolicy {
  readonly model: Model;
  /** The one that was last asked for. Overwritten by the next. */
  readonly preference: ArrayLike<number>;
  /** The one whose policy answers it: itself, unless the model says that another one's serves it better. Overwritten by the next. */
  readonly used: ArrayLike<number>;
  /** The network of the preference that is used. Overwritten by the next. */
  readonly layers: readonly Layer[];
  /** Of that preference; undefined where observations are seen as they are. */
  readonly moments: Moments | undefined;
  /** Turns this into the policy of another preference. Throws a RangeError unless it has a weight per objective, in sum 1. */
  prefer(preference: ArrayLike<number>): void;
  /** The action at an observation: an index, or an array that the next call overwrites. */
  act(observation: ArrayLike<number>): number | Float32Array;
}

/** A policy of the model, at equal weights until another preference is asked for. */
export function plainPolicy(model: Model): PlainPolicy {
  const { description, tensors } = model;
  const { actionSpace, policy } = description;
  const { layers: sizes, activation, output, normalisation } = policy;
  const { base, generated, members } = policy.parameters;
  const objectives = description.objectives.length;
  const observed = observationSize(policy, objectives);
  const seesPreference = policy.inputs.length === 2;

  const named = (name: string): Float32Array => tensors.get(name)!;
  const layersIn = (name: string, count: number): Layer[] =>
    Array.from({ length: count }, (_, i) => {
      return { weight: named(`${name}.layer${i}.weight`), bias: named(`${name}.layer${i}.bias`) };
    });
  const layers = sizes.slice(1).map((outputs, i) => {
    return { weight: new Float32Array(sizes[i] * outputs), bias: new Float32Array(outputs) };
  });
  const baseLayers = base && layersIn(base.tensors, layers.length);
  const heads = generated && layersIn(`${generated.tensors}.heads`, layers.length);
  const trunk = generated && layersIn(`${generated.tensors}.trunk`, generated.layers.length - 1);
  const trunkSignals = generated?.layers.map((size) => new Float64Array(size)) ?? [];
  const signals = sizes.map((size) => new Float64Array(size));

  const preference = new Float64Array(objectives);
  const used = new Float64Array(objectives);
  const answerTo = answering(model);
  const action = new Float32Array(actionSpace.kind === 'continuous' ? actionSpace.low.length : 0);
  let moments: Moments | undefined;

  /** The part of a member, in a tensor that holds those of all below each other. */
  const partOf = (values: Float32Array, member: number): Float32Array =>
    rowOf(values, member, values.length / (members?.count ?? 1));

  function prefer(wanted: ArrayLike<number>): void {
    assertPreference(wanted, objectives);
    preference.set(wanted);
    used.set(answerTo?.(preference) ?? preference);
    const member = members === undefined ? 0 : bestRow(named(members.returns), used);
    moments = normalisation && {
      mean: partOf(named(normalisation.mean), member),
      scale: partOf(named(normalisation.scale), member),
      limit: normalisation.limit,
    };
    trunkSignals[0]?.set(used);
    const features = trunk && forward(trunk, trunkSignals, 'relu');
    layers.forEach((layer, i) => {
      for (const part of ['weight', 'bias'] as const) {
        const out = layer[part];
        out.fill(0);
        if (base && baseLayers) addScaled(partOf(baseLayers[i][part], member), base.share, out);
        if (generated && heads && features) addGenerated(heads[i][part], features, generated.share, out);
      }
    });
  }

  function act(observation: ArrayLike<number>): number | Float32Array {
    if (observation.length !== observed) {
      throw new RangeError(`observation has length ${observation.length}, but must have ${observed}.`);
    }
    const [input] = signals;
    input.set(observation);
    if (moments !== undefined) normalise(input, moments);
    if (seesPreference) input.set(used, observed);
    const y = forward(layers, signals, activation);
    if (actionSpace.kind === 'discrete') return bestRow(y, output === 'values' ? used : ONE);
    const { low, high } = actionSpace;
    for (let i = 0; i < action.length; i++) {
      action[i] = output === 'normal' ? Math.max(low[i], Math.min(high[i], y[i])) : Math.tanh(y[i]) * high[i];
    }
    return action;
  }

  prefer(new Float64Array(objectives).fill(1 / objectives));
  return {
    model,
    preference,
    used,
    layers,
    get moments() {
      return moments;
    },
    prefer,
    act,
  };
}

/** The weight of a score that is no return but a single number. */
const ONE = Float64Array.of(1);

/** The first numbers of a signal, as many as there are moments. */
function normalise(signal: Float64Array, { mean, scale, limit }: Moments): void {
  for (let i = 0; i < mean.length; i++) {
    signal[i] = Math.max(-limit, Math.min(limit, (signal[i] - mean[i]) * scale[i]));
  }
}

function addScaled(values: Float32Array, scale: number, out: Float32Array): void {
  for (let i = 0; i < out.length; i++) out[i] += scale * values[i];
}

/** out += scale * (features, 1) head, where the head has a row of out's length for each feature and a last one. */
function addGenerated(head: Float32Array, features: Float64Array, scale: number, out: Float32Array): void {
  const size = out.length;
  for (let k = 0; k <= features.length; k++) {
    addScaled(rowOf(head, k, size), scale * (k < features.length ? features[k] : 1), out);
  }
}

/** Linear layers with an activation between them; the first signal is the input, the last one the result. */
export function forward(
  layers: readonly Layer[],
  signals: readonly Float64Array[],
  activation: HiddenActivation,
): Float64Array {
  for (let l = 0; l < layers.length; l++) {
    const { weight, bias } = layers[l];
    const y = signals[l + 1];
    y.set(bias);
    addProduct(signals[l], weight, y);
    if (l === layers.length - 1) break;
    for (let j = 0; j < y.length; j++) y[j] = activation === 'tanh' ? Math.tanh(y[j]) : Math.max(0, y[j]);
  }
  return signals[layers.length];
}

/**
 * y += x W, two rows of W at a time, so that y is read and written half as often. Zeros are left out: behind a relu about
 * half of x are.
 */
function addProduct(x: Float64Array, weight: Float32Array, y: Float64Array): void {
  const size = y.length;
  let waiting = -1;
  for (let i = 0; i < x.length; i++) {
    if (x[i] === 0) continue;
    if (waiting < 0) {
      waiting = i;
      continue;
    }
    const [a, b] = [x[waiting], x[i]];
    const [rowA, rowB] = [waiting * size, i * size];
    for (let j = 0; j < size; j++) y[j] += a * weight[rowA + j] + b * weight[rowB + j];
    waiting = -1;
  }
  if (waiting < 0) return;
  const [last, row] = [x[waiting], waiting * size];
  for (let j = 0; j < size; j++) y[j] += last * weight[row + j];
}
