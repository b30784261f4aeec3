/** Turns a rollout into the table that PPO draws its batches from, with normalised rewards, returns and advantages. */
import { replicaPart } from '../learner.js';
import type { Rollout } from '../learner.js';
import { gaeReturns } from './gae.js';
import type { PpoStatistics } from './statistics.js';

/** Added to the deviation of advantages before dividing by it, as published. */
const EPSILON = 1e-5;

export interface TableOptions {
  readonly observation: number;
  readonly actions: number;
  readonly objectives: number;
  readonly environments: number;
  readonly horizon: number;
  readonly replicas: number;
  readonly discount: number;
  readonly lambda: number;
}

/** Values and log-probabilities of each observation of a rollout, under the policy and critic that it was made with. */
export interface Assessed {
  readonly values: Float32Array;
  readonly logProbabilities: Float32Array;
  /** For each replica the values that truncated steps are bootstrapped with; absent where they are not. */
  readonly beyond: readonly ((row: number) => ArrayLike<number>)[] | undefined;
}

/**
 * Widths of the columns of a table: observation, action, values and returns of the objectives, log-probability of the
 * action and its advantage.
 */
export function tableColumns({ observation, actions, objectives }: TableOptions): number[] {
  return [observation, actions, objectives, objectives, 1, 1];
}

/**
 * Fills the table: a row for each step, replicas below each other. Rewards are normalised with `statistics`, one for each
 * replica, which are updated on the way. The advantage of an action is the preference-weighted sum of the advantages of
 * the objectives, in their original units, standardised over the rollout.
 */
export function fillTable(
  table: Float32Array,
  { seen, action, reward, end, preferences }: Rollout,
  { values, logProbabilities, beyond }: Assessed,
  statistics: readonly PpoStatistics[],
  options: TableOptions,
): void {
  const { observation, actions, objectives, environments, horizon, replicas } = options;
  const rows = environments * horizon;
  const width = tableColumns(options).reduce((sum, size) => sum + size);
  const returns = new Float64Array(horizon * objectives);
  const advantages = new Float64Array(rows);
  statistics.forEach((ofReplica, r) => {
    const rewards = ofReplica.normaliseRewards(replicaPart(reward, r, replicas), replicaPart(end, r, replicas));
    const scales = Array.from({ length: objectives }, (_, k) => ofReplica.returns.deviation(k));
    for (let e = 0; e < environments; e++) {
      const child = r * environments + e;
      const trajectory = {
        rewards: rewards.subarray(e * horizon * objectives, (e + 1) * horizon * objectives),
        values: values.subarray(child * (horizon + 1) * objectives, (child + 1) * (horizon + 1) * objectives),
        ends: end.subarray(child * horizon, (child + 1) * horizon),
      };
      const look = beyond && { beyond: (step: number) => beyond[r](e * horizon + step) };
      gaeReturns(trajectory, { ...options, ...look }, returns);
      for (let step = 0; step < horizon; step++) {
        const row = child * horizon + step;
        // Every environment has one more observation than steps.
        const seenRow = row + child;
        let to = row * width;
        let advantage = 0;
        for (let i = 0; i < observation; i++) table[to++] = seen[seenRow * observation + i];
        for (let i = 0; i < actions; i++) table[to++] = action[row * actions + i];
        for (let k = 0; k < objectives; k++) table[to++] = values[seenRow * objectives + k];
        for (let k = 0; k < objectives; k++) {
          table[to++] = returns[step * objectives + k];
          const gain = returns[step * objectives + k] - values[seenRow * objectives + k];
          advantage += preferences[child * objectives + k] * scales[k] * gain;
        }
        table[to] = logProbabilities[seenRow];
        advantages[e * horizon + step] = advantage;
      }
    }
    standardise(advantages);
    for (let row = 0; row < rows; row++) table[(r * rows + row + 1) * width - 1] = advantages[row];
  });
}

/** Shifts and scales numbers to mean 0 and deviation 1. */
function standardise(values: Float64Array): void {
  let sum = 0;
  for (const value of values) sum += value;
  const mean = sum / values.length;
  let squares = 0;
  for (const value of values) squares += (value - mean) * (value - mean);
  const deviation = Math.sqrt(squares / (values.length - 1));
  for (let i = 0; i < values.length; i++) values[i] = (values[i] - mean) / (deviation + EPSILON);
}
