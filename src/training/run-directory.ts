import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { algorithm, checkFit } from '../algorithms/index.js';
import type { KeyReturns, OffPolicyLearner } from '../algorithms/index.js';
import { resolveConfig } from '../config/index.js';
import { envInfo, envOptions } from '../envs/index.js';
import { assertPreference, keyPreferences } from '../preferences/index.js';
import { svgToPng } from '../plots/png.js';
import { VERSION } from '../version.js';
import { evaluationPreferences, returnDiscountOf } from './definition.js';
import type { Evaluated, Progress } from './definition.js';
import { checksum, reasonOf, writeAtomic, writeJson } from './files.js';
import { frontOf } from './front.js';
import type { ReturnsAt } from './front.js';
import { encodeModel, loadModel, MODEL_FORMAT } from './model.js';
import { frontPicture, hypervolumePicture } from './pictures.js';
import { checkPlan, settingsOf } from './plan.js';
import type { TrainingPlan } from './plan.js';
import { presetNames } from './presets.js';
import type { PresetName } from './presets.js';
import { protocolOf } from './protocol.js';
import type { Protocol } from './protocol.js';
import { ceilingOf } from './score.js';
import type { Score } from './score.js';

/** Of the files of a run; one that changes it so that older versions misread it counts it up. */
export const RUN_FORMAT = 1;

const CONFIG = 'config.json';
const METRICS = 'metrics.jsonl';
const RESULT = 'result.json';
const FINAL = 'final.json';
const WEIGHTS = 'model.safetensors';
const MODEL = 'model.json';
const KEYS = 'keys.json';

/** The numbers of a run, with all it takes to compare them with others. */
export interface RunResult extends Score, Progress {
  /** The folder. */
  readonly run: string;
  /** Hypervolume of the known front; null where there is none. */
  readonly ceiling: number | null;
  readonly seconds: number;
  /** Whether it ended before all its steps were taken. */
  readonly stopped: boolean;
  readonly protocol: Protocol;
}

/**
 * Writes one run while it trains. `config.json`, `metrics.jsonl` and everything else that does not measure time are the
 * same, byte for byte, for the same plan on the same machine. `result.json` comes last: a folder that has it is whole.
 */
export class RunWriter {
  private readonly evaluations: Evaluated[] = [];
  private readonly seconds: number[] = [];
  /** What a run achieved that was stopped before its first evaluation. */
  private ending: readonly Evaluated[] = [];

  /**
   * @param plan of this run alone: with its own seed, as if no replica had been trained beside it
   * @param lockstep replicas that were trained together, this one among them
   */
  constructor(
    readonly folder: string,
    private readonly plan: TrainingPlan,
    private readonly lockstep: number,
  ) {}

  /** @param saved of a run that goes on */
  begin(saved?: SavedWriter): void {
    const { plan } = this;
    mkdirSync(join(this.folder, 'fronts'), { recursive: true });
    if (saved !== undefined) {
      this.evaluations.push(...saved.evaluations.map((evaluated) => ({ ...evaluated, returns: [] })));
      this.seconds.push(...saved.seconds);
      // What came after the checkpoint is found again; until then the folder holds no more than what was resumed from.
      rmSync(join(this.folder, RESULT), { force: true });
      this.writeMetrics();
    }
    writeJson(join(this.folder, CONFIG), {
      format: RUN_FORMAT,
      versions: { psl: VERSION, node: process.versions.node },
      algorithm: plan.algorithm.name,
      env: plan.env,
      envOptions: plan.envOptions,
      preset: plan.preset,
      seed: plan.seed,
      device: plan.device,
      ...(plan.keys !== undefined && { keys: plan.keys }),
      settings: plan.config,
      protocol: protocolOf(plan, this.lockstep),
    });
  }

  /** What an evaluation found. */
  record(evaluated: Evaluated, seconds: number): void {
    this.evaluations.push(evaluated);
    this.seconds.push(seconds);
    this.writeMetrics();
    const all = { preferences: evaluationPreferences(this.plan), returns: evaluated.returns };
    this.writeFront(`${evaluated.envSteps}.json`, evaluated, frontOf(envInfo(this.plan.env), all));
  }

