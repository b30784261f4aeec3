/**
 * Opens pools of environments, on as many worker threads as there are to be, or on the calling thread. Bundles for browsers
 * have workers-in-browser.ts in place of this.
 */
import { availableParallelism } from 'node:os';
import { envInfo, envModule, isKnownToThreads } from '../envs/index.js';
import { EnvPool, openLocally, poolArrays } from './pool.js';
import type { PoolOptions } from './pool.js';
import { Threads, ThreadStepper } from './threads.js';
import type { ThreadOptions } from './threads.js';

export type { ThreadOptions } from './threads.js';

/**
 * As many workers as there are cores, threads or environments, whatever is fewest; one with nothing to do sleeps. None where
 * actions are discrete: a step of such an environment takes less time than waking a worker. And none where workers could
 * not make the environment.
 * @param threads that were asked for, of which the caller's is one; undefined where none were
 */
export function defaultWorkers(env: string, environments: number, threads: number | undefined): number {
  if (threads === 1 || envInfo(env).actionSpace.kind === 'discrete' || !isKnownToThreads(env)) return 0;
  return Math.min(threads ?? Infinity, availableParallelism(), environments);
}

/**
 * Threads that step environments; without any, the caller's own thread does. Several pools can be open, each with a part
 * of its environments in every worker.
 *
 * When a worker dies or does not answer, or an environment in one cannot go on, all workers are ended and everything
 * that is asked of their pools rejects with the reason.
 */
export class Workers {
  private readonly threads: Threads;
  private readonly pools = new Set<EnvPool>();

  constructor(
    readonly count: number,
    options?: ThreadOptions,
  ) {
    if (!Number.isSafeInteger(count) || count < 0) {
      throw new RangeError(`workers is ${count}, but must be an integer of at least 0.`);
    }
    this.threads = new Threads(count, options);
  }

  /** A new pool, each of its environments at the start of an episode. */
  async open(options: PoolOptions): Promise<EnvPool> {
    if (this.threads.ended !== undefined) throw this.threads.ended;
    const onClose = (closed: EnvPool) => this.pools.delete(closed);
    const pool =
      this.count === 0 ? await openLocally(options, onClose) : await openInThreads(this.threads, options, onClose);
    this.pools.add(pool);
    return pool;
  }

  /** Closes all pools and ends the threads, whatever they are doing. */
  async close(): Promise<void> {
    this.threads.stop(new Error('these workers were closed; make new ones.'));
    for (const pool of this.pools) await pool.close();
    await this.threads.gone();
  }
}

async function openInThreads(threads: Threads, pool: PoolOptions, onClose: (pool: EnvPool) => void): Promise<EnvPool> {
  const { env, options = {}, seeds } = pool;
  const { shape, buffer } = await poolArrays(pool, SharedArrayBuffer);
  if (threads.ended !== undefined) throw threads.ended;
  const stepper = new ThreadStepper(threads, { env, module: envModule(env), options, shape, buffer }, seeds);
  await stepper.opened();
  const opened = new EnvPool(env, { shape, buffer }, stepper, () => onClose(opened));
  return opened;
}
