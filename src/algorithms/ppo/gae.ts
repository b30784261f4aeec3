/**
 * Generalised advantage estimation (Schulman et al., 2016): returns and advantages of a rollout from its rewards and
 * the critic's values, for each objective.
 */
import { End } from '../../rollout/index.js';

/** The steps of one environment, one after the other; vectors have an entry for each objective. */
export interface Trajectory {
  /** A row for each step. */
  readonly rewards: ArrayLike<number>;
  /** The critic's values before each step, and one row more after the last. */
  readonly values: ArrayLike<number>;
  /** Whether the episode ended with each step, as an `End`. */
  readonly ends: ArrayLike<number>;
}

export interface GaeOptions {
  readonly objectives: number;
  readonly discount: number;
  /** 0 looks one step ahead, 1 to the end of the rollout. */
  readonly lambda: number;
  /**
   * The values of the observation that a truncated step led to, to bootstrap from. Without them nothing is learned from
   * such a step: its return is its value.
   */
  readonly beyond?: (step: number) => ArrayLike<number>;
}

/** Estimates every objective by itself. Writes the returns, which are advantages plus values: a row for each step. */
export function gaeReturns({ rewards, values, ends }: Trajectory, options: GaeOptions, returns: Float64Array): void {
  const { objectives, discount, lambda, beyond } = options;
  for (let k = 0; k < objectives; k++) {
    let advantage = 0;
    for (let step = ends.length - 1; step >= 0; step--) {
      const entry = step * objectives + k;
      const end = ends[step];
      if (end === End.truncated) {
        advantage = beyond === undefined ? 0 : rewards[entry] + discount * beyond(step)[k] - values[entry];
      } else if (end === End.terminated) {
        advantage = rewards[entry] - values[entry];
      } else {
        advantage = rewards[entry] + discount * (values[entry + objectives] + lambda * advantage) - values[entry];
      }
      returns[entry] = advantage + values[entry];
    }
  }
}