  /** For a checkpoint; the returns are in the fronts. */
  save(): SavedWriter {
    return {
      evaluations: this.evaluations.map(({ returns: _, ...rest }) => rest),
      seconds: [...this.seconds],
    };
  }

  private writeMetrics(): void {
    const lines = this.evaluations.map(({ envSteps, gradientSteps, score, diagnostics }) => {
      return `${JSON.stringify({ envSteps, gradientSteps, score, diagnostics })}\n`;
    });
    writeAtomic(join(this.folder, METRICS), lines.join(''));
  }

  /**
   * The model, the pictures and the numbers of the policy set that the run ends with.
   * @param kept what that policy set achieves
   * @returns the result, and why a picture is missing, if one is
   */
  async finish(
    learner: OffPolicyLearner,
    kept: Evaluated,
    outcome: Progress & { readonly seconds: number; readonly stopped: boolean },
  ): Promise<{ readonly result: RunResult; readonly problem: string | undefined }> {
    const { plan, folder } = this;
    const all = { preferences: evaluationPreferences(plan), returns: kept.returns };
    this.ending = [kept];
    this.writeFront(FINAL, kept, all);

    const { weights, description } = await encodeModel({ ...plan, replicas: this.lockstep }, learner, kept.replica);
    writeAtomic(join(folder, WEIGHTS), weights);
    writeJson(join(folder, MODEL), description);

    const keys = learner.keys?.[kept.replica];
    if (keys !== undefined) {
      writeJson(join(folder, KEYS), { format: RUN_FORMAT, preferences: keys.preferences, returns: keys.returns });
    }

    const front = frontPicture(plan, { ...all, hypervolume: kept.score.hypervolume });
    const problem =
      (await writePicture(folder, 'front', front)) ??
      (await writePicture(folder, 'hypervolume', hypervolumePicture(plan, [this.curve])));

    // The whole run is counted, also what came after the policy set that was kept.
    const { envSteps } = outcome;
    const { score } = kept;
    const ceiling = ceilingOf(envInfo(plan.env), returnDiscountOf(plan));
    const numbers = { ...score, ceiling, ...outcome };
    writeJson(join(folder, RESULT), {
      format: RUN_FORMAT,
      ...numbers,
      stepsPerSecond: envSteps / outcome.seconds,
      evaluations: this.evaluations.map((evaluated, i) => ({ envSteps: evaluated.envSteps, seconds: this.seconds[i] })),
    });
    return { result: { run: folder, ...numbers, protocol: protocolOf(plan, this.lockstep) }, problem };
  }

  /** For a picture of several runs. */
  get curve(): readonly Evaluated[] {
    return this.evaluations.length > 0 ? this.evaluations : this.ending;
  }

  /** Those of the final one are the returns at all preferences, those before it the non-dominated ones alone. */
  private writeFront(name: string, { envSteps, gradientSteps }: Progress, { preferences, returns }: ReturnsAt): void {
    const rows = (values: ReturnsAt['returns']) => `[\n${values.map((row) => JSON.stringify(row)).join(',\n')}\n]`;
    const counts = `"format": ${RUN_FORMAT}, "envSteps": ${envSteps}, "gradientSteps": ${gradientSteps}`;
    writeAtomic(
      join(this.folder, 'fronts', name),
      `{${counts},\n"preferences": ${rows(preferences)},\n"returns": ${rows(returns)}}\n`,
    );
  }
}

/** What a checkpoint holds of a run's writer. */
export interface SavedWriter {
  readonly evaluations: readonly Omit<Evaluated, 'returns'>[];
  readonly seconds: readonly number[];
}

