import type { EnvPool } from './pool.js';
import { End, EnvFault, Order } from './rows.js';

/** Deterministic actions for rows of observations, each with its preference; may be overwritten by the next call. */
export type Policy = (observations: Float32Array, preferences: Float32Array) => Promise<ArrayLike<number>>;

export interface EvaluationOptions {
  /** Discount of the returns; 1 for plain sums. */
  readonly discount: number;
  /** The one that critics learn with. */
  readonly criticDiscount: number;
  /** Seed of the first episode of each preference; the next episodes go on from it. */
  readonly seed: number;
  readonly episodes: number;
}

/** How a policy set did. */
export interface Evaluation {
  /** The mean return at each preference. */
  readonly returns: number[][];
  /** Environment steps that it took to find out. */
  readonly steps: number;
  /** The first episode of each preference, as a critic sees it: where it began, and its return. */
  readonly first: { readonly starts: Float32Array; readonly returns: number[][] };
}

/** What an environment of the pool is playing. */
interface Seat {
  preference: number;
  /** Episodes. */
  played: number;
  /** discount^t */
  weight: number;
  criticWeight: number;
}

/**
 * Plays every preference, as many at a time as the pool has environments; each takes the next preference when it is done
 * with one. The policy is asked for an action in every environment, also for those that have run out of preferences and
 * stay idle, as all of them are afterwards.
 */
export async function evaluate(
  policy: Policy,
  pool: EnvPool,
  preferences: readonly (readonly number[])[],
  { discount, criticDiscount, seed, episodes }: EvaluationOptions,
): Promise<Evaluation> {
  const { objectives, observation } = pool.shape;
  const observations = new Float32Array(pool.observations.length);
  const weights = new Float32Array(pool.size * objectives);
  const zeros = () => preferences.map(() => new Array<number>(objectives).fill(0));
  const returns = zeros();
  const first = { starts: new Float32Array(preferences.length * observation), returns: zeros() };
  const seats = Array.from({ length: pool.size }, (): Seat => ({
    preference: 0,
    played: 0,
    weight: 1,
    criticWeight: 1,
  }));
  let taken = 0;
  let steps = 0;

  function takePreference(seat: Seat, row: number): void {
    if (taken === preferences.length) {
      pool.orders[row] = Order.idle;
      return;
    }
    seat.preference = taken++;
    seat.played = 0;
    seat.weight = seat.criticWeight = 1;
    weights.set(preferences[seat.preference], row * objectives);
    pool.seeds[row] = seed;
    pool.orders[row] = Order.reset;
  }

  function count(seat: Seat, row: number): void {
    steps++;
    for (let k = 0; k < objectives; k++) {
      const reward = pool.rewards[row * objectives + k];
      returns[seat.preference][k] += (seat.weight * reward) / episodes;
      if (seat.played === 0) first.returns[seat.preference][k] += seat.criticWeight * reward;
    }
    seat.weight *= discount;
    seat.criticWeight *= criticDiscount;
    if (pool.ends[row] === End.running) return;
    seat.weight = 1;
    seat.played++;
    if (seat.played === episodes) takePreference(seat, row);
  }

  seats.forEach(takePreference);
  while (pool.orders.some((order) => order !== Order.idle)) {
    const orders = pool.orders.slice();
    if (orders.includes(Order.step)) {
      observations.set(pool.observations);
      pool.actions.set(await policy(observations, weights));
    }
    pool.begin();
    await pool.finish().catch((error: unknown) => {
      throw error instanceof EnvFault ? error.at(preferences[seats[error.row].preference]) : error;
    });
    seats.forEach((seat, row) => {
      if (orders[row] === Order.step) count(seat, row);
      if (orders[row] === Order.reset) {
        const start = pool.observations.subarray(row * observation, (row + 1) * observation);
        first.starts.set(start, seat.preference * observation);
      }
    });
  }
  return { returns, steps, first };
}
