/// <reference lib="es2024.sharedmemory" />
/**
 * Worker threads that step the environments of pools. This side starts them, wakes them for a step and waits for their
 * answers; `worker.ts` is what runs in them, and `protocol.ts` what passes between the two.
 */
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import type { EnvState } from '../envs/index.js';
import type { Stepper } from './pool.js';
import { Word } from './protocol.js';
import type { Answer, Request, Share, WorkerStart } from './protocol.js';
import { EnvFault } from './rows.js';

export interface ThreadOptions {
  /** Seconds after which a worker that has not taken its step is given up; 10 unless given. */
  readonly timeout?: number;
}

/** Seconds that workers may take to start, load what an environment needs and make their share of a pool. */
const OPENING = 60;

/** The worker threads. What goes wrong in one of them ends them all. */
export class Threads {
  private readonly threads: readonly { readonly worker: Worker; readonly port: MessagePort }[];
  private readonly signal = new Int32Array(new SharedArrayBuffer(4));
  /** Seconds. */
  readonly timeout: number;
  private readonly waiting = new Set<(reason: Error) => void>();
  private reason: Error | undefined;

  constructor(
    readonly count: number,
    { timeout = 10 }: ThreadOptions = {},
  ) {
    if (!(timeout > 0)) throw new RangeError(`timeout is ${timeout}, but must be a positive number of seconds.`);
    this.timeout = timeout;
    this.threads = Array.from({ length: count }, (_, index) => this.start(index));
  }

  private start(index: number) {
    const { port1: port, port2 } = new MessageChannel();
    const workerData: WorkerStart = { signal: this.signal, port: port2 };
    const worker = new Worker(new URL('./worker.js', import.meta.url), {
      workerData,
      transferList: [port2],
      // Without the options of this process, which may be about its own program, such as --eval.
      execArgv: [],
    });
    const name = `worker ${index + 1} of ${this.count}`;
    worker.on('error', (cause) => this.stop(new Error(`${name} failed: ${cause.message}`, { cause })));
    worker.on('exit', (code) =>
      this.stop(new Error(`${name} ended with exit code ${code}, and its environments with it.`)),
    );
    // So that a program that forgets to close them can end.
    worker.unref();
    return { worker, port };
  }

  /** Why they cannot go on; undefined while they can. */
  get ended(): Error | undefined {
    return this.reason;
  }

  /** Has a worker open its share of a pool when it is woken. */
  post(share: Share): void {
    this.threads[share.worker].port.postMessage(share, [share.port]);
  }

  /** Has all workers look for something to do. */
  wake(): void {
    Atomics.add(this.signal, 0, 1);
    Atomics.notify(this.signal, 0);
  }

  /** Waits until a word is no longer what it was. `missing` names the workers that should have changed it. */
  changed(words: Int32Array, word: number, was: number, seconds: number, missing: () => string): Promise<void> {
    if (this.reason !== undefined) return Promise.reject(this.reason);
    if (Atomics.load(words, word) !== was) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const settle = (how: () => void): void => {
        clearTimeout(timer);
        this.waiting.delete(giveUp);
        how();
      };
      const giveUp = (reason: Error): void => settle(() => reject(reason));
      // The timer also keeps the process alive, which neither the promise nor the workers do.
      const timer = setTimeout(() => {
        // This thread may have been too busy itself to hear of the change.
        if (Atomics.load(words, word) !== was) settle(resolve);
        else this.stop(new Error(`${missing()} did not answer within ${seconds} s.`));
      }, 1000 * seconds);
      this.waiting.add(giveUp);
      const look = (): void => {
        const change = Atomics.waitAsync(words, word, was);
        // A notification may belong to an earlier answer, so the word itself decides.
        if (change.async) void change.value.then(look);
        else settle(resolve);
      };
      look();
    });
  }

  /** Ends all threads; of several reasons the first counts. */
  stop(reason: Error): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    for (const giveUp of this.waiting) giveUp(reason);
    for (const { worker } of this.threads) void worker.terminate();
  }

  /** When all threads have ended, which they must have been told to. */
  async gone(): Promise<void> {
    await Promise.all(this.threads.map(({ worker }) => worker.terminate()));
  }
}

