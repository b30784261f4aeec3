/**
 * The folder that all machines of a sweep share, and all that they have to share.
 *
 *     sweep.json            what is trained, and by which version it was begun
 *     jobs/ID/000001.json   what happened to a training (log.ts)
 *     jobs/ID/attempt-1/    the files of the claim with that number, which nobody else writes to
 *     runs/NAME/            runs that are finished
 *     workers/              who is alive (membership.ts)
 *
 * All paths are built here, from ids that were checked and names that were planned.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { checksum, checksummed, decodeJson, isChecksumIntact, jsonText } from '../files/index.js';
import { openBegun, openRun, RunError } from '../runs/index.js';
import { stepsTaken } from '../training/index.js';
import { VERSION } from '../version.js';
import { FolderPlace } from './folder-place.js';
import { claimsToContinue, entryIn, type Entry, type JobResult } from './log.js';
import { PlaceError, type ClaimFiles, type Place } from './place.js';
import { isCompatible, JOB_ID, planSweep, type Sweep, type SweepJob } from './plan.js';
import { isS3Address, S3Place } from './s3-place.js';
import { isRecord, parseSpec, type SweepSpec } from './spec.js';

const SWEEP = 'sweep.json';
const FORMAT = 1;
const ENTRY = /^(\d{6})\.json$/;
const ATTEMPT = /^attempt-(\d+)(?:\.tmp)?$/;
/** How much of a planned name the name of a folder has. */
const LONGEST_NAME = 160;

/** What is known of a training without planning it. */
export interface ListedJob {
  readonly id: string;
  readonly name: string;
  /** Environment steps of each of its runs. */
  readonly steps: number;
  readonly runs: number;
}

/** What a store says of itself. */
export interface StoredSweep {
  /** By which a queue is told from those of other sweeps. */
  readonly id: string;
  readonly version: string;
  readonly spec: SweepSpec;
  readonly jobs: readonly ListedJob[];
}

/** A folder that is no store, or not one that can be used. */
export class StoreError extends RangeError {
  override readonly name = 'StoreError';

  constructor(
    { address, name }: Pick<SweepStore, 'address' | 'name'>,
    problem: string,
    allowed = 'a folder with a sweep',
  ) {
    super(`${name} is "${address}", but must be ${allowed}, and ${problem}.`);
  }
}

export class SweepStore {
  readonly place: Place;

  /**
   * @param address the path of a folder, or s3://BUCKET/PREFIX
   * @param name what it is called where it was given
   */
  constructor(
    readonly address: string,
    readonly name = 'store',
  ) {
    this.place = isS3Address(address) ? new S3Place(address, name) : new FolderPlace(address);
  }

  /** What is stored; undefined where there is nothing yet. Throws a StoreError where it cannot be read. */
  async read(): Promise<StoredSweep | undefined> {
    const bytes = await this.place.read(SWEEP).catch((error: unknown): never => {
      throw error instanceof PlaceError ? new StoreError(this, `it cannot be reached (${error.reason})`) : error;
    });
    if (bytes === undefined) return undefined;
    const { text, value } = decodeJson(bytes) ?? {};
    if (!isRecord(value)) throw new StoreError(this, `its ${SWEEP} is not valid JSON`);
    const { format, id, version, spec, jobs } = value;
    if (format !== FORMAT) {
      throw new StoreError(this, `its ${SWEEP} has format ${String(format)}, where this version reads ${FORMAT}`);
    }
    if (
      isChecksumIntact(text!) !== true ||
      typeof version !== 'string' ||
      !Array.isArray(jobs) ||
      typeof id !== 'string'
    ) {
      throw new StoreError(this, `its ${SWEEP} is not what was written`);
    }
    if (!isCompatible(version, VERSION)) {
      throw new StoreError(this, `it was begun with psl ${version}, where this is ${VERSION}`);
    }
    return { id, version, spec: parseSpec(spec), jobs: jobs as readonly ListedJob[] };
  }

  /** The same of a folder that must be a store. */
  async open(): Promise<StoredSweep> {
    const stored = await this.read();
    if (stored === undefined) throw new StoreError(this, `it has no ${SWEEP}`);
    return stored;
  }

  /**
   * Plans a sweep for this store: a new one, the same that is there, or one that has all its trainings and more. Throws a
   * StoreError where another one is there.
   */
  async plan(spec: SweepSpec): Promise<Sweep> {
    const allowed = 'a folder that is new, empty or holds the same sweep or a part of it';
    const stored = await this.read();
    if (stored === undefined) {
      const held = await this.place.list('');
      if (held.length > 0) throw new StoreError(this, `it holds other files`, allowed);
      const problem = await this.place.whyNotUsable();
      if (problem !== undefined) throw new StoreError(this, `it cannot be written (${problem})`, allowed);
      return planSweep(spec);
    }
    const sweep = planSweep(spec, stored.version);
    const planned = new Set(sweep.jobs.map(({ id }) => id));
    const lost = stored.jobs.find(({ id }) => !planned.has(id));
    if (lost !== undefined) throw new StoreError(this, `it holds ${lost.name}, which is not in this one`, allowed);
    return sweep;
  }

