/**
 * Turns a request for a training into a plan in which everything is decided: algorithm, settings, seeds and variants.
 * All refusals of settings that do not fit together are here.
 */
import { algorithm, algorithmNames, checkFit, defaultAlgorithm } from '../algorithms/index.js';
import type { Algorithm, KeyReturns, Variant } from '../algorithms/index.js';
import { checkValue, refusal, resolveConfig } from '../config/index.js';
import type { Fields } from '../config/index.js';
import { envInfo, envOptions } from '../envs/index.js';
import type { EnvInfo, EnvOptions, PresetName } from '../envs/index.js';
import { gridSize } from '../preferences/index.js';
import { deviceNames, isDeviceName } from '../tensor/index.js';
import { unknownName } from '../text/index.js';
import { isOffPolicy, isOnPolicy, isPopulation, lastSeedOf } from './definition.js';
import type { CommonFields, Plan, PopulationConfig, PopulationPlan } from './definition.js';
import { evaluationsWithin } from './evaluation-budget.js';
import { loopFields, onPolicyFields, populationFields } from './fields.js';
import { presetFor, presetNames } from './presets.js';

/** A training as a user asks for it; the preset decides what is left out. */
export interface TrainingRequest {
  readonly env: string;
  /** The first that fits the environment's actions by default. */
  readonly algorithm?: string;
  /** `quick` by default. */
  readonly preset?: PresetName;
  /** Over those of the preset. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly envOptions?: EnvOptions;
  /** Of the first replica; the others count up from it. 1 by default. */
  readonly seed?: number;
  readonly replicas?: number;
  /** Values of settings that replicas are to differ in: as many replicas as there are for every combination of them. */
  readonly vary?: Readonly<Record<string, readonly number[]>>;
  /** Combinations that are spelled out, each with every one of `vary`: rows of a design that is no grid. */
  readonly variants?: readonly Variant[];
  readonly device?: string;
  readonly workers?: number;
  readonly keys?: KeyReturns;
}

/** A training that a run directory can describe. */
export interface TrainingPlan extends Plan {
  readonly preset: PresetName;
}

/** A grid of more preferences would take hours to play, and may not fit into memory. */
const MOST_PREFERENCES = 1_000_000;
export const LARGEST_SEED = 2 ** 32 - 1;

/** Settings of the training loop that an algorithm goes through. */
export function loopFieldsOf(kind: Algorithm['kind']): CommonFields & Fields {
  return { 'off-policy': loopFields, 'on-policy': onPolicyFields, population: populationFields }[kind];
}

/** By algorithm, since every run that is opened asks for them. */
const settingsByAlgorithm = new WeakMap<Algorithm, CommonFields & Fields>();

/** Every setting of an algorithm, with those of the training loop. */
export function settingsOf(method: Algorithm): CommonFields & Fields {
  const known = settingsByAlgorithm.get(method);
  if (known !== undefined) return known;
  const all = { ...loopFieldsOf(method.kind), ...method.fields };
  settingsByAlgorithm.set(method, all);
  return all;
}

/**
 * All settings of a training that was written down. A setting that is newer than it gets its default, which is what the
 * training did. Throws a ConfigError where one is not known, or has a value that is not allowed.
 */
export function recordedSettings(method: Algorithm, settings: unknown): TrainingPlan['config'] {
  return resolveConfig(settingsOf(method), settings);
}

