/**
 * The policy of a trained model in plain TypeScript, for a page and for Node alike: the parameters of a preference are
 * made once when it changes, and each action is then one pass through a small network.
 */
import type { Space } from '../envs/index.js';
import { assertPreference } from '../preferences/index.js';
import { decodeSafetensors } from './safetensors.js';
import { checkSizes } from './shapes.js';

/** The format of model.json that is understood here. */
const MODEL_FORMAT = 1;
/** What the returns of a set of policies are called in a model file. */
const MEMBER_RETURNS = 'members.returns';
/** Normalised observations are cut off here, as learners do. */
const OBSERVATION_LIMIT = 10;

/** A linear layer: a weight [inputs, outputs], row by row, and a bias. */
export interface Layer {
  readonly weight: Float32Array;
  readonly bias: Float32Array;
}

/** What a model file holds: everything that the policies of all preferences are made of. */
export interface Model {
  readonly algorithm: string;
  readonly env: string;
  readonly actionSpace: Space;
  readonly objectives: number;
  /** Shares of the base network and of the generated parameters in the policy. */
  readonly share: { readonly base: number; readonly generated: number };
  readonly base?: readonly Layer[];
  /** The hypernetwork: hidden layers on the preference, and for each layer of the policy what its features select. */
  readonly hyper?: { readonly trunk: readonly Layer[]; readonly heads: readonly Layer[] };
  /** Between the layers of the policy; those of the hypernetwork always have relu. */
  readonly activation: 'relu' | 'tanh';
  /** Whether the network's output goes through tanh, or is an action that only has to be kept within its bounds. */
  readonly squashed: boolean;
  /** What is said of each discrete action: its value for each objective, or one number, the larger the better. */
  readonly choice: 'values' | 'score';
  /** Observations are normalised with these, where a learner did so. */
  readonly observations?: Moments;
  /**
   * Where the model is a finite set of policies, what each achieves, one below the other: base and observations then hold
   * those of all, and a policy does not see the preference that it is chosen by.
   */
  readonly members?: { readonly count: number; readonly returns: Float32Array };
}

export interface Moments {
  readonly mean: Float32Array;
  readonly scale: Float32Array;
}

/** A policy that can be moved from preference to preference while it acts. */
export interface PlainPolicy {
  readonly model: Model;
  /** The one that was last asked for. Overwritten by the next. */
  readonly preference: ArrayLike<number>;
  /** Of the preference that was last asked for. Overwritten by the next. */
  readonly layers: readonly Layer[];
  /** What observations are normalised with, at that preference. */
  readonly observations: Moments | undefined;
  /** Turns this into the policy of another preference. */
  prefer(preference: ArrayLike<number>): void;
  /** The action at an observation: an index, or an array that the next call overwrites. */
  act(observation: ArrayLike<number>): number | Float32Array;
}

/**
 * Reads model.json, parsed, and model.safetensors. Throws a RangeError that says what is wrong, to complete
 * "the model ...".
 */
export function readModel(description: unknown, weights: Uint8Array): Model {
  const model = modelIn(description, weights);
  checkSizes(model);
  return model;
}

