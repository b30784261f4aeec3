/**
 * A queue in Redis that hands out the trainings of a sweep, with BullMQ. A job of the queue is nothing but an id: what is
 * trained stands in the store, where it is checked, and the log there decides who trains it. So a queue that loses jobs, or
 * hands one out twice, costs time and nothing else.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { refusal } from '../config/index.js';
import { atOnce } from './at-once.js';
import { loadBullMQ, whyNoRedis, type QueueJob } from './bullmq.js';
import { isSettled, standingOf } from './log.js';
import { LEASE } from './membership.js';
import { planSweep, type Sweep, type SweepJob } from './plan.js';
import { isRecord } from './spec.js';
import type { SweepStore } from './store.js';
import { Worker, type WorkOptions } from './work.js';

/** Jobs that are sent at a time. */
const BATCH = 1000;
/** Milliseconds until a training is handed out again that somebody else has. */
const LATER = 5000;
/** Milliseconds between two looks at what is left. */
const LOOK = 1000;
/** Milliseconds for each second of the lease after which a job without a sign of its worker is handed out again. */
const LOCK = 500;

/** A job that fails, as where a worker's disk is full, is handed out again: the log says what has failed for good. */
const AGAIN = { attempts: Number.MAX_SAFE_INTEGER, backoff: { type: 'fixed', delay: LATER } };

const URL_SCHEMES = ['redis:', 'rediss:'];

export function isQueueUrl(text: string): boolean {
  return URL.canParse(text) && URL_SCHEMES.includes(new URL(text).protocol);
}

/** A queue's address for people: without its password. */
export function shownUrl(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

/** Throws a RangeError unless this is the address of a Redis that answers. */
export async function checkQueue(url: string, name = 'queue'): Promise<void> {
  if (!isQueueUrl(url)) throw new RangeError(refusal(name, url, 'an address such as redis://:PASSWORD@HOST:6379'));
  const reason = await whyNoRedis(url);
  if (reason !== undefined) {
    throw new RangeError(refusal(name, shownUrl(url), `that of a Redis that answers (${reason.replace(/\.$/, '')})`));
  }
}

function connectionTo(url: string): object {
  return { connection: { url, maxRetriesPerRequest: null } };
}

async function queueName(store: SweepStore): Promise<string> {
  return `psl-sweep-${(await store.open()).id}`;
}

/** Puts what is left of a sweep into its queue; what is in it already stays there once. */
export async function enqueue(url: string, store: SweepStore, { jobs }: Pick<Sweep, 'jobs'>): Promise<number> {
  const { Queue } = await loadBullMQ();
  const settled = await atOnce(jobs, async ({ id }) => isSettled(standingOf(await store.entries(id))));
  const left = jobs.filter((_, i) => !settled[i]);
  const queue = new Queue(await queueName(store), connectionTo(url));
  try {
    for (let i = 0; i < left.length; i += BATCH) {
      await queue.addBulk(
        left.slice(i, i + BATCH).map(({ id }) => ({
          name: 'train',
          data: { id },
          opts: { jobId: id, removeOnComplete: true, ...AGAIN },
        })),
      );
    }
  } finally {
    await queue.close();
  }
  return left.length;
}

export interface ServeOptions extends WorkOptions {
  /** Whether to wait for more when nothing is left. */
  readonly stay?: boolean;
  /** Is told what the connection suffers from; it is made again by itself. */
  readonly warn?: (problem: string) => void;
}

/** Trains what the queue of a store's sweep hands out, until nothing is left in it, or `signal` stops that. */
export async function serveQueue(url: string, store: SweepStore, options: ServeOptions): Promise<void> {
  const { processes, signal, lease = LEASE, stay = false, warn } = options;
  const { Queue, Worker: QueueWorker, DelayedError } = await loadBullMQ();
  const { spec, version } = await store.open();
  const jobs = new Map(planSweep(spec, version).jobs.map((job) => [job.id, job]));
  const failing = new AbortController();
  const stop = signal === undefined ? failing.signal : AbortSignal.any([signal, failing.signal]);
  const name = await queueName(store);
  const worker = await Worker.open(store, { ...options, signal: stop });
  const failure: { error?: unknown } = {};

  const putBack = async (job: QueueJob, token: string | undefined, delay: number): Promise<never> => {
    await job.moveToDelayed(Date.now() + delay, token);
    throw new DelayedError();
  };
  const take = async (job: QueueJob, token?: string): Promise<void> => {
    const known = jobNamed(jobs, job.data);
    // A sweep that has grown since: whoever knows it trains it.
    if (known === undefined || stop.aborted) return putBack(job, token, LATER);
    await worker.look();
    const claim = await worker.claim(known);
    if (!('entries' in claim)) {
      if (claim.is === 'done') await store.publish(known, claim.claim);
      return isSettled(claim) ? undefined : putBack(job, token, LATER);
    }
    const { is } = await worker.train(claim).catch((error: unknown) => {
      failure.error ??= error;
      failing.abort();
      throw error;
    });
    if (is === 'released' || is === 'lost') await putBack(job, token, 0);
  };
  const serving = new QueueWorker(name, take, {
    ...connectionTo(url),
    concurrency: processes,
    lockDuration: LOCK * lease,
    stalledInterval: (LOCK * lease) / 2,
    // The log says who is to blame; a job that was handed out is never given up.
    maxStalledCount: Number.MAX_SAFE_INTEGER,
  });
  const queue = new Queue(name, connectionTo(url));
  const problems = new Set<string>();
  const tell = ({ message }: Error) => {
    if (!problems.has(message)) warn?.(message);
    problems.add(message);
  };
  serving.on('error', tell);
  queue.on('error', tell);
  try {
    while (!stop.aborted) {
      const { waiting, active, delayed } = await queue.getJobCounts('waiting', 'active', 'delayed');
      if (!stay && waiting + active + delayed === 0) break;
      await wait(LOOK, undefined, { signal: stop }).catch(() => undefined);
    }
  } finally {
    // Waits for what is under way, which is stopping.
    await serving.close();
    await queue.close();
    await worker.leave();
  }
  if ('error' in failure) throw failure.error;
}

/** The training that a job asks for; only its id is taken from there. */
function jobNamed(jobs: ReadonlyMap<string, SweepJob>, data: unknown): SweepJob | undefined {
  return isRecord(data) && typeof data.id === 'string' ? jobs.get(data.id) : undefined;
}
