/**
 * The arrays that a pool and its environments share, and the environments of some neighbouring rows, which one thread
 * steps.
 */
import { failureIn } from '../envs/failure.js';
import { dimensions, makeEnv } from '../envs/index.js';
import type { Environment, EnvOptions, EnvState, ResetOptions, StepOutcome } from '../envs/index.js';
import { oneLineOf } from '../text/index.js';

/** What an environment of a pool does in the next step; entries of `PoolArrays.orders`. */
export const Order = { idle: 0, step: 1, reset: 2 } as const;

/** How an episode stands after a step; entries of `PoolArrays.ends`. */
export const End = { running: 0, terminated: 1, truncated: 2 } as const satisfies Record<StepOutcome, number>;

/** The sizes of a pool's arrays. */
export interface PoolShape {
  /** Environments. */
  readonly rows: number;
  /** Numbers of an observation. */
  readonly observation: number;
  /** Numbers of an action; 1 for a discrete one, which is its index. */
  readonly action: number;
  readonly discrete: boolean;
  readonly objectives: number;
}

/** The shape of a pool of environments like this one. */
export function poolShape({ observationSpace, actionSpace, objectives }: Environment, rows: number): PoolShape {
  return {
    rows,
    observation: dimensions(observationSpace),
    action: actionSpace.kind === 'discrete' ? 1 : dimensions(actionSpace),
    discrete: actionSpace.kind === 'discrete',
    objectives: objectives.length,
  };
}

/**
 * One row for each environment of a pool. The caller writes `actions`, `orders` and `seeds`, the environments the rest.
 * All of it may be shared memory, which onnxruntime refuses as input: copy what a policy is to see.
 */
export class PoolArrays {
  /** What to act on: the state after the last step, or the start of the next episode where that step ended one. */
  readonly observations: Float32Array;
  /** Int32Array where actions are discrete. */
  readonly actions: Float32Array | Int32Array;
  /** The state that the last step led to, also where it ended an episode. */
  readonly next: Float32Array;
  /** Of the last step; zeros where none was taken. */
  readonly rewards: Float64Array;
  /** Whether the last step ended its episode, as an `End`; `running` where none was taken. */
  readonly ends: Uint8Array;
  /**
   * What each environment does next, as an `Order`. `step` from the beginning, and then whatever it was last set to.
   * `idle` leaves an environment as it is. `reset` begins an episode with the row's seed instead of taking a step, and
   * then turns into `step`.
   */
  readonly orders: Uint8Array;
  /** For environments that are ordered to reset. */
  readonly seeds: Float64Array;

  constructor(
    readonly shape: PoolShape,
    readonly buffer: ArrayBufferLike,
  ) {
    const { rows, observation, action, discrete, objectives } = shape;
    let end = 0;
    function place<A>(Type: ArrayType<A>, width: number): A {
      const array = new Type(buffer, end, rows * width);
      end += rows * width * Type.BYTES_PER_ELEMENT;
      return array;
    }
    // From large elements to small ones, so that each array begins at a multiple of its element's size.
    this.rewards = place(Float64Array, objectives);
    this.seeds = place(Float64Array, 1);
    this.observations = place(Float32Array, observation);
    this.next = place(Float32Array, observation);
    this.actions = discrete ? place(Int32Array, action) : place(Float32Array, action);
    this.ends = place(Uint8Array, 1);
    this.orders = place(Uint8Array, 1);
  }
}

export function bytesOf({ rows, observation, action, objectives }: PoolShape): number {
  return rows * (8 * (objectives + 1) + 4 * (2 * observation + action) + 2);
}

interface ArrayType<A> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, offset: number, length: number): A;
}

/** An environment of a pool could not go on. */
export class EnvFault extends Error {
  override readonly name = 'EnvFault';

