/**
 * Who works on a sweep. Each process renews a file of its own, and counts as alive for the time that it says there. Time is
 * that of the file system: of the file that somebody else renewed last, and of one that was written just now. So clocks of
 * machines that go wrong lead to no wrong conclusion.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, namesIn, WriteError } from '../files/index.js';
import { isAlive, thisProcess, type ProcessIdentity } from '../runs/index.js';
import { VERSION } from '../version.js';
import { isRecord } from './spec.js';

/** Seconds after which a process that is silent is taken for dead. */
export const LEASE = 60;

/** A training that a process works on. */
export interface RunningJob {
  readonly id: string;
  readonly envSteps: number;
  readonly hypervolume: number | null;
  readonly stepsPerSecond: number;
}

/** What a process says of itself. */
export interface WorkerRecord {
  readonly version: string;
  readonly process: ProcessIdentity;
  readonly lease: number;
  readonly running: readonly RunningJob[];
}

/** The same, with when it did so, in milliseconds of the file system's clock. */
export interface SeenWorker {
  readonly name: string;
  readonly at: number;
  /** Undefined where it is being written. */
  readonly record: WorkerRecord | undefined;
}

/** Whether a process can still be expected to renew its file; one of this machine can be looked for. */
export function isPresent({ at, record }: Pick<SeenWorker, 'at' | 'record'>, now: number): boolean {
  if (record !== undefined && !isAlive(record.process)) return false;
  return now - at <= 1000 * (record?.lease ?? LEASE);
}

const NAME = /^[\w.-]+\.json$/;

/** The processes that work on the sweep in a store. */
export class Membership {
  private readonly folder: string;

  constructor(store: string) {
    this.folder = join(store, 'workers');
  }

  /** A name for this process, and for no other. */
  static newName(): string {
    const { host, pid } = thisProcess();
    return `${host.replace(/[^\w.-]/g, '_')}-${pid}-${randomBytes(4).toString('hex')}`;
  }

  /** Renews the file of a process, and returns what time it is for all. */
  renew(name: string, { lease, running }: Pick<WorkerRecord, 'lease' | 'running'>): number {
    const record: WorkerRecord = { version: VERSION, process: thisProcess(), lease, running };
    return this.write(`${name}.json`, JSON.stringify(record));
  }

  leave(name: string): void {
    rmSync(join(this.folder, `${name}.json`), { force: true });
  }

  /** What time it is for all, for somebody who only looks. */
  now(): number {
    const name = `${Membership.newName()}.tmp`;
    try {
      return this.write(name, '');
    } catch {
      return Date.now();
    } finally {
      rmSync(join(this.folder, name), { force: true });
    }
  }

  /** Undefined where it has left. */
  see(name: string): SeenWorker | undefined {
    if (!NAME.test(`${name}.json`)) return undefined;
    let file: number;
    try {
      // A network file system asks its server again for a file that is opened.
      file = openSync(join(this.folder, `${name}.json`), 'r');
    } catch {
      return undefined;
    }
    try {
      return { name, at: fstatSync(file).mtimeMs, record: recordIn(readFileSync(file, 'utf8')) };
    } finally {
      closeSync(file);
    }
  }

  all(): SeenWorker[] {
    return namesIn(this.folder).flatMap((name) =>
      NAME.test(name) ? (this.see(name.slice(0, -'.json'.length)) ?? []) : [],
    );
  }

  /** Answers for every worker, each of whom is looked at once. */
  lookup(now: number): (name: string) => boolean {
    const known = new Map<string, boolean>();
    return (name) => {
      const seen = known.has(name) ? undefined : this.see(name);
      if (!known.has(name)) known.set(name, seen !== undefined && isPresent(seen, now));
      return known.get(name)!;
    };
  }

  /** In place: whoever reads half of it still sees when it was written. */
  private write(name: string, text: string): number {
    const path = join(this.folder, name);
    try {
      makeFolder(this.folder);
      const file = openSync(path, 'w');
      try {
        writeFileSync(file, text === '' ? ' ' : text);
      } finally {
        closeSync(file);
      }
      const again = openSync(path, 'r');
      try {
        return fstatSync(again).mtimeMs;
      } finally {
        closeSync(again);
      }
    } catch (error) {
      throw new WriteError(path, error);
    }
  }
}

function recordIn(text: string): WorkerRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const { version, process: holder, lease, running } = value;
  const isHolder = isRecord(holder) && typeof holder.pid === 'number' && typeof holder.host === 'string';
  const isWhole = typeof version === 'string' && isHolder && typeof lease === 'number' && Array.isArray(running);
  return isWhole ? (value as unknown as WorkerRecord) : undefined;
}