/** Writes a picture as SVG and PNG; returns why there is no PNG, if so. A run does not fail for want of one. */
export async function writePicture(folder: string, name: string, svg: string): Promise<string | undefined> {
  writeAtomic(join(folder, `${name}.svg`), svg);
  try {
    writeAtomic(join(folder, `${name}.png`), await svgToPng(svg));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return undefined;
}

/** A folder that is no run, or not a whole one. */
export class RunError extends RangeError {
  override readonly name = 'RunError';

  /** @param problem what is wrong with it, naming the file */
  constructor(
    readonly folder: string,
    readonly problem: string,
  ) {
    super(`run is "${folder}", but must be a folder that psl train has finished: ${problem}.`);
  }
}

/** A finished run. */
export interface Run {
  readonly folder: string;
  readonly plan: TrainingPlan;
  readonly protocol: Protocol;
  /** Of the training. */
  readonly result: Progress & { readonly seconds: number; readonly stopped: boolean };
}

/** Reads what a folder says about its run. Throws a RunError unless it is whole. */
export function openRun(folder: string): Run {
  const { plan, lockstep } = readPlan(folder);
  const file = readJson(folder, RESULT);
  checkFormat(folder, RESULT, file, RUN_FORMAT);
  const { stopped } = file;
  if (typeof stopped !== 'boolean') throw damaged(folder, RESULT, 'stopped', stopped);
  const count = (key: string) => {
    const value = file[key];
    if (typeof value !== 'number' || !(value >= 0)) throw damaged(folder, RESULT, key, value);
    return value;
  };
  const result = { envSteps: count('envSteps'), gradientSteps: count('gradientSteps'), seconds: count('seconds') };
  return { folder, plan, protocol: protocolOf(plan, lockstep), result: { ...result, stopped } };
}

/** The plan of a run that is not finished: with all its replicas, where they are trained together. */
export function unfinishedPlan(folder: string): TrainingPlan {
  const together = existsSync(join(folder, CONFIG)) ? [] : runsIn(folder);
  const own = together.length === 0 ? folder : join(folder, together[0]);
  const { plan } = readPlan(own);
  if (existsSync(join(own, RESULT)) && !openRun(own).result.stopped) throw new RunError(folder, 'it is finished');
  return { ...plan, replicas: Math.max(1, together.length) };
}

/** The last evaluation of a run: the return at every preference. */
export function readReturns({ folder, plan }: Run): ReturnsAt {
  const name = join('fronts', FINAL);
  const file = readJson(folder, name);
  checkFormat(folder, name, file, RUN_FORMAT);
  const objectives = envInfo(plan.env).objectives.length;
  const preferences = rowsOf(file.preferences, objectives);
  const returns = rowsOf(file.returns, objectives);
  if (preferences === undefined || preferences.length === 0) throw damaged(folder, name, 'preferences');
  if (returns?.length !== preferences.length) throw damaged(folder, name, 'returns');
  for (const preference of preferences) within(folder, name, () => assertPreference(preference, objectives));
  return { preferences, returns };
}

/** The key solutions that a run ended with. */
export function readKeys(folder: string): KeyReturns {
  const { plan } = openRun(folder);
  const file = readJson(folder, KEYS);
  checkFormat(folder, KEYS, file, RUN_FORMAT);
  return keysOf(folder, KEYS, file.returns, plan.env);
}

function keysOf(folder: string, name: string, value: unknown, env: string): KeyReturns {
  const objectives = envInfo(env).objectives.length;
  const returns = rowsOf(value, objectives);
  if (returns?.length !== keyPreferences(objectives).length) throw damaged(folder, name, 'keys');
  return returns;
}

/** A learner with the policy of a run, ready to act. */
export async function loadPolicy({ folder, plan }: Run, device = plan.device): Promise<OffPolicyLearner> {
  const description = readJson(folder, MODEL);
  checkFormat(folder, MODEL, description, MODEL_FORMAT);
  const { sha256 } = (description.weights ?? {}) as Record<string, unknown>;
  const weights = readFile(folder, WEIGHTS);
  // Before the checksum, because what is wrong with the file says more than that it is not the same.
  // Key solutions that it trained; acting does not need them, but a learner is not made without.
  const keys = plan.keys ?? (existsSync(join(folder, KEYS)) ? readKeys(folder) : undefined);
  const own = { ...plan, device, ...(keys !== undefined && { keys }) };
  const learner = await within(folder, WEIGHTS, () => loadModel(own, weights));
  if (sha256 !== checksum(weights)) {
    throw new RunError(folder, `${WEIGHTS} is not the file that ${MODEL} was written for`);
  }
  return learner;
}

function readPlan(folder: string): { plan: TrainingPlan; lockstep: number } {
  const file = readJson(folder, CONFIG);
  checkFormat(folder, CONFIG, file, RUN_FORMAT);
  const { algorithm: name, env, envOptions: options, preset, seed, device, settings, protocol, versions, keys } = file;
  const lockstep = isObject(protocol) ? protocol.lockstep : undefined;
  if (!Number.isSafeInteger(lockstep)) throw damaged(folder, CONFIG, 'protocol.lockstep', lockstep);
  return within(folder, CONFIG, () => {
    if (typeof env !== 'string') throw damaged(folder, CONFIG, 'env', env);
    if (typeof name !== 'string') throw damaged(folder, CONFIG, 'algorithm', name);
    if (!(presetNames as readonly unknown[]).includes(preset)) throw damaged(folder, CONFIG, 'preset', preset);
    if (typeof device !== 'string') throw damaged(folder, CONFIG, 'device', device);
    if (!isObject(options)) throw damaged(folder, CONFIG, 'envOptions', options);
    if (!isObject(settings)) throw damaged(folder, CONFIG, 'settings', settings);
    const found = algorithm(name);
    checkFit(found, envInfo(env));
    const fields = settingsOf(found);
    const missing = Object.keys(fields).find((field) => !Object.hasOwn(settings, field));
    // One that a later version added has its default, which must be what was done before, or the format counts up.
    const isOwn = isObject(versions) && versions.psl === VERSION;
    if (missing !== undefined && isOwn) throw new RangeError(`setting ${missing} is missing.`);
    const plan: TrainingPlan = {
      env,
      envOptions: envOptions(env, options),
      algorithm: found,
      config: resolveConfig(fields, settings),
      device,
      seed: seed as number,
      replicas: 1,
      preset: preset as PresetName,
      ...(keys !== undefined && { keys: keysOf(folder, CONFIG, keys, env) }),
    };
    checkPlan(plan);
    return { plan, lockstep: lockstep as number };
  });
}

function readFile(folder: string, name: string): Uint8Array {
  try {
    return readFileSync(join(folder, name));
  } catch (error) {
    const runs = runsIn(folder);
    const hint = runs.length === 0 ? '' : `; it holds the runs ${runs.join(', ')}`;
    throw new RunError(folder, `${name} cannot be read (${reasonOf(error)})${hint}`);
  }
}

/** The runs of replicas that were trained together, which lie in folders of their own. */
function runsIn(folder: string): string[] {
  const number = (name: string) => Number(name.slice('seed-'.length));
  try {
    return readdirSync(folder)
      .filter((name) => /^seed-\d+$/.test(name))
      .sort((a, b) => number(a) - number(b));
  } catch {
    return [];
  }
}

function readJson(folder: string, name: string): Readonly<Record<string, unknown>> {
  const bytes = readFile(folder, name);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new RunError(folder, `${name} is not valid JSON`);
  }
  if (!isObject(value)) throw new RunError(folder, `${name} is not an object`);
  return value;
}