/** Decides everything that a request leaves open, and checks all of it. */
export function planTraining(request: TrainingRequest): TrainingPlan {
  checkRequest(request);
  const { env, preset = 'quick', seed = 1, replicas = 1, device = 'cpu' } = request;
  const info = envInfo(env);
  if (!presetNames.includes(preset)) throw new RangeError(unknownName('preset', preset, presetNames));
  const chosen = request.algorithm === undefined ? defaultAlgorithm(info) : algorithm(request.algorithm);
  checkFit(chosen, info);
  const fields = settingsOf(chosen);
  checkOwnSettings(info);
  const { settings: given = {} } = request;
  const { settings, env: options } = presetFor(preset, chosen, info, Object.keys(fields));
  const ofPreset = resolveConfig(fields, chosen.settings, settings);
  const evaluations =
    typeof given.steps === 'number'
      ? evaluationsWithin(given.steps, { preset, algorithm: chosen, env: info }, ofPreset)
      : {};
  const combinations = checkVaried(request, fields, chosen.name);
  checkReplicas(replicas);
  const variants = combinations.flatMap((combination) =>
    Array.from({ length: replicas }, (_, r) => ({ seed: seed + r, settings: combination })),
  );
  const plan = {
    env,
    envOptions: envOptions(env, { ...options, ...request.envOptions }),
    algorithm: chosen,
    // A setting with a single value does not vary: all replicas have it.
    config: resolveConfig(fields, ofPreset, evaluations, given, combinations.length === 1 ? combinations[0] : {}),
    device,
    seed,
    replicas: variants.length,
    preset,
    ...(combinations.length > 1 && { variants }),
    ...(request.workers !== undefined && { workers: request.workers }),
    ...(request.keys !== undefined && { keys: request.keys }),
  };
  checkPlan(plan);
  if (isPopulation(plan)) checkGenerations(plan.config);
  return plan;
}

/** For JavaScript, where a mistake would only show itself far from here. */
function checkRequest(request: unknown): void {
  const env = typeof request === 'object' && request !== null && 'env' in request ? request.env : undefined;
  if (typeof env !== 'string') throw new RangeError(refusal('env', env, 'the name of an environment: { env: NAME }'));
}

/** What is asked for to get a plan of one machine again on another; without the run that it begins with, if it does. */
export function requestOf(plan: TrainingPlan): TrainingRequest {
  const { env, algorithm: method, preset, config: settings, envOptions: options, seed, device, variants, keys } = plan;
  const combinations = new Map(variants?.map((variant) => [JSON.stringify(variant.settings), variant.settings]));
  return {
    env,
    algorithm: method.name,
    preset,
    settings,
    envOptions: options,
    seed,
    replicas: plan.replicas / Math.max(1, combinations.size),
    device,
    ...(variants !== undefined && { variants: [...combinations.values()] }),
    ...(keys !== undefined && { keys }),
  };
}

/** What a training of one replica is; the device and its number of threads are no matter of that. */
export function identityOf({ env, envOptions, algorithm, config, seed, preset }: TrainingPlan): string {
  const settings = Object.entries(config).sort(([x], [y]) => (x < y ? -1 : 1));
  return JSON.stringify([env, envOptions, algorithm.name, seed, preset, settings]);
}

/** Throws a RangeError where an environment speaks of a setting that no algorithm has, which would silently do nothing. */
function checkOwnSettings({ id, settings = [] }: EnvInfo): void {
  const names = [...new Set(algorithmNames().flatMap((name) => Object.keys(settingsOf(algorithm(name)))))];
  for (const name of settings.flatMap((entry) => Object.keys(entry.settings ?? {}))) {
    if (!names.includes(name)) throw new RangeError(unknownName(`setting of ${id}`, name, names));
  }
}

/**
 * Every variant with every combination of the values that vary; one without any setting where nothing does. Throws where a
 * setting cannot vary, or not so.
 */
function checkVaried({ vary = {}, variants = [{}] }: TrainingRequest, fields: Fields, name: string): Variant[] {
  const able = Object.keys(fields).filter((field) => fields[field].varies === true);
  const check = (kind: string, setting: string) => {
    if (able.includes(setting)) return;
    const allowed =
      able.length === 0
        ? `left out: replicas of ${name} can differ in no setting`
        : `one of: ${able.join(', ')}; other settings change the program itself`;
    throw new RangeError(`${kind} is "${setting}", but must be ${allowed}.`);
  };
  for (const variant of variants) {
    for (const [setting, value] of Object.entries(variant)) {
      check('variant', setting);
      checkValue(setting, fields[setting], value);
    }
  }
  let combinations = [...variants];
  for (const [setting, values] of Object.entries(vary)) {
    check('vary', setting);
    if (values.length === 0 || new Set(values).size < values.length) {
      throw new RangeError(refusal(`vary ${setting}`, values, 'at least one value, and none of them twice'));
    }
    for (const value of values) checkValue(setting, fields[setting], value);
    combinations = combinations.flatMap((combination) => values.map((value) => ({ ...combination, [setting]: value })));
  }
  const texts = combinations.map((combination) =>
    Object.entries(combination)
      .map(([setting, value]) => `${setting}=${value}`)
      .sort()
      .join(),
  );
  const twice = texts.find((text, i) => texts.indexOf(text) < i);
  if (twice !== undefined) throw new RangeError(refusal('variant', twice, 'given once'));
  if (combinations.length === 0) throw new RangeError(refusal('variants', variants, 'at least one'));
  return combinations;
}

