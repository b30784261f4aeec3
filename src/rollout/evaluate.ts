/**
 * Plays policies in a pool of environments, once through all preferences, and returns what they earn. Several policy
 * sets can be played side by side.
 */
import type { EnvPool } from './pool.js';
import { End, EnvFault, Order } from './rows.js';

/** Deterministic actions for rows of observations, each with its preference; may be overwritten by the next call. */
export type Act = (observations: Float32Array, preferences: Float32Array) => Promise<ArrayLike<number>>;

export interface EvaluationOptions {
  /** Discount of the returns; 1 for plain sums. */
  readonly discount: number;
  /** The one that critics learn with. */
  readonly criticDiscount: number;
  /** Seed of the first episode of each preference; the next episodes go on from it. */
  readonly seed: number;
  readonly episodes: number;
  /** Hears of every step of the environments; what it throws ends the evaluation there, and is thrown by it. */
  readonly watch?: (played: Played) => void;
}

/** How far an evaluation is. */
export interface Played {
  /** Episodes that are over. */
  readonly episodes: number;
  /** Steps of those that are not. */
  readonly running: number;
}

/** How a policy set did. */
export interface Evaluation {
  /** The mean return at each preference. */
  readonly returns: number[][];
  /** Environment steps that it took to find out, in all and at each preference. */
  readonly steps: number;
  readonly stepsAt: number[];
  /** The first episode of each preference, as a critic sees it: where it began, and its return. */
  readonly first: { readonly starts: Float32Array; readonly returns: number[][] };
}

/** What an environment of the pool is playing. */
interface Seat {
  readonly player: Player;
  preference: number;
  /** Episodes. */
  played: number;
  /** Steps of the episode. */
  length: number;
  /** discount^t */
  weight: number;
  criticWeight: number;
}

/** A policy set that is evaluated. */
interface Player extends Evaluation {
  steps: number;
  /** Preferences that have been begun. */
  taken: number;
}

/** Plays every preference with one policy set, for which it takes the whole pool. */
export async function evaluate(
  act: Act,
  pool: EnvPool,
  preferences: readonly (readonly number[])[],
  options: EvaluationOptions,
): Promise<Evaluation> {
  const [evaluation] = await evaluateSeveral(act, pool, preferences, { ...options, players: 1, rows: pool.size });
  return evaluation;
}

/**
 * Plays every preference with each of several policy sets side by side. Each has a block of neighbouring rows of the
 * pool, the first from the first row on, and plays as many preferences at a time; a row takes the next preference when it
 * is done with one. The policy is asked for an action in every environment, also for those that have run out of
 * preferences or belong to nobody, and stay idle, as all of them are afterwards.
 * @returns what each of them achieved, which does not depend on the others
 */
export async function evaluateSeveral(
  act: Act,
  pool: EnvPool,
  preferences: readonly (readonly number[])[],
  options: EvaluationOptions & { readonly players: number; readonly rows: number },
): Promise<Evaluation[]> {
  const { discount, criticDiscount, seed, episodes, watch, players: sets, rows } = options;
  const { objectives, observation } = pool.shape;
  const observations = new Float32Array(pool.observations.length);
  // Rows that belong to nobody have a preference too.
  const weights = new Float32Array(pool.size * objectives).fill(1 / objectives);
  const zeros = () => preferences.map(() => new Array<number>(objectives).fill(0));
  const players = Array.from({ length: sets }, (): Player => ({
    returns: zeros(),
    steps: 0,
    stepsAt: preferences.map(() => 0),
    first: { starts: new Float32Array(preferences.length * observation), returns: zeros() },
    taken: 0,
  }));
  const seats = Array.from({ length: sets * rows }, (_, row): Seat => ({
    player: players[Math.floor(row / rows)],
    preference: 0,
    played: 0,
    length: 0,
    weight: 1,
    criticWeight: 1,
  }));

  const progress = { episodes: 0, running: 0 };

  function takePreference(seat: Seat, row: number): void {
    const { player } = seat;
    if (player.taken === preferences.length) {
      pool.orders[row] = Order.idle;
      return;
    }
    seat.preference = player.taken++;
    seat.played = seat.length = 0;
    seat.weight = seat.criticWeight = 1;
    weights.set(preferences[seat.preference], row * objectives);
    pool.seeds[row] = seed;
    pool.orders[row] = Order.reset;
  }

  function count(seat: Seat, row: number): void {
    const { player } = seat;
    player.steps++;
    player.stepsAt[seat.preference]++;
    for (let k = 0; k < objectives; k++) {
      const reward = pool.rewards[row * objectives + k];
      player.returns[seat.preference][k] += (seat.weight * reward) / episodes;
      if (seat.played === 0) player.first.returns[seat.preference][k] += seat.criticWeight * reward;
    }
    seat.weight *= discount;
    seat.criticWeight *= criticDiscount;
    seat.length++;
    progress.running++;
    if (pool.ends[row] === End.running) return;
    progress.running -= seat.length;
    progress.episodes++;
    seat.weight = 1;
    seat.length = 0;
    seat.played++;
    if (seat.played === episodes) takePreference(seat, row);
  }

  pool.orders.fill(Order.idle);
  seats.forEach(takePreference);
  while (pool.orders.some((order) => order !== Order.idle)) {
    const orders = pool.orders.slice();
    if (orders.includes(Order.step)) {
      observations.set(pool.observations);
      pool.actions.set(await act(observations, weights));
    }
    pool.begin();
    await pool.finish().catch((error: unknown) => {
      throw error instanceof EnvFault ? error.at(preferences[seats[error.row].preference]) : error;
    });
    seats.forEach((seat, row) => {
      if (orders[row] === Order.step) count(seat, row);
      if (orders[row] === Order.reset) {
        const start = pool.observations.subarray(row * observation, (row + 1) * observation);
        seat.player.first.starts.set(start, seat.preference * observation);
      }
    });
    watch?.(progress);
  }
  return players;
}