  /** Writes down what is to be trained. */
  async begin({ version, spec, jobs }: Sweep): Promise<void> {
    const listed = jobs.map(({ id, name, plan }) => ({ id, name, steps: stepsTaken(plan), runs: plan.replicas }));
    const textOf = (id: string) => checksummed(jsonText({ format: FORMAT, id, version, spec, jobs: listed }));
    // Somebody else may begin the same one at the same time.
    if (await this.place.create(SWEEP, textOf(randomBytes(8).toString('hex')))) return;
    const text = textOf((await this.open()).id);
    const there = await this.place.read(SWEEP);
    if (there === undefined || new TextDecoder().decode(there) !== text) await this.place.replace(SWEEP, text);
  }

  /** Everything that happened to a training. */
  async entries(id: string): Promise<Entry[]> {
    const job = jobKey(id);
    const names = (await this.place.list(job)).filter((name) => ENTRY.test(name)).sort();
    return Promise.all(
      names.map(async (name) => {
        const bytes = await this.place.read(`${job}/${name}`);
        const { text, value } = (bytes && decodeJson(bytes)) ?? {};
        return entryIn(text !== undefined && isChecksumIntact(text) === true ? value : undefined);
      }),
    );
  }

  /** Whether something happened to a training since its entries had this number. */
  hasGoneOn(id: string, seen: number): Promise<boolean> {
    return this.place.exists(entryKey(id, seen + 1));
  }

  /**
   * Adds an entry behind those that were seen.
   * @returns false where somebody else was first, so that what was seen is not all any more
   */
  append(id: string, seen: readonly Entry[], entry: Entry): Promise<boolean> {
    const text = JSON.stringify({ ...entry, at: new Date().toISOString() }, null, 2);
    return this.place.create(entryKey(id, seen.length + 1), checksummed(text));
  }

  /** Where the files are that a claim alone writes. */
  claimAddress(id: string, claim: number): string {
    return this.place.address(claimKey(id, claim));
  }

  /**
   * Gives a claim the files of the latest one before it, if that left any, to train on. They are shared, not moved, so that
   * a process that lost its claim and does not know it can do no harm.
   * @param entries with the claim as the last one
   */
  async takeOver(id: string, entries: readonly Entry[]): Promise<ClaimFiles> {
    const earlier = claimsToContinue(entries.slice(0, -1)).map((claim) => claimKey(id, claim));
    const files = await this.place.takeOver(claimKey(id, entries.length), earlier, isBegun);
    await this.removeAttempts(id, entries.length - 1);
    return files;
  }

  /** Removes what claims wrote, up to the one with this number. */
  async removeAttempts(id: string, last: number): Promise<void> {
    for (const name of await this.place.list(jobKey(id))) {
      const claim = ATTEMPT.exec(name)?.[1];
      if (claim !== undefined && Number(claim) <= last) await this.place.discard(`${jobKey(id)}/${name}`);
    }
  }

  /** @param replica the name of one of several runs */
  runAddress(job: Pick<SweepJob, 'id' | 'name'>, replica = ''): string {
    return this.place.address(replica === '' ? runKey(job) : `${runKey(job)}/${replica}`);
  }

  /**
   * Puts the files of the claim that finished a training where runs are. Whoever sees that it is finished can do so, in
   * case that the one who finished it died before he could.
   */
  async publish(job: Pick<SweepJob, 'id' | 'name'>, claim: number): Promise<void> {
    await this.place.publish(claimKey(job.id, claim), runKey(job));
    await this.removeAttempts(job.id, claim);
  }
}

/** Where finished runs are. */
export const RUNS = 'runs';

function runKey({ id, name }: Pick<SweepJob, 'id' | 'name'>): string {
  return `${RUNS}/${name.slice(0, LONGEST_NAME)}-${checkedId(id).slice(0, 8)}`;
}

function jobKey(id: string): string {
  return `jobs/${checkedId(id)}`;
}

function entryKey(id: string, number: number): string {
  return `${jobKey(id)}/${String(number).padStart(6, '0')}.json`;
}

function claimKey(id: string, claim: number): string {
  return `${jobKey(id)}/attempt-${claim}`;
}

function checkedId(id: string): string {
  if (!JOB_ID.test(id)) throw new RangeError(`id is "${id.slice(0, 80)}", but must be that of a training.`);
  return id;
}

/** Whether a folder holds a training that can go on, or is finished. */
function isBegun(folder: string): boolean {
  return begunIn(folder) !== undefined;
}

/** What is known of the training in a folder; undefined where there is none that can be read. */
function begunIn(folder: string) {
  try {
    return openBegun(folder);
  } catch (error) {
    if (error instanceof RunError) return undefined;
    throw error;
  }
}

/** What the training in a folder came to; undefined unless all its runs are finished. */
export function resultsIn(folder: string): JobResult[] | undefined {
  const begun = begunIn(folder);
  if (begun?.isFinished !== true) return undefined;
  return begun.folders.map((path) => {
    const { result, files = {} } = openRun(path);
    const { hypervolume } = JSON.parse(readFileSync(join(path, 'result.json'), 'utf8')) as { hypervolume: number };
    const digest = Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      run: path === folder ? '' : basename(path),
      hypervolume,
      envSteps: result.envSteps,
      seconds: result.seconds / begun.plan.replicas,
      sha256: checksum(JSON.stringify(digest)),
    };
  });
}