/** Learners of one program; each has networks and a replay of its own. */
export const MOST_REPLICAS = 1000;

function checkReplicas(replicas: number): void {
  if (Number.isSafeInteger(replicas) && replicas >= 1 && replicas <= MOST_REPLICAS) return;
  throw new RangeError(`replicas is ${replicas}, but must be an integer from 1 to ${MOST_REPLICAS}.`);
}

/** Throws a RangeError where settings that are allowed by themselves do not go together. */
export function checkPlan(plan: Plan): void {
  const { env, config, device, seed, replicas } = plan;
  if (!isDeviceName(device)) throw new RangeError(unknownName('device', device, deviceNames()));
  checkReplicas(replicas);
  const others = lastSeedOf(plan) - seed;
  if (!Number.isSafeInteger(seed) || seed < 0 || seed + others > LARGEST_SEED) {
    throw new RangeError(`seed is ${seed}, but must be an integer from 0 to ${LARGEST_SEED - others}.`);
  }
  checkDivisions('evaluationDivisions', env, config.evaluationDivisions);
  if (isOffPolicy(plan) || isOnPolicy(plan)) {
    const { batch, groups, preferenceDivisions } = plan.config;
    if (batch % groups !== 0) throw new RangeError(`groups is ${groups}, but must divide batch, which is ${batch}.`);
    checkDivisions('preferenceDivisions', env, preferenceDivisions);
  }
  if (isPopulation(plan)) checkTasks(plan);
  if (isOnPolicy(plan) || isPopulation(plan)) checkRollout(plan.config);
  if (isOnPolicy(plan)) {
    const { batch, groups, horizon } = plan.config;
    const rows = batch / groups;
    if (horizon % rows !== 0) {
      throw new RangeError(`horizon is ${horizon}, but must be a multiple of batch / groups, which is ${rows}.`);
    }
  }
}

/** Throws a RangeError unless there is a whole rollout to learn from, in whole batches. */
function checkRollout({ steps, children, horizon, batch }: PopulationConfig): void {
  const rollout = children * horizon;
  if (rollout % batch !== 0) {
    throw new RangeError(`batch is ${batch}, but must divide children x horizon, which is ${rollout}.`);
  }
  if (steps < rollout) {
    throw new RangeError(`steps is ${steps}, but must be at least children x horizon, which is ${rollout}.`);
  }
}

/** Throws a RangeError unless every task has a rollout to learn from. */
function checkTasks({ env, config }: PopulationPlan): void {
  const { steps, children, horizon, taskDivisions } = config;
  const tasks = gridSize(envInfo(env).objectives.length, taskDivisions as number);
  const iteration = tasks * children * horizon;
  if (steps >= iteration) return;
  throw new RangeError(
    `steps is ${steps}, but must be at least tasks x children x horizon, which is ${iteration} with ${tasks} tasks.`,
  );
}

/**
 * Throws a RangeError unless the warm-up is whole generations: what is left over would enter the history as a generation
 * that hardly trained. Runs of earlier versions may have such a warm-up, and are read.
 */
function checkGenerations({ warmup, generation }: Readonly<Record<string, unknown>>): void {
  if ((warmup as number) % (generation as number) === 0) return;
  throw new RangeError(
    `warmup is ${String(warmup)}, but must be a multiple of generation, which is ${String(generation)}.`,
  );
}

/** @param name what the divisions are called where they were given */
export function checkDivisions(name: string, env: string, divisions: number): void {
  const { length } = envInfo(env).objectives;
  if (gridSize(length, divisions) <= MOST_PREFERENCES) return;
  throw new RangeError(
    `${name} is ${divisions}, but must be so small that ${length} objectives have at most ${MOST_PREFERENCES} preferences.`,
  );
}
