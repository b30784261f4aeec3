/**
 * A pool of environments that are stepped together, by this thread or by workers. Policies see and fill arrays with one
 * row for each environment.
 */
import { makeEnv, prepareEnv } from '../envs/index.js';
import type { EnvOptions, EnvState } from '../envs/index.js';
import { bytesOf, EnvRows, PoolArrays, poolShape } from './rows.js';

/** Which environments a pool has. */
export interface PoolOptions {
  readonly env: string;
  readonly options?: EnvOptions;
  /** One for each environment, for its first episode; its later episodes go on from there. */
  readonly seeds: readonly number[];
}

/** Steps the environments of a pool, in this thread or in workers. */
export interface Stepper {
  begin(): void;
  finish(): Promise<void>;
  save(): Promise<EnvState[]>;
  restore(states: readonly EnvState[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Environments of one kind that are stepped together, each independent of the others. Its arrays are the caller's from
 * `finish` to the next `begin`, and the environments' in between. An environment whose episode ends begins the next one
 * in the same step, from its own generator.
 *
 * What it computes depends on the seeds, the actions and the orders alone, not on who steps the environments.
 */
export class EnvPool extends PoolArrays {
  /** What has been asked of the environments and is not over yet. */
  private pending: 'a step' | 'save()' | 'restore()' | undefined;
  private isClosed = false;
  /** Why it cannot go on. */
  private end: Error | undefined;

  /** For `Workers.open`, which is how a pool is made. */
  constructor(
    readonly env: string,
    { shape, buffer }: Pick<PoolArrays, 'shape' | 'buffer'>,
    private readonly stepper: Stepper,
    private readonly onClose: () => void,
  ) {
    super(shape, buffer);
  }

  /** Environments. */
  get size(): number {
    return this.shape.rows;
  }

  /** Has all environments follow their orders. With workers it returns at once, and the caller can do other work. */
  begin(): void {
    this.mustBeIdle('begin');
    this.pending = 'a step';
    this.stepper.begin();
  }

  /**
   * Waits until they have. Rejects with an EnvFault if an environment could not (if several, that in the lowest row), and
   * with an Error if a worker died or does not answer; the pool can then only be closed.
   */
  async finish(): Promise<void> {
    if (this.end !== undefined) throw this.end;
    if (this.pending !== 'a step') throw new Error(`finish() of a pool of ${this.env} was called before begin().`);
    await this.settled(() => this.stepper.finish());
  }

  /** Everything needed to go on exactly from here: a state for each environment. */
  async save(): Promise<EnvState[]> {
    this.mustBeIdle('save');
    this.pending = 'save()';
    return this.settled(() => this.stepper.save());
  }

  /** Goes on from saved states, one for each environment; `observations` shows them. */
  async restore(states: readonly EnvState[]): Promise<void> {
    this.mustBeIdle('restore');
    if (states.length !== this.size) {
      throw new RangeError(
        `states has ${states.length} entries, but must have one for each of ${this.size} environments.`,
      );
    }
    this.pending = 'restore()';
    await this.settled(() => this.stepper.restore(states));
  }

  /** Gives back what the environments hold, after a step that is under way. Calling it again does nothing. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    if (this.pending === 'a step') await this.finish().catch(() => undefined);
    this.end ??= new Error(`this pool of ${this.env} was closed; open a new one.`);
    this.onClose();
    await this.stepper.close();
  }

  private mustBeIdle(method: string): void {
    if (this.end !== undefined) throw this.end;
    if (this.pending === undefined) return;
    throw new Error(`${method}() of a pool of ${this.env} was called while ${this.pending} was under way.`);
  }

  private async settled<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.end = error as Error;
      throw error;
    } finally {
      this.pending = undefined;
    }
  }
}

/** Makes the arrays of a pool, in memory of a kind that those have who step its environments. */
export async function poolArrays(
  { env, options = {}, seeds }: PoolOptions,
  Memory: new (bytes: number) => ArrayBufferLike,
): Promise<PoolArrays> {
  if (seeds.length === 0) throw new RangeError('seeds is empty, but must have an entry for each environment.');
  await prepareEnv(env);
  const example = makeEnv(env, options);
  const shape = poolShape(example, seeds.length);
  example.close();
  return new PoolArrays(shape, new Memory(bytesOf(shape)));
}

/** A new pool whose environments are stepped by this thread, each at the start of an episode. */
export async function openLocally(pool: PoolOptions, onClose: (pool: EnvPool) => void): Promise<EnvPool> {
  const { env, options = {}, seeds } = pool;
  const arrays = await poolArrays(pool, ArrayBuffer);
  const stepper = new LocalStepper(new EnvRows(env, options, arrays, 0, seeds));
  const opened = new EnvPool(env, arrays, stepper, () => onClose(opened));
  return opened;
}

/** Steps the environments in this thread. */
class LocalStepper implements Stepper {
  private fault: Error | undefined;

  constructor(private readonly rows: EnvRows) {}

  begin(): void {
    try {
      this.rows.step();
    } catch (error) {
      this.fault = error as Error;
    }
  }

  finish(): Promise<void> {
    return this.fault === undefined ? Promise.resolve() : Promise.reject(this.fault);
  }

  save(): Promise<EnvState[]> {
    return Promise.resolve(this.rows.save());
  }

  restore(states: readonly EnvState[]): Promise<void> {
    this.rows.restore(states);
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.rows.close();
    return Promise.resolve();
  }
}
