import { End } from '../../rollout/index.js';

/** The steps of one environment, one after the other; vectors have an entry for each objective. */
export interface Trajectory {
  /** A row for each step. */
  readonly rewards: ArrayLike<number>;
  /** Of what was observed before each step; one row more, for what the last step led to. */
  readonly values: ArrayLike<number>;
  /** How the episode stood after each step, as an `End`. */
  readonly ends: ArrayLike<number>;
}

export interface GaeOptions {
  readonly objectives: number;
  readonly discount: number;
  /** 0 looks one step ahead, 1 to the end of the rollout. */
  readonly lambda: number;
  /**
   * The values of what a step led to that the step limit cut off. Without it nothing is learned from such a step: its
   * return is its value.
   */
  readonly beyond?: (step: number) => ArrayLike<number>;
}

/**
 * Generalised advantage estimation (Schulman et al., 2016) for every objective by itself. Writes the returns, which are
 * advantages plus values, a row for each step.
 */
export function gaeReturns({ rewards, values, ends }: Trajectory, options: GaeOptions, returns: Float64Array): void {
  const { objectives, discount, lambda, beyond } = options;
  for (let k = 0; k < objectives; k++) {
    let advantage = 0;
    for (let step = ends.length - 1; step >= 0; step--) {
      const at = step * objectives + k;
      const end = ends[step];
      if (end === End.truncated) {
        advantage = beyond === undefined ? 0 : rewards[at] + discount * beyond(step)[k] - values[at];
      } else if (end === End.terminated) {
        advantage = rewards[at] - values[at];
      } else {
        advantage = rewards[at] + discount * (values[at + objectives] + lambda * advantage) - values[at];
      }
      returns[at] = advantage + values[at];
    }
  }
}
