/** BullMQ and the client that it talks to Redis with, as far as they are used here. Both are loaded when a queue is asked for. */

export interface QueueJob {
  readonly id?: string;
  readonly data: unknown;
  moveToDelayed(time: number, token?: string): Promise<void>;
}

export interface Queue {
  addBulk(jobs: readonly { name: string; data: object; opts: object }[]): Promise<unknown>;
  getJobCounts(...types: string[]): Promise<Readonly<Record<string, number>>>;
  close(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

export interface QueueWorker {
  close(force?: boolean): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** The package `bullmq`. */
export interface BullMQ {
  readonly Queue: new (name: string, options: object) => Queue;
  readonly Worker: new (
    name: string,
    process: (job: QueueJob, token?: string) => Promise<unknown>,
    options: object,
  ) => QueueWorker;
  /** Says that a job was put back by hand. */
  readonly DelayedError: new () => Error;
}

/** A client of the package `ioredis`. */
interface Client {
  connect(): Promise<void>;
  ping(): Promise<string>;
  disconnect(): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

interface Ioredis {
  readonly Redis: new (url: string, options: object) => Client;
}

const INSTALL = 'npm install bullmq@6 ioredis@6';

async function load<T>(name: string): Promise<T> {
  try {
    return (await import(name)) as T;
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND';
    throw isMissing ? new Error(`a queue needs ${name}, which is not installed: ${INSTALL}`, { cause }) : cause;
  }
}

export async function loadBullMQ(): Promise<BullMQ> {
  return load<BullMQ>('bullmq');
}

/** Why a Redis does not answer, such as a wrong password; undefined where it does. */
export async function whyNoRedis(url: string): Promise<string | undefined> {
  const { Redis } = await load<Ioredis>('ioredis');
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
  let reason: string | undefined;
  client.on('error', (error) => (reason ??= error.message));
  try {
    await client.connect();
    await client.ping();
    return undefined;
  } catch (error) {
    return reason ?? (error as Error).message;
  } finally {
    client.disconnect();
  }
}