function checkFormat(folder: string, name: string, { format }: Readonly<Record<string, unknown>>, known: number): void {
  if (format === known) return;
  throw new RunError(
    folder,
    `${name} has format ${format === undefined ? 'none' : JSON.stringify(format)}, and this version reads ${known}`,
  );
}

function damaged(folder: string, name: string, key: string, value?: unknown): RunError {
  const given = value === undefined ? `lacks a valid "${key}"` : `has ${JSON.stringify(value)} as "${key}"`;
  return new RunError(folder, `${name} ${given}`);
}

/** Runs a check whose refusal means that a file of the run is damaged. */
function within<T>(folder: string, name: string, check: () => T): T {
  const refuse = (error: unknown): never => {
    if (error instanceof RunError || !(error instanceof Error)) throw error;
    const isRefusal = error instanceof RangeError || error.name === 'ConfigError';
    throw isRefusal ? new RunError(folder, `${name} ${error.message.replace(/\.$/, '')}`) : error;
  };
  try {
    const result = check();
    return result instanceof Promise ? (result.catch(refuse) as T) : result;
  } catch (error) {
    return refuse(error);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function rowsOf(value: unknown, length: number): number[][] | undefined {
  const isRow = (row: unknown) => Array.isArray(row) && row.length === length && row.every(Number.isFinite);
  return Array.isArray(value) && value.every(isRow) ? (value as number[][]) : undefined;
}
