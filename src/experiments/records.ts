/**
 * Records of runs: what a report says of each, which is all that a report is made of. They are read from the report of an
 * earlier reproduction, whose runs may be gone, and from `records.json`, where a folder keeps those of runs that it lacks.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { envOptions } from '../envs/index.js';
import {
  checksummed,
  decodeJson,
  isChecksumIntact,
  isObject,
  jsonText,
  reasonOf,
  writeAtomic,
} from '../files/index.js';
import { recordedSettings } from '../training/index.js';
import type { Protocol } from '../training/index.js';
import { VERSION } from '../version.js';
import { differencesOf, differenceText } from './difference.js';
import type { Difference } from './difference.js';
import type { Entry, SeedResult } from './experiment.js';
import { scoreProtocolOf } from './final-score.js';
import { runsOf } from './job.js';
import type { PlannedRun } from './job.js';
import type { Marker } from './marker.js';
import { jobOf } from './plan.js';
import type { Reproduction } from './plan.js';
import { resultIn } from './seed-result.js';
import type { Unchecked } from './seed-result.js';

const RECORDS = 'records.json';
const FORMAT = 1;
/** How much of a name is shown. */
const LONGEST = 80;

/** A finished run of which only the numbers are left. */
export interface RunRecord extends PlannedRun {
  readonly result: SeedResult;
  /** Of the score. */
  readonly protocol: Protocol;
}

/** What records must be of. */
export type RecordsOf = Pick<Reproduction, 'experiment' | 'budget'>;

/** What of an entry of a report records are made of. */
type RecordedEntry = Pick<Entry, 'env' | 'key' | 'settings' | 'envOptions' | 'protocol' | 'seeds'>;

/** Ends the reading with what is wrong, as a clause. */
export type Refuse = (problem: string) => never;

/** A file with records, whose entries are not checked yet. */
export interface RecordFile extends Marker {
  readonly entries: readonly unknown[];
  /** Of all runs together: what reports had before each seed had its own. */
  readonly versions: unknown;
}

/** Those that a folder keeps; none where it has no such file. */
export function storedRecords(folder: string, of: RecordsOf, refuse: Refuse): RunRecord[] {
  const path = join(folder, RECORDS);
  if (!existsSync(path)) return [];
  const refuseFile: Refuse = (problem) => refuse(`its ${RECORDS} ${problem}`);
  const file = readRecordFile(path, refuseFile, { isChecksummed: true });
  const isOf = file.experiment === of.experiment.name && file.budget === of.budget;
  if (!isOf) refuseFile(`is of ${file.experiment} with the budget ${file.budget}`);
  return recordsIn(file, of, refuse);
}

/** Writes what a folder keeps. */
export function writeRecords(folder: string, marker: Marker, records: readonly RunRecord[]): void {
  const entries = new Map<string, RecordedEntry>();
  for (const { method, plan, protocol, result } of records) {
    const { env, config: settings, envOptions: options } = plan;
    const name = `${env} ${method.key}`;
    const first = { env, key: method.key, settings, envOptions: options, protocol, seeds: [] };
    const entry = entries.get(name) ?? first;
    entries.set(name, { ...entry, seeds: [...entry.seeds, result] });
  }
  const document = { format: FORMAT, ...marker, entries: [...entries.values()] };
  writeAtomic(join(folder, RECORDS), checksummed(jsonText(document)));
}

/** Reads a report, or what a folder keeps, which is checksummed. */
export function readRecordFile(path: string, refuse: Refuse, { isChecksummed = false } = {}): RecordFile {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    return refuse(`cannot be read (${reasonOf(error)})`);
  }
  const { text, value } = decodeJson(bytes) ?? refuse('is not valid JSON');
  const isIntact = isChecksumIntact(text) ?? !isChecksummed;
  if (!isIntact) refuse('is not what was written');
  const { format, experiment, budget, entries, versions } = isObject(value) ? value : {};
  if (typeof experiment !== 'string' || typeof budget !== 'string' || !Array.isArray(entries)) {
    return refuse('is no report of a table');
  }
  if (format !== FORMAT) refuse(`has another format than ${FORMAT}, which this version reads`);
  return { experiment, budget, entries, versions };
}

