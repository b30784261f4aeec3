/** Reads model.json, which may be damaged or made by somebody else: everything that is relied on later is checked here. */
import type { OptionValues, Space } from '../envs/index.js';
import { MODEL_FORMAT, observationSize, outputSize } from './description.js';
import type { ModelDescription, Output, ParametersDescription, PolicyDescription } from './description.js';

type Entries = Readonly<Record<string, unknown>>;

const OUTPUTS: readonly Output[] = ['tanh', 'tanh-normal', 'normal', 'categorical', 'values'];

/** Throws a RangeError that completes "model.json ..." unless the value is a whole description of the newest format. */
export function readDescription(value: Entries): ModelDescription {
  const objectives = value.objectives;
  if (!isListOf(objectives, isText)) throw lacks('objectives');
  if (objectives.length < 2) throw new RangeError(`has ${objectives.length} objectives, but must have at least 2`);
  const { env, envOptions = {} } = value;
  if (!isText(env)) throw lacks('env');
  if (!isRecord(envOptions) || !Object.values(envOptions).every((value) => isText(value) || isFinite(value)))
    throw lacks('envOptions');
  const actionSpace = spaceIn(value.actionSpace);
  if (actionSpace === undefined) throw lacks('actionSpace');
  if (!isRecord(value.policy)) throw lacks('policy');
  const policy = policyIn(value.policy);
  checkSizes(policy, objectives.length, actionSpace);
  const { version, algorithm, settings } = value;
  return {
    format: MODEL_FORMAT,
    env,
    envOptions: envOptions as OptionValues,
    objectives,
    actionSpace,
    policy,
    ...(isText(version) && { version }),
    ...(isText(algorithm) && { algorithm }),
    ...(isRecord(settings) && { settings }),
  };
}

function policyIn(policy: Entries): PolicyDescription {
  const { inputs, layers, activation, output, parameters } = policy;
  const seen = isListOf(inputs, isText) && inputs.join();
  if (seen !== 'observation' && seen !== 'observation,preference') throw lacks('policy.inputs');
  if (!isNetwork(layers)) throw lacks('policy.layers');
  if (activation !== 'relu' && activation !== 'tanh') throw lacks('policy.activation', activation);
  if (!OUTPUTS.includes(output as Output)) throw lacks('policy.output', output);
  if (!isRecord(parameters)) throw lacks('policy.parameters');
  return {
    inputs: seen === 'observation' ? ['observation'] : ['observation', 'preference'],
    layers,
    activation,
    output: output as Output,
    parameters: parametersIn(parameters),
    ...partIn(policy, 'policy', 'normalisation', { mean: isText, scale: isText, limit: isPositive }),
    ...partIn(policy, 'policy', 'answers', { count: isSize, asked: isText, used: isText }),
  };
}

function parametersIn(parameters: Entries): ParametersDescription {
  const path = 'policy.parameters';
  const { family } = parameters;
  if (!isText(family)) throw lacks(`${path}.family`);
  const network = { tensors: isText, share: isFinite };
  return {
    family,
    ...partIn(parameters, path, 'base', network),
    ...partIn(parameters, path, 'generated', { ...network, layers: isNetwork }),
    ...partIn(parameters, path, 'members', { count: isSize, returns: isText }),
  };
}

/** A part by its name, where it is there: those of its entries that are relied on. */
function partIn<Name extends string, Part extends object>(
  all: Entries,
  path: string,
  name: Name,
  valid: { readonly [K in keyof Part]: (entry: unknown) => entry is Part[K] },
): { readonly [K in Name]?: Part } {
  const part = all[name];
  if (part === undefined) return {};
  const given = isRecord(part) ? part : {};
  const entries = Object.entries<(entry: unknown) => boolean>(valid).map(([key, isValid]): [string, unknown] => {
    if (!isValid(given[key])) throw lacks(`${path}.${name}.${key}`, given[key]);
    return [key, given[key]];
  });
  return { [name]: Object.fromEntries<unknown>(entries) } as { readonly [K in Name]: Part };
}

/** Throws unless the sizes of inputs, outputs and actions fit together. */
function checkSizes(policy: PolicyDescription, objectives: number, actionSpace: Space): void {
  const { layers, output, parameters, answers } = policy;
  if (observationSize(policy, objectives) < 1) throw new RangeError('has a network that sees no observation');
  const needed = outputSize(output, actionSpace, objectives);
  if (needed === undefined) {
    throw new RangeError(`has an output of the kind ${shown(output)}, which is none for its actions`);
  }
  const outputs = layers[layers.length - 1];
  if (outputs !== needed) throw new RangeError(`has a network of ${outputs} outputs, but its actions need ${needed}`);
  const { base, generated, members } = parameters;
  if (!generated && base?.share !== 1) throw lacks('policy.parameters.base.share', base?.share);
  // A preference chooses a member, and is of no other use then.
  if (members && (!base || generated || answers || output === 'values' || policy.inputs.length > 1)) {
    throw new RangeError('has members that are more than base networks of observations');
  }
  if (generated && generated.layers[0] !== objectives) {
    throw new RangeError(`has a hypernetwork of ${generated.layers[0]} inputs for ${objectives} objectives`);
  }
}

/** Bounds that are null are infinite, since JSON has no infinity. */
function spaceIn(value: unknown): Space | undefined {
  if (!isRecord(value)) return undefined;
  const { kind, n, low, high } = value;
  if (kind === 'discrete') return isSize(n) ? { kind, n } : undefined;
  const isBound = (bound: unknown): bound is number | null => bound === null || isFinite(bound);
  if (kind !== 'continuous' || !isListOf(low, isBound) || !isListOf(high, isBound)) return undefined;
  if (low.length === 0 || low.length !== high.length) return undefined;
  return {
    kind,
    shape: [low.length],
    low: low.map((bound) => bound ?? -Infinity),
    high: high.map((bound) => bound ?? Infinity),
  };
}

function lacks(entry: string, value?: unknown): RangeError {
  return new RangeError(value === undefined ? `lacks a valid "${entry}"` : `has ${shown(value)} as "${entry}"`);
}

/** A value from a file in a few words, for error messages. */
export function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  return typeof value === 'string' ? `"${value.slice(0, 80)}"` : String(value);
}

export function isRecord(value: unknown): value is Entries {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isFinite(value: unknown): value is number {
  return Number.isFinite(value);
}

function isPositive(value: unknown): value is number {
  return isFinite(value) && value > 0;
}

function isSize(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function isNetwork(value: unknown): value is readonly number[] {
  return isListOf(value, isSize) && value.length > 1;
}

export function isListOf<T>(value: unknown, isEntry: (entry: unknown) => entry is T): value is readonly T[] {
  return Array.isArray(value) && value.every(isEntry);
}
