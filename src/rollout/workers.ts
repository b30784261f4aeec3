/** Opens pools of environments, on as many worker threads as there are to be, or on the calling thread. */
import { availableParallelism } from 'node:os';
import { envInfo, envModule, isKnownToThreads, makeEnv, prepareEnv } from '../envs/index.js';
import type { EnvOptions } from '../envs/index.js';
import { EnvPool, LocalStepper } from './pool.js';
import { EnvRows, PoolArrays, poolShape } from './rows.js';
import { Threads, ThreadStepper } from './threads.js';
import type { ThreadOptions } from './threads.js';

/** Which environments a pool has. */
export interface PoolOptions {
  readonly env: string;
  readonly options?: EnvOptions;
  /** One for each environment, for its first episode; its later episodes go on from there. */
  readonly seeds: readonly number[];
}

/**
 * As many workers as there are cores, or environments if those are fewer; one with nothing to do sleeps. None where
 * actions are discrete: a step of such an environment takes less time than waking a worker. And none where workers could
 * not make the environment.
 */
export function defaultWorkers(env: string, environments: number): number {
  if (envInfo(env).actionSpace.kind === 'discrete' || !isKnownToThreads(env)) return 0;
  return Math.min(availableParallelism(), environments);
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
  async open({ env, options = {}, seeds }: PoolOptions): Promise<EnvPool> {
    if (seeds.length === 0) throw new RangeError('seeds is empty, but must have an entry for each environment.');
    await prepareEnv(env);
    const example = makeEnv(env, options);
    const arrays = new PoolArrays(poolShape(example, seeds.length));
    example.close();
    if (this.threads.ended !== undefined) throw this.threads.ended;
    const stepper =
      this.count === 0
        ? new LocalStepper(new EnvRows(env, options, arrays, 0, seeds))
        : new ThreadStepper(
            this.threads,
            { env, module: envModule(env), options, shape: arrays.shape, buffer: arrays.buffer },
            seeds,
          );
    if (stepper instanceof ThreadStepper) await stepper.opened();
    const pool = new EnvPool(env, arrays, stepper, () => this.pools.delete(pool));
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
