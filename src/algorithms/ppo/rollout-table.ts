import { replicaPart } from '../learner.js';
import type { Rollout } from '../learner.js';
import { gaeReturns } from './gae.js';
import type { PpoStatistics } from './statistics.js';

/** Keeps advantages that are all alike from being divided by zero, as published. */
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

/** What the policy and the critic that a rollout was made with say about it: for each row that was seen. */
export interface Assessed {
  readonly values: Float32Array;
  readonly logProbabilities: Float32Array;
  /** For each replica the values of where a step led that the step limit cut off; absent where nobody looks there. */
  readonly beyond: readonly ((row: number) => ArrayLike<number>)[] | undefined;
}

/**
 * Numbers of the columns of a table: what was seen, the action, the values and the returns of the objectives, the
 * log-probability of the action and its advantage.
 */
export function tableColumns({ observation, actions, objectives }: TableOptions): number[] {
  return [observation, actions, objectives, objectives, 1, 1];
}

/**
 * A rollout as a table of which batches are drawn: a row for each step, replicas below each other. Objectives are scaled
 * on the way, and `statistics`, one of each replica, are brought up to date with them. What an action is worth is the
 * advantage of each objective, in its own unit, times the preference, and then standardised.
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
  statistics.forEach((own, r) => {
    const rewards = own.normaliseRewards(replicaPart(reward, r, replicas), replicaPart(end, r, replicas));
    const scales = Array.from({ length: objectives }, (_, k) => own.returns.deviation(k));
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
        // Of what was seen there is one row more for each environment.
        const seenRow = row + child;
        let to = row * width;
        let worth = 0;
        for (let i = 0; i < observation; i++) table[to++] = seen[seenRow * observation + i];
        for (let i = 0; i < actions; i++) table[to++] = action[row * actions + i];
        for (let k = 0; k < objectives; k++) table[to++] = values[seenRow * objectives + k];
        for (let k = 0; k < objectives; k++) {
          table[to++] = returns[step * objectives + k];
          const gain = returns[step * objectives + k] - values[seenRow * objectives + k];
          worth += preferences[child * objectives + k] * scales[k] * gain;
        }
        table[to] = logProbabilities[seenRow];
        advantages[e * horizon + step] = worth;
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