  constructor(
    readonly env: string,
    /** Of the environment in its pool. */
    readonly row: number,
    /** Which step of its episode it was: 1 for the first, 0 for the start. */
    readonly step: number,
    override readonly cause: unknown,
    readonly preference?: ArrayLike<number>,
  ) {
    const where = preference === undefined ? '' : ` at preference [${Array.from(preference).join(', ')}]`;
    const when = step === 0 ? 'the start' : `step ${step}`;
    super(`${env} failed at ${when} of an episode${where} (environment ${row}): ${oneLineOf(cause)}`);
  }

  /** The same fault with the preference that the environment was played at, which its pool does not know. */
  at(preference: ArrayLike<number>): EnvFault {
    return new EnvFault(this.env, this.row, this.step, this.cause, preference);
  }
}

/** One environment, with its row of each array. */
interface Seat {
  readonly env: Environment;
  readonly row: number;
  readonly observation: Float32Array;
  readonly action: Float32Array | Int32Array;
  readonly next: Float32Array;
  readonly reward: Float64Array;
  /** Steps taken in this episode. */
  steps: number;
}

/** Neighbouring environments of a pool, stepped one after the other by one thread: a worker's share, or all of them. */
export class EnvRows {
  private readonly seats: Seat[] = [];

  /** One environment for each seed, in the rows from `from` on, at the start of its first episode. */
  constructor(
    private readonly env: string,
    options: EnvOptions,
    private readonly arrays: PoolArrays,
    from: number,
    seeds: readonly number[],
  ) {
    const { observation, action, objectives } = arrays.shape;
    const part = <A extends Subarray<A>>(array: A, row: number, width: number): A =>
      array.subarray(row * width, (row + 1) * width);
    try {
      for (const [i, seed] of seeds.entries()) {
        const row = from + i;
        const seat = {
          env: makeEnv(env, options),
          row,
          observation: part(arrays.observations, row, observation),
          action: part(arrays.actions, row, action),
          next: part(arrays.next, row, observation),
          reward: part(arrays.rewards, row, objectives),
          steps: 0,
        };
        this.seats.push(seat);
        this.start(seat, { seed });
        arrays.orders[row] = Order.step;
      }
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Follows the orders, row after row, up to the first that cannot be followed; throws an EnvFault there. */
  step(): void {
    for (const seat of this.seats) {
      try {
        this.follow(seat);
      } catch (cause) {
        throw cause instanceof EnvFault ? cause : new EnvFault(this.env, seat.row, seat.steps + 1, cause);
      }
    }
  }

  private follow(seat: Seat): void {
    const { actions, ends, orders, seeds, shape } = this.arrays;
    const { env, row, observation, next, reward } = seat;
    ends[row] = End.running;
    if (orders[row] === Order.step) {
      const outcome = env.stepInto(shape.discrete ? actions[row] : seat.action, next, reward);
      seat.steps++;
      if (outcome === 'running') {
        observation.set(next);
        return;
      }
      ends[row] = End[outcome];
      seat.steps = 0;
      this.start(seat);
      return;
    }
    reward.fill(0);
    if (orders[row] === Order.idle) return;
    seat.steps = 0;
    this.start(seat, { seed: seeds[row] });
    orders[row] = Order.step;
  }

  private start({ env, row, observation }: Seat, options?: ResetOptions): void {
    try {
      env.resetInto(observation, options);
    } catch (cause) {
      throw new EnvFault(this.env, row, 0, cause);
    }
  }

  save(): EnvState[] {
    try {
      return this.seats.map(({ env }) => env.saveState());
    } catch (error) {
      throw failureIn('save()', this.env, error);
    }
  }

  /** @param states one for each environment */
  restore(states: readonly EnvState[]): void {
    for (const [i, seat] of this.seats.entries()) {
      seat.observation.set(seat.env.restoreState(states[i]).observation);
      seat.steps = states[i].step;
    }
  }

  close(): void {
    for (const { env } of this.seats) env.close();
  }
}

interface Subarray<A> {
  subarray(begin: number, end: number): A;
}
