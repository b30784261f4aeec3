/**
 * Who works on a sweep. Each process renews a file of its own, and counts as alive for the time that it says there. Time is
 * that of the file system: of the file that somebody else renewed last, and of one that was written just now. So clocks of
 * machines that go wrong lead to no wrong conclusion.
 */
import { randomBytes } from 'node:crypto';
import { isAlive, thisProcess, type ProcessIdentity } from '../runs/index.js';
import { VERSION } from '../version.js';
import { atOnce } from './at-once.js';
import type { Place } from './place.js';
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

/** The same, with when it did so, in milliseconds of the clock that all share. */
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

const FOLDER = 'workers';
const NAME = /^[\w.-]+\.json$/;

/** The processes that work on the sweep in a store. */
export class Membership {
  constructor(private readonly place: Place) {}

  /** A name for this process, and for no other. */
  static newName(): string {
    const { host, pid } = thisProcess();
    return `${host.replace(/[^\w.-]/g, '_')}-${pid}-${randomBytes(4).toString('hex')}`;
  }

  /** Renews the file of a process, and returns what time it is for all. */
  renew(name: string, { lease, running }: Pick<WorkerRecord, 'lease' | 'running'>): Promise<number> {
    const record: WorkerRecord = { version: VERSION, process: thisProcess(), lease, running };
    return this.place.stamp(keyOf(name), JSON.stringify(record));
  }

  leave(name: string): Promise<void> {
    return this.place.remove(keyOf(name));
  }

  /** What time it is for all, for somebody who only looks. */
  async now(): Promise<number> {
    const key = `${FOLDER}/${Membership.newName()}.tmp`;
    try {
      return await this.place.stamp(key, ' ');
    } catch {
      return Date.now();
    } finally {
      await this.place.remove(key).catch(() => undefined);
    }
  }

  /** Undefined where it has left. */
  async see(name: string): Promise<SeenWorker | undefined> {
    const seen = NAME.test(`${name}.json`) ? await this.place.stamped(keyOf(name)) : undefined;
    return seen && { name, at: seen.at, record: recordIn(seen.content) };
  }

  async all(): Promise<SeenWorker[]> {
    const names = (await this.place.list(FOLDER)).filter((name) => NAME.test(name));
    const seen = await atOnce(names, (name) => this.see(name.slice(0, -'.json'.length)));
    return seen.filter((worker) => worker !== undefined);
  }

  async isPresent(name: string, now: number): Promise<boolean> {
    const seen = await this.see(name);
    return seen !== undefined && isPresent(seen, now);
  }
}

function keyOf(name: string): string {
  return `${FOLDER}/${name}.json`;
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