/** Has threads step the environments of a pool, neighbouring rows in each. */
export class ThreadStepper implements Stepper {
  private readonly words: Int32Array;
  private readonly shares: readonly { readonly port: MessagePort; readonly from: number; readonly to: number }[];
  private requests = 0;

  /** Begins to make the environments; `opened` waits for them. */
  constructor(
    private readonly threads: Threads,
    private readonly pool: Pick<Share, 'env' | 'module' | 'options' | 'shape' | 'buffer'>,
    seeds: readonly number[],
  ) {
    const count = Math.min(threads.count, seeds.length);
    const firstRow = (worker: number): number => Math.floor((worker * seeds.length) / count);
    this.words = new Int32Array(new SharedArrayBuffer(4 * (Word.answeredBy + count)));
    const channels = Array.from({ length: count }, () => new MessageChannel());
    this.shares = channels.map(({ port1 }, i) => ({ port: port1, from: firstRow(i), to: firstRow(i + 1) }));
    this.request(() => {
      for (const [worker, { from, to }] of this.shares.entries()) {
        const { port2: port } = channels[worker];
        threads.post({ ...pool, words: this.words, port, worker, from, seeds: seeds.slice(from, to) });
      }
    });
  }

  async opened(): Promise<void> {
    try {
      await this.answers(OPENING);
    } catch (error) {
      this.send(() => ({ kind: 'close' }));
      throw error;
    }
  }

  begin(): void {
    this.request(() => Atomics.add(this.words, Word.steps, 1));
  }

  async finish(): Promise<void> {
    await this.answers();
  }

  save(): Promise<EnvState[]> {
    return this.ask(() => ({ kind: 'save' }));
  }

  async restore(states: readonly EnvState[]): Promise<void> {
    await this.ask((from, to) => ({ kind: 'restore', states: states.slice(from, to) }));
  }

  async close(): Promise<void> {
    // Threads that have ended took their environments with them.
    if (this.threads.ended === undefined) await this.ask(() => ({ kind: 'close' }));
    for (const { port } of this.shares) port.close();
  }

  private ask(request: (from: number, to: number) => Request): Promise<EnvState[]> {
    this.send(request);
    return this.answers();
  }

  private send(request: (from: number, to: number) => Request): void {
    this.request(() => {
      for (const { port, from, to } of this.shares) port.postMessage(request(from, to));
    });
  }

  /** Has the workers do what `publish` makes known to them. */
  private request(publish: () => void): void {
    // The words are 32-bit integers, which overflow silently, and so must this.
    this.requests = (this.requests + 1) | 0;
    // Before the request is known: a worker that is awake may take it up, and answer, at once.
    Atomics.store(this.words, Word.messages, 0);
    Atomics.store(this.words, Word.missing, this.shares.length);
    publish();
    this.threads.wake();
  }

  /** Waits for the answers of all workers; the first in the order of rows that is an error is thrown. */
  private async answers(seconds = this.threads.timeout): Promise<EnvState[]> {
    const { threads, words, requests } = this;
    await threads.changed(words, Word.answered, (requests - 1) | 0, seconds, () => this.missing());
    if (Atomics.load(words, Word.messages) === 0) return [];
    return this.shares.flatMap(({ port }) => {
      const answer = receiveMessageOnPort(port)?.message as Answer | undefined;
      // A worker whose step went well does not say so.
      if (answer === undefined) return [];
      if (answer.kind === 'done') return answer.states;
      if (answer.kind === 'error') throw answer.error;
      const fault = new EnvFault(this.pool.env, answer.row, answer.step, answer.cause);
      threads.stop(fault);
      throw fault;
    });
  }

  /** The workers that have not answered the last request. */
  private missing(): string {
    const { words, requests, shares } = this;
    const workers = shares.flatMap(({ from, to }, worker) =>
      Atomics.load(words, Word.answeredBy + worker) === requests
        ? []
        : `worker ${worker + 1} of ${this.threads.count} with environments ${from} to ${to - 1} of ${this.pool.env}`,
    );
    return workers.join(' and ');
  }
}
