/**
 * Reads run folders. Every file is checked, format, contents and checksum, before anything is done with it, and what is
 * wrong is said in one sentence that names the file. `writer.ts` writes what is read here.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { algorithm, checkFit } from '../algorithms/index.js';
import type { KeyReturns, SavedReplica } from '../algorithms/index.js';
import { refusal } from '../config/index.js';
import { envIds, envInfo, envOptions } from '../envs/index.js';
import type { StateValue } from '../envs/index.js';
import { checksum, decodeJson, isChecksumIntact, isObject, namesIn, reasonOf } from '../files/index.js';
import type { ReturnsAt } from '../fronts/index.js';
import { decodeSafetensors, readModel } from '../model/index.js';
import type { Model, NamedTensor, Policy } from '../model/index.js';
import { assertPreference, keyPreferences } from '../preferences/index.js';
import { compiledPolicy, inferenceDevice } from '../rollout/index.js';
import { checkPlan, presetNames, protocolOf, recordedSettings, settingsOf } from '../training/index.js';
import type { ParentRun, PresetName, Progress, Protocol, ReplicaVariant, TrainingPlan } from '../training/index.js';
import { CheckpointStore } from './checkpoint.js';
import {
  CONFIG,
  FINAL,
  KEYS,
  LAST,
  LEARNER,
  LEARNER_WEIGHTS,
  MODEL,
  OLDEST_RUN_FORMAT,
  RESULT,
  RUN_FORMAT,
  WEIGHTS,
} from './file-names.js';
import { isAnswers, type Answers } from './answers.js';
import { isMachine } from './machine.js';
import type { Machine } from './run-files.js';
import { trainingOf } from './lock.js';
import { REPLICA_FOLDER } from './out-folder.js';
import { RunError } from './run-error.js';
import { decodeState } from './state-json.js';

/** How much of a name is shown that nobody knows. */
const LONGEST_NAME = 80;