function modelIn(description: unknown, weights: Uint8Array): Model {
  if (!isRecord(description)) throw new RangeError('has a model.json that is not an object');
  const { format, algorithm, env, objectives, settings } = description;
  if (format !== MODEL_FORMAT) {
    const given = format === undefined ? 'none' : shown(format);
    throw new RangeError(`has format ${given}, and this version reads ${MODEL_FORMAT}`);
  }
  if (typeof algorithm !== 'string') throw new RangeError('has a model.json without an algorithm');
  if (typeof env !== 'string') throw new RangeError('has a model.json without an environment');
  const actionSpace = spaceIn(description.actionSpace);
  if (actionSpace === undefined) throw new RangeError('has a model.json without an action space');
  if (!Array.isArray(objectives)) throw new RangeError('has a model.json without objectives');

  const tensors = decodeSafetensors(weights);
  const numbers = (name: string): Float32Array => {
    const values = tensors.get(name)?.values;
    if (!(values instanceof Float32Array)) throw new RangeError(`has a model.safetensors that lacks "${name}"`);
    return values;
  };
  const layersOf = (prefix: string): Layer[] => {
    const layers: Layer[] = [];
    while (tensors.has(`${prefix}.layer${layers.length}.weight`)) {
      const name = `${prefix}.layer${layers.length}`;
      layers.push({ weight: numbers(`${name}.weight`), bias: numbers(`${name}.bias`) });
    }
    if (layers.length === 0) throw new RangeError(`has a model.safetensors that lacks "${prefix}.layer0.weight"`);
    return layers;
  };

  // The policy of TD3 and PPO is its actor, that of Q-learning the network of the values.
  const root = [...tensors.keys()].some((name) => name.startsWith('actor.')) ? 'actor' : 'online';
  const { family, alpha } = isRecord(settings) ? settings : {};
  const common = {
    algorithm,
    env,
    actionSpace,
    objectives: objectives.length,
    ...networkOf(algorithm),
    ...(tensors.has('observations.mean') && {
      observations: { mean: numbers('observations.mean'), scale: numbers('observations.scale') },
    }),
  };
  const returns = tensors.get(MEMBER_RETURNS);
  if (returns !== undefined) {
    const members = { count: returns.shape[0], returns: numbers(MEMBER_RETURNS) };
    return { ...common, ...PPO, share: { base: 1, generated: 0 }, base: layersOf(`${root}.base`), members };
  }
  // Envelope Q-learning has one network and no family.
  if (family === undefined) return { ...common, share: { base: 1, generated: 0 }, base: layersOf(root) };
  const share = shareOf(family, alpha);
  return {
    ...common,
    share,
    ...(share.base > 0 && { base: layersOf(`${root}.base`) }),
    ...(share.generated > 0 && {
      hyper: { trunk: layersOf(`${root}.hyper.trunk`), heads: layersOf(`${root}.hyper.heads`) },
    }),
  };
}

/** What PPO does differently from all other learners. */
const PPO: NetworkKind = { activation: 'tanh', squashed: false, choice: 'score' };

type NetworkKind = Pick<Model, 'activation' | 'squashed' | 'choice'>;

function networkOf(algorithm: string): NetworkKind {
  return algorithm === 'psl-ppo' ? PPO : { activation: 'relu', squashed: true, choice: 'values' };
}

function shareOf(family: unknown, alpha: unknown): Model['share'] {
  switch (family) {
    case 'conditioned':
      return { base: 1, generated: 0 };
    case 'generated':
      return { base: 0, generated: 1 };
    case 'added':
      return { base: 1, generated: 1 };
    case 'fused':
      if (typeof alpha === 'number' && alpha >= 0 && alpha <= 1) return { base: 1 - alpha, generated: alpha };
      throw new RangeError('has a model.json without an alpha from 0 to 1');
    default:
      throw new RangeError(`is of the family ${shown(family)}, which this version does not know`);
  }
}

/** A policy of the model, at equal weights until another preference is asked for. */
export function plainPolicy(model: Model): PlainPolicy {
  const { actionSpace, objectives, share, base, hyper, activation, squashed, choice, members } = model;
  const shapes = base ?? hyper!.heads.map((head) => generatedBy(head, hyper!.trunk));
  const copies = members?.count ?? 1;
  const layers = shapes.map(({ weight, bias }) => ({
    weight: new Float32Array(weight.length / copies),
    bias: new Float32Array(bias.length / copies),
  }));
  const inputs = layers[0].weight.length / layers[0].bias.length;
  const observationSize = members === undefined ? inputs - objectives : inputs;
  const signals = [inputs, ...layers.map(({ bias }) => bias.length)].map((size) => new Float64Array(size));
  const trunkSignals =
    hyper && [objectives, ...hyper.trunk.map(({ bias }) => bias.length)].map((n) => new Float64Array(n));
  const output = signals[layers.length];
  const action = new Float32Array(output.length);
  const current = new Float64Array(objectives);
  /** Of the member that acts. */
  const own = (values: Float32Array, member: number) => {
    const size = values.length / copies;
    return values.subarray(member * size, (member + 1) * size);
  };
  let observations: Moments | undefined;

  const policy: PlainPolicy = {
    model,
    preference: current,
    layers,
    get observations() {
      return observations;
    },
    prefer(preference) {
      assertPreference(preference, objectives);
      current.set(preference);
      const member = members === undefined ? 0 : best(members.returns, current);
      const { mean, scale } = model.observations ?? {};
      observations = mean && scale && { mean: own(mean, member), scale: own(scale, member) };
      let features: Float64Array | undefined;
      if (hyper !== undefined && trunkSignals !== undefined) {
        trunkSignals[0].set(current);
        features = forward(hyper.trunk, trunkSignals, 'relu');
      }
      layers.forEach((layer, i) => {
        for (const part of ['weight', 'bias'] as const) {
          const out = layer[part];
          if (base === undefined) out.fill(0);
          else scaled(own(base[i][part], member), share.base, out);
          if (hyper !== undefined && features !== undefined) {
            addGenerated(hyper.heads[i][part], features, share.generated, out);
          }
        }
      });
    },
    act(observation) {
      if (observation.length !== observationSize) {
        throw new RangeError(`observation has length ${observation.length}, but must have ${observationSize}.`);
      }
      const input = signals[0];
      for (let i = 0; i < observationSize; i++) {
        input[i] =
          observations === undefined
            ? observation[i]
            : clip((observation[i] - observations.mean[i]) * observations.scale[i], OBSERVATION_LIMIT);
      }
      if (members === undefined) input.set(current, observationSize);
      forward(layers, signals, activation);
      if (actionSpace.kind === 'discrete') return best(output, choice === 'values' ? current : ALONE);
      for (let i = 0; i < action.length; i++) {
        action[i] = squashed
          ? Math.tanh(output[i]) * actionSpace.high[i]
          : Math.max(actionSpace.low[i], Math.min(actionSpace.high[i], output[i]));
      }
      return action;
    },
  };
  policy.prefer(new Float64Array(objectives).fill(1 / objectives));
  return policy;
}

