/**
 * What model.json says: everything that it takes to act with the tensors beside it, so that no reader has to know the
 * algorithm that trained them. docs/model-files.md has the same for people.
 */
import type { OptionValues, Space } from '../envs/index.js';

export const MODEL_FORMAT = 2;
/** Descriptions from this one on are read, the old ones by way of `upgraded`. */
export const OLDEST_MODEL_FORMAT = 1;

export const DESCRIPTION_FILE = 'model.json';
export const WEIGHTS_FILE = 'model.safetensors';

export interface ModelDescription {
  readonly format: typeof MODEL_FORMAT;
  readonly env: string;
  readonly envOptions: OptionValues;
  /** Their names. */
  readonly objectives: readonly string[];
  readonly actionSpace: Space;
  readonly policy: PolicyDescription;
  /** What wrote and trained it: information for people, on which nothing depends. */
  readonly version?: string;
  readonly algorithm?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** A perceptron whose parameters depend on the preference, and what its output means. */
export interface PolicyDescription {
  /** What the network sees, one behind the other. */
  readonly inputs: readonly ['observation'] | readonly ['observation', 'preference'];
  /** Units of the input, of each hidden layer and of the output. */
  readonly layers: readonly number[];
  /** After each hidden layer. */
  readonly activation: HiddenActivation;
  readonly output: Output;
  readonly parameters: ParametersDescription;
  /** Observations x are seen as (x - mean) * scale, cut off at -limit and limit; as they are where this is absent. */
  readonly normalisation?: { readonly mean: string; readonly scale: string; readonly limit: number };
  /**
   * Preferences that are answered with the policy of another one, since that served them better when they were evaluated: two
   * tables [count, objectives] under these names. A preference is answered as the nearest row of `asked` is, by the policy of the
   * preference in the same row of `used`, and by its own policy where both rows are alike.
   */
  readonly answers?: { readonly count: number; readonly asked: string; readonly used: string };
}

export type HiddenActivation = 'relu' | 'tanh';

/**
 * The best action of an output y. For continuous actions: `tanh` is tanh(y) times the upper bounds, which are those below
 * with the other sign; `tanh-normal` is the same of the first half of y, means that have their log deviations behind them;
 * `normal` is y, the means of normal distributions, cut off at the bounds. For discrete actions: `categorical` has a score
 * for each action, the best one's is the largest; `values` has a return for each action and objective, and the best
 * action's has the largest utility, the product with the preference.
 */
export type Output = 'tanh' | 'tanh-normal' | 'normal' | 'categorical' | 'values';

/**
 * The parameters at a preference w are the sum of the base network's and of those that a hypernetwork generates, each
 * times its share. Layer i of a network under NAME is NAME.layer<i>.weight [inputs, outputs] and NAME.layer<i>.bias [outputs].
 */
export interface ParametersDescription {
  /** The name of that sum, for people: the shares say all. */
  readonly family: string;
  readonly base?: { readonly tensors: string; readonly share: number };
  /**
   * The hypernetwork: under NAME.trunk a network of such layers, with relu between them, from the preference to features;
   * under NAME.heads for each generated tensor a row for each feature, which is multiplied by it, and a last one that is
   * added.
   */
  readonly generated?: { readonly tensors: string; readonly share: number; readonly layers: readonly number[] };
  /**
   * Where this is a finite set of policies: what each of them returns, under this name. Tensors of the base network and of
   * the normalisation then have a leading axis over the members, and a preference is answered by the member whose return
   * has the largest utility.
   */
  readonly members?: { readonly count: number; readonly returns: string };
}

/** How many numbers of an observation the network sees. */
export function observationSize({ inputs, layers }: PolicyDescription, objectives: number): number {
  return inputs.length === 1 ? layers[0] : layers[0] - objectives;
}

/** Names and shapes of all tensors of a policy. */
export function tensorShapes(policy: PolicyDescription, objectives: number): [string, readonly number[]][] {
  const { layers, normalisation, parameters, answers } = policy;
  const { base, generated, members } = parameters;
  const shapes: [string, readonly number[]][] = [];
  const addLayers = (name: string, sizes: readonly number[], leading: readonly number[]): void => {
    sizes.slice(1).forEach((outputs, i) => {
      const layer = `${name}.layer${i}`;
      shapes.push([`${layer}.weight`, [...leading, sizes[i], outputs]], [`${layer}.bias`, [...leading, outputs]]);
    });
  };
  const each = members === undefined ? [] : [members.count];
  if (base !== undefined) addLayers(base.tensors, layers, each);
  if (generated !== undefined) {
    const features = generated.layers[generated.layers.length - 1];
    addLayers(`${generated.tensors}.trunk`, generated.layers, []);
    addLayers(`${generated.tensors}.heads`, layers, [features + 1]);
  }
  if (normalisation !== undefined) {
    const shape = [...each, observationSize(policy, objectives)];
    shapes.push([normalisation.mean, shape], [normalisation.scale, shape]);
  }
  if (members !== undefined) shapes.push([members.returns, [members.count, objectives]]);
  if (answers !== undefined) {
    const shape = [answers.count, objectives];
    shapes.push([answers.asked, shape], [answers.used, shape]);
  }
  return shapes;
}

/** How many numbers an output of this kind has for such actions; undefined if it does not fit them. */
export function outputSize(output: Output, space: Space, objectives: number): number | undefined {
  if (space.kind === 'discrete') {
    return { categorical: space.n, values: space.n * objectives }[output as string];
  }
  const size = space.low.length;
  const isBounded = [...space.low, ...space.high].every(Number.isFinite);
  if (!isBounded && output !== 'normal') return undefined;
  return { tanh: size, 'tanh-normal': 2 * size, normal: size }[output as string];
}
