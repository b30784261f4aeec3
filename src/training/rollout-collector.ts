/**
 * Experience for on-policy learning: plays rollouts of a fixed number of steps in all environments with the current
 * policy of a learner, and lays them out as the learner expects them.
 */
import type { CutStep, OnPolicyLearner, Rollout } from '../algorithms/index.js';
import type { Random } from '../random/index.js';
import { End, Order } from '../rollout/index.js';
import type { EnvPool } from '../rollout/index.js';
import { finishStep } from './non-finite.js';

/** Plays rollouts with the policy of a learner: each of its replicas in as many environments of a pool. */
export class RolloutCollector {
  private readonly rollout: Omit<Rollout, 'cut'>;

  constructor(
    private readonly learner: OnPolicyLearner,
    private readonly pool: EnvPool,
    private readonly replicas: number,
    private readonly horizon: number,
  ) {
    const { rows, observation, action, objectives } = pool.shape;
    this.rollout = {
      seen: new Float32Array(rows * (horizon + 1) * observation),
      action: new Float32Array(rows * horizon * action),
      reward: new Float64Array(rows * horizon * objectives),
      end: new Uint8Array(rows * horizon),
      preferences: new Float32Array(rows * objectives),
    };
  }

  /** Shows the learner the beginning of the environments' first episodes. */
  begin(): void {
    this.learner.observe(this.pool.observations);
  }

  /** Begins new episodes in all environments, each with a seed. */
  async restart(seeds: readonly number[]): Promise<void> {
    const { pool } = this;
    pool.seeds.set(seeds);
    pool.orders.fill(Order.reset);
    pool.begin();
    await finishStep(pool, this.rollout.preferences);
    this.begin();
  }

  /**
   * Takes all steps of a rollout, which the next one overwrites.
   * @param preferences one for each environment
   * @param random a generator for each replica
   */
  async collect(preferences: Float32Array, random: readonly Random[]): Promise<Rollout> {
    const { learner, pool, replicas, horizon, rollout } = this;
    const { rows, observation, action, objectives } = pool.shape;
    const cut = Array.from({ length: replicas }, (): CutStep[] => []);
    rollout.preferences.set(preferences);
    /** The current observations, as the networks see them. */
    let seen = learner.see(pool.observations);
    const keepSeen = (step: number) => {
      for (let row = 0; row < rows; row++) {
        const observed = seen.subarray(row * observation, (row + 1) * observation);
        rollout.seen.set(observed, (row * (horizon + 1) + step) * observation);
      }
    };
    for (let step = 0; step < horizon; step++) {
      keepSeen(step);
      const actions = await learner.sample(seen, rollout.preferences, random);
      pool.actions.set(actions);
      pool.begin();
      await finishStep(pool, rollout.preferences);
      learner.observe(pool.observations);
      const beyond = pool.ends.includes(End.truncated) ? learner.see(pool.next) : undefined;
      for (let row = 0; row < rows; row++) {
        const entry = row * horizon + step;
        rollout.action.set(actions.subarray(row * action, (row + 1) * action), entry * action);
        rollout.reward.set(pool.rewards.subarray(row * objectives, (row + 1) * objectives), entry * objectives);
        rollout.end[entry] = pool.ends[row];
        if (pool.ends[row] !== End.truncated) continue;
        const replica = Math.floor((row * replicas) / rows);
        cut[replica].push({
          row: entry - (replica * rows * horizon) / replicas,
          seen: beyond!.subarray(row * observation, (row + 1) * observation),
        });
      }
      seen = learner.see(pool.observations);
    }
    keepSeen(horizon);
    return { ...rollout, cut };
  }
}
