/** A trained model: a description, which is model.json, and the tensors that it speaks of, in model.safetensors. */
import { assertPreference } from '../preferences/index.js';
import {
  DESCRIPTION_FILE,
  MODEL_FORMAT,
  OLDEST_MODEL_FORMAT,
  tensorShapes,
  WEIGHTS_FILE,
  type ModelDescription,
  type PolicyDescription,
} from './description.js';
import { LARGEST_HALF } from './half.js';
import { isRecord, readDescription, shown } from './read-description.js';
import { rowsOf } from './rows.js';
import { decodeSafetensors, encodeSafetensors, type NamedTensor } from './safetensors.js';
import { upgraded } from './upgrade.js';

export interface Model {
  readonly description: ModelDescription;
  readonly tensors: ReadonlyMap<string, Float32Array>;
}

/**
 * Reads model.json, parsed, and model.safetensors. Throws a RangeError that names the file and says what is wrong with it.
 */
export function readModel(json: unknown, weights: Uint8Array): Model {
  if (!isRecord(json)) throw new RangeError(`${DESCRIPTION_FILE} is not an object`);
  const { format } = json;
  if (format !== MODEL_FORMAT && format !== OLDEST_MODEL_FORMAT) {
    const given = format === undefined ? 'none' : shown(format);
    throw new RangeError(
      `${DESCRIPTION_FILE} has format ${given}, and this version reads ${OLDEST_MODEL_FORMAT} to ${MODEL_FORMAT}`,
    );
  }
  const tensors = naming(WEIGHTS_FILE, () => decodeSafetensors(weights));
  const newest = format === OLDEST_MODEL_FORMAT ? upgraded(json, tensors) : json;
  const description = naming(DESCRIPTION_FILE, () => readDescription(newest));
  return { description, tensors: naming(WEIGHTS_FILE, () => checkedTensors(description, tensors)) };
}

/** How the numbers of a network are stored. */
export type Precision = 'float32' | 'float16';

/**
 * The bytes of model.safetensors. Throws a RangeError where a number is too large for half precision.
 * @param metadata texts by name, for whoever reads the file
 */
export function encodeWeights(
  model: Model,
  precision: Precision = 'float32',
  metadata?: Readonly<Record<string, string>>,
): Uint8Array {
  const { policy, objectives } = model.description;
  const stored = tensorShapes(policy, objectives.length).map(([name, shape]): [string, NamedTensor] => {
    const values = model.tensors.get(name)!;
    const tensor = { shape, values };
    return [name, precision === 'float32' || !isOfNetwork(policy, name) ? tensor : inHalf(name, tensor)];
  });
  return encodeSafetensors(new Map(stored), metadata);
}

/** A tensor in half precision. Throws a RangeError where a number is too large for it. */
export function inHalf(name: string, { shape, values }: Pick<NamedTensor, 'shape' | 'values'>): NamedTensor {
  const large = values.find(isTooLargeForHalf);
  if (large === undefined) return { shape, values, isHalf: true };
  throw new RangeError(`${shown(name)} has ${large}, which is too large for half precision.`);
}

/** Whether half precision has room for all numbers of a model's networks. */
export function fitsHalf({ description: { policy }, tensors }: Model): boolean {
  return [...tensors].every(([name, values]) => !isOfNetwork(policy, name) || !values.some(isTooLargeForHalf));
}

function isTooLargeForHalf(value: number): boolean {
  return Math.abs(value) > LARGEST_HALF;
}

/** The rest is small, and its numbers may have any size: what observations are normalised with, returns, and answers. */
function isOfNetwork({ normalisation, parameters, answers }: PolicyDescription, name: string): boolean {
  const others = [
    normalisation?.mean,
    normalisation?.scale,
    parameters.members?.returns,
    answers?.asked,
    answers?.used,
  ];
  return !others.includes(name);
}

/** The tensors that a description speaks of; throws a RangeError unless they are there, as it says, and no others. */
function checkedTensors(
  { policy, objectives }: ModelDescription,
  tensors: ReadonlyMap<string, NamedTensor>,
): Map<string, Float32Array> {
  const checked = new Map<string, Float32Array>();
  for (const [name, shape] of tensorShapes(policy, objectives.length)) {
    const tensor = tensors.get(name);
    if (tensor === undefined) throw new RangeError(`lacks ${shown(name)}`);
    const { values } = tensor;
    if (!(values instanceof Float32Array) || tensor.shape.join() !== shape.join()) {
      const is = `${values instanceof Float32Array ? 'float32' : 'int32'} [${tensor.shape.join(', ')}]`;
      throw new RangeError(`has ${shown(name)} as ${is}, but float32 [${shape.join(', ')}] is expected`);
    }
    const wrong = firstNonFinite(values);
    if (wrong !== undefined) throw new RangeError(`has ${wrong} in ${shown(name)}`);
    checked.set(name, values);
  }
  const { answers } = policy;
  for (const name of answers === undefined ? [] : [answers.asked, answers.used]) {
    for (const row of rowsOf(checked.get(name)!, objectives.length)) {
      naming(`has a row of ${shown(name)} whose`, () => assertPreference(row, objectives.length));
    }
  }
  const unknown = [...tensors.keys()].find((name) => !checked.has(name));
  if (unknown !== undefined) throw new RangeError(`has ${shown(unknown)}, which ${DESCRIPTION_FILE} does not speak of`);
  return checked;
}

/** A plain loop: models have a million numbers, and pages wait for them. */
function firstNonFinite(values: Float32Array): number | undefined {
  for (let i = 0; i < values.length; i++) if (!Number.isFinite(values[i])) return values[i];
  return undefined;
}

/** Runs a check whose refusals complete a sentence that begins with the name of a file. */
function naming<T>(file: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof RangeError ? new RangeError(`${file} ${error.message}`, { cause: error }) : error;
  }
}