/** The sizes of a generated layer: its head has a row for each feature, and a last one for the offset. */
function generatedBy({ weight, bias }: Layer, trunk: readonly Layer[]) {
  const rows = trunk[trunk.length - 1].bias.length + 1;
  return { weight: { length: weight.length / rows }, bias: { length: bias.length / rows } };
}

function scaled(values: Float32Array, scale: number, out: Float32Array): void {
  for (let i = 0; i < out.length; i++) out[i] = scale * values[i];
}

/** out += scale * (features, 1) head, where the head has a row of out's length for each feature and a last one. */
function addGenerated(head: Float32Array, features: Float64Array, scale: number, out: Float32Array): void {
  const size = out.length;
  for (let k = 0; k <= features.length; k++) {
    const factor = scale * (k < features.length ? features[k] : 1);
    const row = head.subarray(k * size, (k + 1) * size);
    for (let i = 0; i < size; i++) out[i] += factor * row[i];
  }
}

/** Linear layers with an activation between them; the first signal is the input, the last one the result. */
function forward(
  layers: readonly Layer[],
  signals: readonly Float64Array[],
  activation: Model['activation'],
): Float64Array {
  for (let l = 0; l < layers.length; l++) {
    const { weight, bias } = layers[l];
    const x = signals[l];
    const y = signals[l + 1];
    y.set(bias);
    for (let i = 0; i < x.length; i++) {
      const value = x[i];
      // Behind a relu about half of them are.
      if (value === 0) continue;
      const row = i * y.length;
      for (let j = 0; j < y.length; j++) y[j] += value * weight[row + j];
    }
    if (l === layers.length - 1) break;
    for (let j = 0; j < y.length; j++) y[j] = activation === 'tanh' ? Math.tanh(y[j]) : Math.max(0, y[j]);
  }
  return signals[layers.length];
}

/** What one number for each row is weighed with. */
const ALONE = Float64Array.of(1);

/** The row whose values are worth most, such as an action; the first of equal ones. */
function best(values: ArrayLike<number>, preference: Float64Array): number {
  const objectives = preference.length;
  let found = 0;
  let most = -Infinity;
  for (let a = 0; a * objectives < values.length; a++) {
    let worth = 0;
    for (let k = 0; k < objectives; k++) worth += preference[k] * values[a * objectives + k];
    if (worth > most) {
      most = worth;
      found = a;
    }
  }
  return found;
}

function clip(value: number, limit: number): number {
  return Math.max(-limit, Math.min(limit, value));
}

/** In a few words, whatever a file holds. */
function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  return typeof value === 'string' ? `"${value.slice(0, 80)}"` : String(value);
}

/** Undefined where a file holds no space. */
function spaceIn(value: unknown): Space | undefined {
  if (!isRecord(value)) return undefined;
  const { kind, n, low, high } = value;
  if (kind === 'discrete') return typeof n === 'number' ? (value as unknown as Space) : undefined;
  // Models of the first versions call it a box.
  const isContinuous = kind === 'continuous' || kind === 'box';
  if (!isContinuous || !Array.isArray(low) || !Array.isArray(high)) return undefined;
  return { ...value, kind: 'continuous' } as unknown as Space;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
