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
import { cpSync, existsSync, linkSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  checksum,
  checksummed,
  createExclusive,
  decodeJson,
  isChecksumIntact,
  jsonText,
  makeFolder,
  namesIn,
  whyNotWritable,
  writeAtomic,
  WriteError,
} from '../files/index.js';
import { openBegun, openRun, RunError } from '../runs/index.js';
import { stepsTaken } from '../training/index.js';
import { VERSION } from '../version.js';
import { claimsToContinue, entryIn, type Entry, type JobResult } from './log.js';
import { isCompatible, JOB_ID, planSweep, type Sweep, type SweepJob } from './plan.js';
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
    { folder, name }: Pick<SweepStore, 'folder' | 'name'>,
    problem: string,
    allowed = 'a folder with a sweep',
  ) {
    super(`${name} is "${folder}", but must be ${allowed}, and ${problem}.`);
  }
}

export class SweepStore {
  /** @param name what the folder is called where it was given */
  constructor(
    readonly folder: string,
    readonly name = 'store',
  ) {}

  /** What is stored; undefined where there is nothing yet. Throws a StoreError where it cannot be read. */
  read(): StoredSweep | undefined {
    const path = join(this.folder, SWEEP);
    if (!existsSync(path)) return undefined;
    const { text, value } = decodeJson(readFileSync(path)) ?? {};
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
  open(): StoredSweep {
    const stored = this.read();
    if (stored === undefined) throw new StoreError(this, `it has no ${SWEEP}`);
    return stored;
  }

  /**
   * Plans a sweep for this store: a new one, the same that is there, or one that has all its trainings and more. Throws a
   * StoreError where another one is there.
   */
  plan(spec: SweepSpec): Sweep {
    const allowed = 'a folder that is new, empty or holds the same sweep or a part of it';
    const stored = this.read();
    if (stored === undefined) {
      const held = namesIn(this.folder);
      if (held.length > 0) throw new StoreError(this, `it holds other files`, allowed);
      const problem = whyNotWritable(this.folder);
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
  begin({ version, spec, jobs }: Sweep): void {
    for (const name of ['jobs', 'runs', 'workers']) makeFolder(join(this.folder, name));
    const listed = jobs.map(({ id, name, plan }) => ({ id, name, steps: stepsTaken(plan), runs: plan.replicas }));
    const textOf = (id: string) => checksummed(jsonText({ format: FORMAT, id, version, spec, jobs: listed }));
    const path = join(this.folder, SWEEP);
    // Somebody else may begin the same one at the same time.
    if (createExclusive(path, textOf(randomBytes(8).toString('hex')))) return;
    const text = textOf(this.open().id);
    if (readFileSync(path, 'utf8') !== text) writeAtomic(path, text);
  }

  /** Everything that happened to a training. */
  entries(id: string): Entry[] {
    const folder = this.jobFolder(id);
    return namesIn(folder)
      .filter((name) => ENTRY.test(name))
      .sort()
      .map((name) => {
        const { text, value } = decodeJson(readFileSync(join(folder, name))) ?? {};
        return entryIn(text !== undefined && isChecksumIntact(text) === true ? value : undefined);
      });
  }

  /** Whether something happened to a training since its entries had this number. */
  hasGoneOn(id: string, seen: number): boolean {
    return existsSync(join(this.jobFolder(id), entryName(seen + 1)));
  }

  /**
   * Adds an entry behind those that were seen.
   * @returns false where somebody else was first, so that what was seen is not all any more
   */
  append(id: string, seen: readonly Entry[], entry: Entry): boolean {
    makeFolder(this.jobFolder(id));
    const path = join(this.jobFolder(id), entryName(seen.length + 1));
    return createExclusive(path, checksummed(JSON.stringify({ ...entry, at: new Date().toISOString() }, null, 2)));
  }

  /** The folder that a claim alone writes to. */
  attemptFolder(id: string, claim: number): string {
    return join(this.jobFolder(id), `attempt-${claim}`);
  }

  /**
   * Gives a claim the files of the latest one before it, if that left any. They are shared, not moved: files of runs are
   * replaced and never changed, so that a process that lost its claim and does not know it can do no harm.
   * @param entries with the claim as the last one
   */
  takeOver(id: string, entries: readonly Entry[]): string {
    const own = this.attemptFolder(id, entries.length);
    try {
      for (const claim of claimsToContinue(entries.slice(0, -1))) {
        const left = this.attemptFolder(id, claim);
        if (!existsSync(left)) continue;
        const partial = `${own}.tmp`;
        shareFiles(left, partial);
        if (isBegun(partial)) {
          renameSync(partial, own);
          break;
        }
        rmSync(partial, { recursive: true, force: true });
      }
    } catch (error) {
      throw new WriteError(own, error);
    }
    this.removeAttempts(id, entries.length - 1);
    return own;
  }

  /** Removes what claims wrote, up to the one with this number. */
  removeAttempts(id: string, last: number): void {
    const folder = this.jobFolder(id);
    for (const name of namesIn(folder)) {
      const claim = ATTEMPT.exec(name)?.[1];
      if (claim === undefined || Number(claim) > last) continue;
      try {
        rmSync(join(folder, name), { recursive: true, force: true });
      } catch {
        // One who does not know yet that his claim is lost still writes there; he removes it himself, or the next one does.
      }
    }
  }

  runFolder({ id, name }: Pick<SweepJob, 'id' | 'name'>): string {
    return join(this.folder, 'runs', `${name.slice(0, LONGEST_NAME)}-${checkedId(id).slice(0, 8)}`);
  }

  /**
   * Puts the files of the claim that finished a training where runs are. Whoever sees that it is finished can do so, in
   * case that the one who finished it died before he could.
   */
  publish(job: Pick<SweepJob, 'id' | 'name'>, claim: number): void {
    const [from, to] = [this.attemptFolder(job.id, claim), this.runFolder(job)];
    if (!existsSync(to)) {
      try {
        renameSync(from, to);
      } catch (error) {
        // Somebody else did it in the meantime.
        if (!existsSync(to)) throw new WriteError(to, error);
      }
    }
    this.removeAttempts(job.id, claim);
  }

  private jobFolder(id: string): string {
    return join(this.folder, 'jobs', checkedId(id));
  }
}

function checkedId(id: string): string {
  if (!JOB_ID.test(id)) throw new RangeError(`id is "${id.slice(0, 80)}", but must be that of a training.`);
  return id;
}

function entryName(number: number): string {
  return `${String(number).padStart(6, '0')}.json`;
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

/** Files of a process that has a folder for itself. */
const PRIVATE = /^lock$|\.tmp$/;

/** Gives another folder the same files, without copying them where the file system has links. */
function shareFiles(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to);
  for (const name of namesIn(from)) {
    if (PRIVATE.test(name)) continue;
    const [source, target] = [join(from, name), join(to, name)];
    const kind = lstatSync(source, { throwIfNoEntry: false });
    if (kind?.isDirectory() === true) shareFiles(source, target);
    else if (kind?.isFile() === true) shareFile(source, target);
  }
}

function shareFile(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Its owner may be alive after all, and has replaced it.
    if (code === 'ENOENT') return;
    cpSync(from, to);
  }
}