/** A finished run. */
export interface Run {
  readonly folder: string;
  readonly plan: TrainingPlan;
  readonly protocol: Protocol;
  /** Of the training. */
  readonly result: Progress & {
    /** Null where nobody counted them: in runs of earlier versions. */
    readonly evaluationSteps: number | null;
    readonly seconds: number;
    /** Null where nobody looked: in runs of earlier versions, and of web pages. */
    readonly machine: Machine | null;
    readonly stopped: boolean;
    /** How the numbers of its model are stored, where that is not how they were trained. */
    readonly weights?: 'float16';
    /** How its model came to answer preferences by policies of others, where it does. */
    readonly answers?: Answers;
  };
  /** Checksums of its files by name; runs of the first format have none. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Gives the content of a file of a run; throws a RunError where there is none. */
export type ReadFile = (name: string) => Uint8Array;

/** Reads what a folder says about its run. Throws a RunError unless it is whole. */
export function openRun(folder: string, read?: ReadFile): Run {
  const reader = read ?? readerOf(folder);
  const { plan, lockstep, document: config } = readPlan(folder, reader);
  if (read === undefined && !existsSync(join(folder, RESULT))) throw unfinished(folder, lockstep);
  const document = readDocument(folder, RESULT, reader);
  const { value } = document;
  checkRunFormat(folder, document);
  const { stopped, weights, answers, machine = null } = value;
  if (typeof stopped !== 'boolean') throw damaged(folder, RESULT, 'stopped', stopped);
  if (weights !== undefined && weights !== 'float16') throw damaged(folder, RESULT, 'weights', weights);
  if (answers !== undefined && !isAnswers(answers)) throw damaged(folder, RESULT, 'answers');
  if (machine !== null && !isMachine(machine)) throw damaged(folder, RESULT, 'machine', machine);
  const count = (key: string) => {
    const number = value[key];
    if (typeof number !== 'number' || !(number >= 0)) throw damaged(folder, RESULT, key, number);
    return number;
  };
  const result = {
    envSteps: count('envSteps'),
    gradientSteps: count('gradientSteps'),
    evaluationSteps: value.evaluationSteps === undefined ? null : count('evaluationSteps'),
    seconds: count('seconds'),
    machine,
  };
  mustBeWhole(folder, document);
  const files = value.format === OLDEST_RUN_FORMAT ? undefined : filesIn(folder, value);
  mustBeWhole(folder, config, files);
  return {
    folder,
    plan,
    protocol: protocolOf(plan, lockstep),
    result: {
      ...result,
      stopped,
      ...(weights !== undefined && { weights }),
      ...(answers !== undefined && { answers }),
    },
    ...(files !== undefined && { files }),
  };
}

/** Says who is at work on a run without a result, or how it goes on: whose process was killed. */
function unfinished(folder: string, lockstep: number): RunError {
  const resumed = lockstep === 1 ? 'psl resume' : 'psl resume of the folder around it';
  return new RunError(folder, `it is not finished; ${trainingOf(folder) ?? `${resumed} goes on with it`}`);
}

/** A run, which a user may give by the path of its folder. Throws a RangeError where it is neither. */
export function runOf(run: Run | string, read?: ReadFile): Run {
  if (typeof run === 'string') return openRun(run, read);
  if (!isObject(run) || !isObject(run.plan)) {
    throw new RangeError(refusal('run', run, 'what openRun returns, or the path of its folder'));
  }
  return run;
}

function filesIn(folder: string, { files }: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const isList = isObject(files) && Object.values(files).every((sha256) => typeof sha256 === 'string');
  if (!isList) throw damaged(folder, RESULT, 'files');
  return files as Readonly<Record<string, string>>;
}

/** The files of a run that are there but are not what was written: pictures too, which no program reads. */
export function changedFiles({ folder, files = {} }: Pick<Run, 'folder' | 'files'>): string[] {
  return Object.keys(files).filter((name) => {
    const path = join(folder, name);
    return existsSync(path) && checksum(readFileSync(path)) !== files[name];
  });
}

/**
 * Whether a file of a run, finished or not, is known to have changed since it was written. False for files of the first
 * format, which have no checksums, and for files that cannot be read at all.
 */
export function isChanged(folder: string, name: string): boolean {
  const read = readerOf(folder);
  try {
    const files =
      name === RESULT || !existsSync(join(folder, RESULT)) ? {} : readDocument(folder, RESULT, read).value.files;
    if (isObject(files) && !isAsListed(name, read(name), files as Readonly<Record<string, string>>)) return true;
    if (!name.endsWith('.json')) return false;
    const { text, value } = readDocument(folder, name, read);
    const intact = isChecksumIntact(text);
    const mustHaveChecksum = typeof value.format === 'number' && value.format !== OLDEST_RUN_FORMAT;
    return intact === false || (intact === undefined && mustHaveChecksum);
  } catch (error) {
    if (error instanceof RunError) return false;
    throw error;
  }
}

/** What is known about a run that may not be finished. */
export interface BegunRun {
  /** With all its replicas, where they are trained together. */
  readonly plan: TrainingPlan;
  /** The folder of each replica that was begun. */
  readonly folders: readonly string[];
  /** Of the programs that it was begun with. */
  readonly versions: Readonly<Record<string, unknown>>;
  readonly isFinished: boolean;
}

/** Reads what a folder says about a run that was begun. Throws a RunError where it says nothing. */
export function openBegun(folder: string): BegunRun {
  const together = existsSync(join(folder, CONFIG)) ? [] : runsIn(folder);
  const begun = together.map((name) => join(folder, name)).filter((path) => existsSync(join(path, CONFIG)));
  const found = begun.map(readBegun);
  const replicas = areReplicas(found) ? found : [readBegun(folder)];
  // In the order of the replicas, which is not that of their names where they differ in settings.
  replicas.sort((a, b) => a.replica - b.replica);
  const folders = replicas.map(({ path }) => path);
  const [{ plan, lockstep, variants, document }] = replicas;
  if (folders[0] === folder && lockstep > 1) {
    throw new RunError(folder, `it is one of ${lockstep} that are trained together, in the folder around it`);
  }
  const isFinished = folders.length === lockstep && folders.every((path) => isComplete(path, folder));
  const { versions } = document.value;
  const group = { ...plan, replicas: lockstep, ...(variants !== undefined && { variants }) };
  return { plan: group, folders, isFinished, versions: isObject(versions) ? versions : {} };
}

function readBegun(path: string) {
  const read = readPlan(path, readerOf(path));
  mustBeWhole(path, read.document);
  return { path, ...read };
}

/** Whether runs are replicas of one training, and not runs that lie in one folder. */
function areReplicas(runs: readonly ReturnType<typeof readBegun>[]): boolean {
  const same = ({ lockstep, variants, plan }: ReturnType<typeof readBegun>) =>
    JSON.stringify([lockstep, plan.env, plan.algorithm.name, variants ?? plan.config]);
  return runs.length > 0 && runs[0].lockstep > 1 && new Set(runs.map(same)).size === 1;
}

/** @param group where checkpoints are */
function isComplete(folder: string, group: string): boolean {
  if (!existsSync(join(folder, RESULT))) return false;
  try {
    return !openRun(folder).result.stopped;
  } catch (error) {
    // It is written anew when the run goes on.
    if (error instanceof RunError && CheckpointStore.existsIn(group)) return false;
    throw error;
  }
}

/**
 * The last evaluation of a run: the return at every preference.
 * @param run what `openRun` returns, or the path of its folder
 */
export function readReturns(run: Run | string, read?: ReadFile): ReturnsAt {
  const { folder, plan, files } = runOf(run, read);
  const document = readDocument(folder, FINAL, read ?? readerOf(folder));
  const { value } = document;
  checkRunFormat(folder, document);
  const objectives = envInfo(plan.env).objectives.length;
  const preferences = rowsOf(value.preferences, objectives);
  const returns = rowsOf(value.returns, objectives);
  if (preferences === undefined || preferences.length === 0) throw damaged(folder, FINAL, 'preferences');
  if (returns?.length !== preferences.length) throw damaged(folder, FINAL, 'returns');
  const own = value.own === undefined ? undefined : rowsOf(value.own, objectives);
  if (value.own !== undefined && own?.length !== preferences.length) throw damaged(folder, FINAL, 'own');
  for (const preference of preferences) within(folder, FINAL, () => assertPreference(preference, objectives));
  mustBeWhole(folder, document, files);
  return { preferences, returns, ...(own !== undefined && { own }) };
}

/** The key solutions that a run ended with. */
export function readKeys(folder: string, read?: ReadFile): KeyReturns {
  const { plan, files } = openRun(folder, read);
  const document = readDocument(folder, KEYS, read ?? readerOf(folder));
  checkRunFormat(folder, document);
  const keys = keysOf(folder, KEYS, document.value.returns, plan.env);
  mustBeWhole(folder, document, files);
  return keys;
}

function keysOf(folder: string, name: string, value: unknown, env: string): KeyReturns {
  const objectives = envInfo(env).objectives.length;
  const returns = rowsOf(value, objectives);
  if (returns?.length !== keyPreferences(objectives).length) throw damaged(folder, name, 'keys');
  return returns;
}

/**
 * The trained model of a run. Throws a RunError where it is damaged.
 * @param run what `openRun` returns, or the path of its folder
 * @param keep the policy set that the run keeps, unless the last one is asked for
 */
export function loadModel(run: Run | string, keep?: 'best' | 'last'): Model {
  const { folder, files, plan } = runOf(run);
  const read = readerOf(folder);
  const prefix = keep === undefined || keep === plan.config.keep ? '' : `${LAST}/`;
  const document = readDocument(folder, `${prefix}${MODEL}`, read);
  const weights = read(`${prefix}${WEIGHTS}`);
  // Before the checksums, because what is wrong with the file says more than that it is not the same.
  const model = modelIn(folder, document, weights);
  mustBeWhole(folder, document, files);
  const { sha256 } = (document.value.weights ?? {}) as Record<string, unknown>;
  if (sha256 !== checksum(weights)) {
    throw new RunError(folder, `${prefix}${WEIGHTS} is not the file that ${document.name} was written for`);
  }
  return model;
}

/**
 * All that a run has learned, for a training that begins with it, and a checksum of it. Throws a RunError where it is
 * damaged, or was not kept.
 */
export function loadLearned(run: Run): { readonly learned: SavedReplica; readonly sha256: string } {
  const { folder, files } = run;
  const read = readerOf(folder);
  if (!existsSync(join(folder, LEARNER))) {
    throw new RunError(folder, `it has no ${LEARNER}, like runs of earlier versions and those that were exported`);
  }
  const document = readDocument(folder, LEARNER, read);
  checkRunFormat(folder, document);
  mustBeWhole(folder, document, files);
  const { parts } = document.value;
  for (const name of [WEIGHTS, LEARNER_WEIGHTS]) {
    if (!isObject(parts) || parts[name] !== checksum(read(name))) {
      throw new RunError(folder, `${name} is not the file that ${LEARNER} was written for`);
    }
  }
  return within(folder, LEARNER, () => {
    const { rest } = decodeState(document.text) as Readonly<Record<string, StateValue>>;
    const others = [...decodeSafetensors(read(LEARNER_WEIGHTS))].map(([name, { values }]) => [name, values] as const);
    const tensors = new Map<string, NamedTensor['values']>([...others, ...loadModel(run).tensors]);
    return { learned: { tensors, rest }, sha256: checksum(document.bytes) };
  });
}

/** Whether the policy set of the last evaluation is there: of an exported run it is not, unless that is the one it keeps. */
export function hasLast({ folder, plan }: Run): boolean {
  return plan.config.keep === 'last' || existsSync(join(folder, LAST, MODEL));
}

function modelIn(folder: string, { value }: Document, weights: Uint8Array): Model {
  try {
    return readModel(value, weights);
  } catch (error) {
    throw error instanceof RangeError ? new RunError(folder, error.message) : error;
  }
}

/**
 * The policy of a run, for many observations at a time. For single observations `plainPolicy` is faster, synchronous and
 * needs no device.
 * @param run what `openRun` returns, or the path of its folder
 * @param device by default the one that the run was trained on, and the CPU where that is not here
 */
export async function loadPolicy(run: Run | string, device?: string): Promise<Policy> {
  const opened = runOf(run);
  return compiledPolicy(loadModel(opened), device ?? (await inferenceDevice(opened.plan.device)));
}

function readPlan(
  folder: string,
  read: ReadFile,
): {
  readonly plan: TrainingPlan;
  readonly lockstep: number;
  /** Which of the replicas that were trained together it is, and what each has where they differ in settings. */
  readonly replica: number;
  readonly variants: readonly ReplicaVariant[] | undefined;
  readonly document: Document;
} {
  const document = readDocument(folder, CONFIG, read);
  checkRunFormat(folder, document);
  const {
    algorithm: name,
    env,
    envOptions: options,
    preset,
    seed,
    device,
    settings,
    protocol,
    format,
    keys,
    replica = 0,
    variants,
    from,
  } = document.value;
  const lockstep = isObject(protocol) ? protocol.lockstep : undefined;
  if (!Number.isSafeInteger(lockstep) || (lockstep as number) < 1) {
    throw damaged(folder, CONFIG, 'protocol.lockstep', lockstep);
  }
  const isVariant = (value: unknown) =>
    isObject(value) &&
    Number.isSafeInteger(value.seed) &&
    isObject(value.settings) &&
    Object.values(value.settings).every(Number.isFinite);
  if (variants !== undefined && !(Array.isArray(variants) && variants.every(isVariant))) {
    throw damaged(folder, CONFIG, 'variants', variants);
  }
  if (from !== undefined && !isParentRun(from)) throw damaged(folder, CONFIG, 'from', from);
  if (!Number.isSafeInteger(replica)) throw damaged(folder, CONFIG, 'replica', replica);
  const plan = within(folder, CONFIG, () => {
    if (typeof env !== 'string') throw damaged(folder, CONFIG, 'env', env);
    if (!envIds().includes(env)) {
      const hint = 'add the module that it is in with --import, or importRunModules or importEnvs in a program';
      const shown = env.length > LONGEST_NAME ? `${env.slice(0, LONGEST_NAME)}...` : env;
      throw new RunError(folder, `its environment is "${shown}", which is not known here; ${hint}`);
    }
    if (typeof name !== 'string') throw damaged(folder, CONFIG, 'algorithm', name);
    if (!(presetNames as readonly unknown[]).includes(preset)) throw damaged(folder, CONFIG, 'preset', preset);
    if (typeof seed !== 'number') throw new RangeError(refusal('seed', seed, 'an integer of at least 0'));
    if (typeof device !== 'string') throw damaged(folder, CONFIG, 'device', device);
    const isOption = (value: unknown) => typeof value === 'string' || Number.isFinite(value);
    if (!isObject(options) || !Object.values(options).every(isOption)) {
      throw damaged(folder, CONFIG, 'envOptions', options);
    }
    if (!isObject(settings)) throw damaged(folder, CONFIG, 'settings', settings);
    const method = algorithm(name);
    checkFit(method, envInfo(env));
    const missing = Object.keys(settingsOf(method)).find((field) => !Object.hasOwn(settings, field));
    // In a file that was changed, a missing setting is not newer than the run but lost; files of the first format have no
    // checksum that would show it.
    const isChanged = format !== OLDEST_RUN_FORMAT && isChecksumIntact(document.text) !== true;
    if (missing !== undefined && isChanged) throw new RangeError(`setting ${missing} is missing.`);
    const decided: TrainingPlan = {
      env,
      envOptions: envOptions(env, options),
      algorithm: method,
      config: recordedSettings(method, settings),
      device,
      seed,
      replicas: 1,
      preset: preset as PresetName,
      ...(keys !== undefined && { keys: keysOf(folder, CONFIG, keys, env) }),
      ...(from !== undefined && { from }),
    };
    checkPlan(decided);
    return decided;
  });
  return {
    plan,
    lockstep: lockstep as number,
    replica: replica as number,
    variants: variants as readonly ReplicaVariant[] | undefined,
    document,
  };
}

function isParentRun(value: unknown): value is ParentRun {
  const { run, sha256, env, envOptions: options, ...counts } = isObject(value) ? value : {};
  const isCount = (count: unknown) => Number.isSafeInteger(count) && (count as number) >= 0;
  return (
    [run, sha256, env].every((text) => typeof text === 'string') &&
    isObject(options) &&
    ['trainings', 'steps', 'envSteps', 'gradientSteps', 'evaluationSteps'].every((name) => isCount(counts[name]))
  );
}

function readerOf(folder: string): ReadFile {
  return (name) => {
    try {
      return readFileSync(join(folder, name));
    } catch (error) {
      const runs = runsIn(folder);
      const hint = runs.length === 0 ? '' : `; it holds the runs ${runs.join(', ')}`;
      throw new RunError(folder, `${name} cannot be read (${reasonOf(error)})${hint}`);
    }
  };
}

/** The runs of replicas that were trained together, which lie in folders of their own. */
function runsIn(folder: string): string[] {
  const number = (name: string) => Number(name.slice(name.lastIndexOf('-') + 1));
  return namesIn(folder)
    .filter((name) => REPLICA_FOLDER.test(name))
    .sort((a, b) => number(a) - number(b));
}

/** A JSON file of a run. */
interface Document {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly value: Readonly<Record<string, unknown>>;
}

function readDocument(folder: string, name: string, read: ReadFile): Document {
  const bytes = read(name);
  const decoded = decodeJson(bytes);
  if (decoded === undefined) throw new RunError(folder, `${name} is not valid JSON`);
  const { text, value } = decoded;
  if (!isObject(value)) throw new RunError(folder, `${name} is not an object`);
  return { name, bytes, text, value };
}

function checkRunFormat(folder: string, document: Document): void {
  checkFormat(folder, document, OLDEST_RUN_FORMAT, RUN_FORMAT);
}

function checkFormat(folder: string, { name, value: { format } }: Document, oldest: number, newest: number): void {
  if (Number.isSafeInteger(format) && (format as number) >= oldest && (format as number) <= newest) return;
  const given = format === undefined ? 'none' : shown(format);
  const known = oldest === newest ? String(newest) : `${oldest} to ${newest}`;
  throw new RunError(folder, `${name} has format ${given}, and this version reads ${known}`);
}

/**
 * Throws unless a file is what was written. Runs of the first format have no checksums and are not checked.
 * @param files checksums of the run's files, where they are known
 */
function mustBeWhole(
  folder: string,
  { name, text, bytes, value }: Document,
  files?: Readonly<Record<string, string>>,
): void {
  const intact = isChecksumIntact(text);
  const mustHaveChecksum = name !== MODEL && value.format !== OLDEST_RUN_FORMAT;
  if (intact === false || (intact === undefined && mustHaveChecksum) || !isAsListed(name, bytes, files)) {
    throw new RunError(folder, `${name} is not what was written`);
  }
}

function isAsListed(name: string, bytes: Uint8Array, files: Readonly<Record<string, string>> = {}): boolean {
  return !Object.hasOwn(files, name) || files[name] === checksum(bytes);
}

function damaged(folder: string, name: string, key: string, value?: unknown): RunError {
  const given = value === undefined ? `lacks a valid "${key}"` : `has ${shown(value)} as "${key}"`;
  return new RunError(folder, `${name} ${given}`);
}

/** A value from a file in a few words, for error messages. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}...` : value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** Runs a check whose refusal means that a file of the run is damaged. */
function within<T>(folder: string, name: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof RunError || !(error instanceof Error)) throw error;
    const isRefusal = error instanceof RangeError || error.name === 'ConfigError';
    throw isRefusal ? new RunError(folder, `${name} ${error.message.replace(/\.$/, '')}`) : error;
  }
}

function rowsOf(value: unknown, length: number): number[][] | undefined {
  const isRow = (row: unknown) => Array.isArray(row) && row.length === length && row.every(Number.isFinite);
  return Array.isArray(value) && value.every(isRow) ? (value as number[][]) : undefined;
}
