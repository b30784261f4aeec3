/** Scaling of rewards, so that critics of all objectives and environments learn values of about size one. */
import type { StateValue } from '../envs/index.js';
import { End } from '../rollout/index.js';
import { float32 } from '../tensor/index.js';
import type { State } from '../tensor/index.js';
import type { HostState } from './host-state.js';
import { replicaPart } from './learner.js';

/** Size of the returns of each objective, as a program's state. */
export const rewardScaleSpec = (objectives: number) => float32(objectives);

/** The largest scaled return: the range that a classification critic covers. */
export const LARGEST_RETURN = 5;
const EPSILON = 1e-8;

/**
 * A running size of each objective's discounted return G, by which rewards are divided so that Q has size one (SimbaV2,
 * Lee et al. 2025): max(deviation of G, largest |G| / 5). Each replica has its own, kept up to date in a learner's state
 * under `name`.
 */
export class RewardScale implements HostState {
  private count = 0;
  /** Discounted sums of the rewards so far, one for each environment and objective. */
  private sums = new Float64Array(0);
  /** Moments of those sums for each replica and objective. */
  private readonly mean: Float64Array;
  private readonly squares: Float64Array;
  private readonly largest: Float64Array;

  constructor(
    private readonly state: State,
    private readonly name: string,
    private readonly objectives: number,
    private readonly discount: number,
    private readonly replicas: number,
  ) {
    [this.mean, this.squares, this.largest] = [0, 0, 0].map(() => new Float64Array(replicas * objectives));
  }

  /** Before anything was observed, rewards pass unchanged. */
  initialise(replica: number): void {
    const { name, objectives } = this;
    this.state.write(name, new Float32Array(objectives).fill(1), replica * objectives);
  }

  /** Takes in a step of all environments, the same number for each replica: rewards, and whether the episode ended. */
  observe(rewards: Float64Array, ends: Uint8Array): void {
    if (this.sums.length === 0) this.sums = new Float64Array(rewards.length);
    const { objectives, discount, replicas, sums, mean, squares, largest } = this;
    const environments = ends.length / replicas;
    for (let i = 0; i < environments; i++) {
      this.count++;
      for (let r = 0; r < replicas; r++) {
        const row = r * environments + i;
        for (let k = 0; k < objectives; k++) {
          const entry = row * objectives + k;
          const sum = discount * sums[entry] + rewards[entry];
          sums[entry] = ends[row] === End.running ? sum : 0;
          const index = r * objectives + k;
          const distance = sum - mean[index];
          mean[index] += distance / this.count;
          squares[index] += distance * (sum - mean[index]);
          largest[index] = Math.max(largest[index], Math.abs(sum));
        }
      }
    }
    const scale = squares.map((sum, index) =>
      Math.max(Math.sqrt(sum / this.count + EPSILON), largest[index] / LARGEST_RETURN),
    );
    this.state.write(this.name, Float32Array.from(scale));
  }

  save(): StateValue {
    const { count, sums, mean, squares, largest } = this;
    return {
      count,
      sums: sums.slice(),
      mean: mean.slice(),
      squares: squares.slice(),
      largest: largest.slice(),
    };
  }

  /** The state, where the scale is, is saved with everything else that is learned. */
  load(saved: StateValue): void {
    const { count, ...arrays } = saved as Readonly<{ count: number } & Record<string, Float64Array>>;
    this.count = count;
    this.sums = arrays.sums.slice();
    this.mean.set(arrays.mean);
    this.squares.set(arrays.squares);
    this.largest.set(arrays.largest);
  }

  saveReplica(replica: number): StateValue {
    const [mean, squares, largest] = [this.mean, this.squares, this.largest].map((all) =>
      replicaPart(all, replica, this.replicas).slice(),
    );
    return { count: this.count, mean, squares, largest };
  }

  /** All replicas have to be given statistics of as many steps. */
  loadReplica(replica: number, saved: StateValue, isElsewhere: boolean): void {
    if (isElsewhere) {
      this.initialise(replica);
      return;
    }
    const { count, ...arrays } = saved as Readonly<{ count: number } & Record<string, Float64Array>>;
    this.count = count;
    for (const name of ['mean', 'squares', 'largest'] as const) {
      replicaPart(this[name], replica, this.replicas).set(arrays[name]);
    }
  }
}
