/** The running statistics by which PPO normalises observations and rewards, as PG-MORL's code does. */
import type { StateValue } from '../../envs/index.js';
import { End } from '../../rollout/index.js';
import type { State } from '../../tensor/index.js';
import { ELSEWHERE_COUNT } from '../learner.js';
import { OBSERVATION_LIMIT } from '../normaliser.js';
import { RunningMoments } from './running-moments.js';

/** Rewards beyond this many deviations of the return are cut off, as published. */
const REWARD_LIMIT = 10;

/** Running statistics of a replica: of its observations, and of the discounted returns of its environments. */
export class PpoStatistics {
  readonly returns: RunningMoments;
  private readonly observations: RunningMoments;
  /** Discounted sums of the rewards of each environment's current episode. */
  private readonly earned: Float64Array;

  constructor(
    private readonly state: State,
    private readonly replica: number,
    private readonly sizes: {
      readonly observation: number;
      readonly objectives: number;
      readonly environments: number;
      readonly discount: number;
    },
  ) {
    const { observation, objectives, environments } = sizes;
    this.observations = new RunningMoments(observation);
    this.returns = new RunningMoments(objectives);
    this.earned = new Float64Array(environments * objectives);
  }

  reset(): void {
    this.observations.reset();
    this.returns.reset();
    this.begin();
    this.publish();
  }

  /** To be called where all environments begin new episodes. */
  begin(): void {
    this.earned.fill(0);
  }

  observe(rows: Float32Array): void {
    this.observations.observe(rows);
    this.publish();
  }

  /** Writes the moments into the learner's state, for programs that take observations as they come. */
  private publish(): void {
    const { state, replica, observations } = this;
    const { size, mean } = observations;
    const scale = Float32Array.from({ length: size }, (_, i) => 1 / observations.deviation(i));
    state.write('observations.mean', Float32Array.from(mean), replica * size);
    state.write('observations.scale', scale, replica * size);
  }

  see(rows: Float32Array, out: Float32Array): void {
    const { size, mean } = this.observations;
    for (let column = 0; column < size; column++) {
      const deviation = this.observations.deviation(column);
      for (let i = column; i < rows.length; i += size) {
        out[i] = Math.min(OBSERVATION_LIMIT, Math.max(-OBSERVATION_LIMIT, (rows[i] - mean[column]) / deviation));
      }
    }
  }

  /** Rewards divided by the deviation of the returns, which is updated with every step. */
  normaliseRewards(rewards: Float64Array, ends: Uint8Array): Float64Array {
    const { objectives, environments, discount } = this.sizes;
    const { earned, returns } = this;
    const horizon = ends.length / environments;
    const out = new Float64Array(rewards.length);
    for (let step = 0; step < horizon; step++) {
      for (let e = 0; e < environments; e++) {
        for (let k = 0; k < objectives; k++) {
          const i = e * objectives + k;
          earned[i] = discount * earned[i] + rewards[(e * horizon + step) * objectives + k];
        }
      }
      returns.observe(earned);
      for (let k = 0; k < objectives; k++) {
        const deviation = returns.deviation(k);
        for (let e = 0; e < environments; e++) {
          const i = (e * horizon + step) * objectives + k;
          out[i] = Math.min(REWARD_LIMIT, Math.max(-REWARD_LIMIT, rewards[i] / deviation));
        }
      }
      for (let e = 0; e < environments; e++) {
        if (ends[e * horizon + step] !== End.running) earned.fill(0, e * objectives, (e + 1) * objectives);
      }
    }
    return out;
  }

  save(): StateValue {
    return { observations: this.observations.save(), returns: this.returns.save(), earned: this.earned.slice() };
  }

  /** Begins new episodes with what others have observed, in another environment perhaps, whose returns say nothing here. */
  takeOver(saved: StateValue, isElsewhere: boolean): void {
    const { observations, returns } = saved as Readonly<Record<string, StateValue>>;
    this.observations.load(observations);
    this.returns.load(returns);
    this.begin();
    if (!isElsewhere) return;
    this.observations.countAtMost(ELSEWHERE_COUNT);
    this.returns.reset();
  }

  /** The state, where the scale of observations is, is saved with everything else that is learned. */
  load(saved: StateValue): void {
    const { observations, returns, earned } = saved as Readonly<Record<string, StateValue>>;
    this.observations.load(observations);
    this.returns.load(returns);
    this.earned.set(earned as Float64Array);
  }
}
