import type { Environment } from '../envs/index.js';

/** Deterministic actions for rows of observations, each with its preference; may be overwritten by the next call. */
export type Policy = (observations: Float32Array, preferences: Float32Array) => Promise<ArrayLike<number>>;

export interface EvaluationOptions {
  /** Rows that the policy is asked for at once; the last request is padded. */
  readonly rows: number;
  /** Discount of the returns; 1 for plain sums. */
  readonly discount: number;
  /** Seed of the first episode of each preference; the next episodes go on from it. */
  readonly seed: number;
  readonly episodes: number;
}

/** The mean return of a policy set at each preference, and how many environment steps it took to find out. */
export interface Evaluation {
  readonly returns: number[][];
  readonly steps: number;
}

/**
 * Plays every preference, many at a time: as many environments as the policy has rows, each with one preference after
 * the other until all are done.
 */
export async function evaluate(
  policy: Policy,
  make: () => Environment,
  preferences: readonly (readonly number[])[],
  { rows, discount, seed, episodes }: EvaluationOptions,
): Promise<Evaluation> {
  const seats = Array.from({ length: Math.min(rows, preferences.length) }, () => new Seat(make()));
  try {
    const [{ observationSpace, actionSpace, objectives }] = seats.map((seat) => seat.env);
    const width = observationSpace.low.length;
    const actionWidth = actionSpace.kind === 'discrete' ? 1 : actionSpace.low.length;
    const observations = new Float32Array(rows * width);
    const weights = new Float32Array(rows * objectives.length);
    const returns = preferences.map(() => new Array<number>(objectives.length).fill(0));
    let waiting = 0;
    let steps = 0;
    const seatNext = (seat: Seat): void => {
      if (waiting < preferences.length) seat.begin(waiting++, seed);
    };
    seats.forEach(seatNext);
    while (seats.some((seat) => seat.busy)) {
      seats.forEach((seat, row) => {
        if (!seat.busy) return;
        observations.set(seat.observation, row * width);
        weights.set(preferences[seat.preference], row * objectives.length);
      });
      const actions = await policy(observations, weights);
      seats.forEach((seat, row) => {
        if (!seat.busy) return;
        const action = actionSpace.kind === 'discrete' ? actions[row] : slice(actions, row * actionWidth, actionWidth);
        const { observation, reward, terminated, truncated } = seat.env.step(action);
        steps++;
        const total = returns[seat.preference];
        for (let k = 0; k < total.length; k++) total[k] += (seat.weight * reward[k]) / episodes;
        seat.weight *= discount;
        seat.observation = observation;
        if (!terminated && !truncated) return;
        seat.played++;
        if (seat.played < episodes) seat.again();
        else {
          seat.busy = false;
          seatNext(seat);
        }
      });
    }
    return { returns, steps };
  } finally {
    for (const seat of seats) seat.env.close();
  }
}

/** One environment and the preference that is being played on it. */
class Seat {
  observation: Float32Array = new Float32Array(0);
  preference = 0;
  busy = false;
  played = 0;
  /** discount^t */
  weight = 1;

  constructor(readonly env: Environment) {}

  begin(preference: number, seed: number): void {
    this.preference = preference;
    this.busy = true;
    this.played = 0;
    this.weight = 1;
    this.observation = this.env.reset({ seed }).observation;
  }

  again(): void {
    this.weight = 1;
    this.observation = this.env.reset().observation;
  }
}

function slice(values: ArrayLike<number>, start: number, length: number): Float32Array {
  return Float32Array.from({ length }, (_, i) => values[start + i]);
}
