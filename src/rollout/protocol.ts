/**
 * How a pool's thread and its workers talk. A step is a number in shared memory and needs no message. What is rare
 * (opening, saving, faults) is a message, which a worker fetches when a signal has woken it, since it never returns to
 * its event loop.
 */
import type { MessagePort } from 'node:worker_threads';
import type { EnvOptions, EnvState } from '../envs/index.js';
import type { PoolShape } from './rows.js';

/** Words of the memory that a pool shares with its workers. */
export const Word = {
  /** Steps that were requested. */
  steps: 0,
  /** Workers that have not answered the last request. */
  missing: 1,
  /** Requests, steps and others, that all workers have answered. */
  answered: 2,
  /** Whether a worker answered the last request with a message: 0 or 1. */
  messages: 3,
  /** From here on, for each worker: the requests that it has answered. */
  answeredBy: 4,
} as const;

/** What a worker is started with. */
export interface WorkerStart {
  /** A single number, the same for all workers, that changes whenever there may be something to do. */
  readonly signal: Int32Array;
  /** Shares of pools to open come here. */
  readonly port: MessagePort;
}

/** A worker's part of a pool. */
export interface Share {
  readonly env: string;
  /** Where the environment is imported from, unless it comes with the package. */
  readonly module: string | undefined;
  readonly options: EnvOptions;
  readonly shape: PoolShape;
  readonly buffer: ArrayBufferLike;
  readonly words: Int32Array;
  /** Requests come here, and answers go back. */
  readonly port: MessagePort;
  /** Which worker it is for. */
  readonly worker: number;
  /** The first of its rows. */
  readonly from: number;
  /** One for each of its rows. */
  readonly seeds: readonly number[];
}

export type Request =
  | { readonly kind: 'save' }
  | { readonly kind: 'restore'; readonly states: readonly EnvState[] }
  | { readonly kind: 'close' };

export type Answer =
  | { readonly kind: 'done'; readonly states: readonly EnvState[] }
  | { readonly kind: 'error'; readonly error: unknown }
  | { readonly kind: 'fault'; readonly row: number; readonly step: number; readonly cause: unknown };