/** All records of a file. Refuses those that this version would not have made so. */
export function recordsIn({ entries, versions }: RecordFile, of: RecordsOf, refuse: Refuse): RunRecord[] {
  return entries.flatMap((entry) => {
    if (!isObject(entry) || !Array.isArray(entry.seeds)) return refuse('an entry of it has no seeds');
    return entry.seeds.map((seed: unknown) => recordOf(entry, isObject(seed) ? seed : {}, versions, of, refuse));
  });
}

function recordOf(entry: Unchecked, seed: Unchecked, versions: unknown, of: RecordsOf, refuse: Refuse): RunRecord {
  const refuseRecord: Refuse = (problem) =>
    refuse(`its record of ${word(entry.key)} on ${word(entry.env)} with seed ${word(seed.seed)} ${problem}`);
  const { protocol } = entry;
  if (!isObject(protocol)) return refuseRecord('has no protocol');
  // Of all seeds together, or not at all, in reports of earlier versions.
  const older = { coverageF1: null, machine: null, versions: versionsOfAll(versions), lockstep: protocol.lockstep };
  const result = resultIn({ ...older, ...seed }, (name) => refuseRecord(`lacks a valid ${name}`));
  if (result.versions.psl !== VERSION) refuseRecord('is of another version of psl');
  const refuseValue = (problem: string) => refuseRecord(`is not of this version: ${problem}`);
  const planned = checked(() => plannedAs(entry, result, of), refuseValue) ?? refuseRecord('is of no method of it');
  const wanted = scoreProtocolOf(planned.plan, result.lockstep, of.experiment.budgets[of.budget].final);
  if (result.front.some((point) => point.length !== wanted.referencePoint.length)) refuseRecord('lacks a valid front');
  const scored = differencesOf({ ...protocol, lockstep: result.lockstep }, { ...wanted });
  const [difference] = [
    ...checked(() => trainingDifferences(entry, planned), refuseValue),
    ...scored.map((one) => ({ ...one, name: `${one.name} of its protocol` })),
  ] as readonly (Difference | undefined)[];
  if (difference !== undefined) refuseRecord(differenceText(difference));
  return { ...planned, result, protocol: wanted };
}

function plannedAs(
  { key, env }: Unchecked,
  { seed, device }: SeedResult,
  { experiment, budget }: RecordsOf,
): PlannedRun | undefined {
  const method = experiment.methods.find((one) => one.key === key);
  const where = experiment.cases.find((one) => one.env === env);
  if (method === undefined || where === undefined) return undefined;
  return runsOf(jobOf({ experiment, budget, device }, where, [method], { seed, replicas: 1 }))[0];
}

/** What tells a training from the one that is planned. */
function trainingDifferences({ settings, envOptions: options }: Unchecked, { plan }: PlannedRun): Difference[] {
  if (!isObject(options)) throw new RangeError('envOptions are missing.');
  return [
    ...differencesOf(envOptions(plan.env, options), plan.envOptions),
    ...differencesOf(recordedSettings(plan.algorithm, settings), plan.config),
  ];
}

/** Calls back with the sentence by which a setting, an option, a seed or a device is refused. */
function checked<T>(read: () => T, refuse: Refuse): T {
  try {
    return read();
  } catch (error) {
    const isRefusal = error instanceof RangeError || (error instanceof Error && error.name === 'ConfigError');
    if (!isRefusal) throw error;
    return refuse(error.message.replace(/\.$/, ''));
  }
}

/** Versions that are known of all runs of a report together: where there are several, each run had one of them. */
function versionsOfAll(versions: unknown): unknown {
  if (!isObject(versions)) return {};
  return Object.fromEntries(
    Object.entries(versions).map(([name, all]) => [name, Array.isArray(all) ? all.map(word).join(' or ') : all]),
  );
}

/** A value from a file for a sentence. */
function word(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, LONGEST) : 'no name';
}
