/** Scale and centre of rewards, so that critics of all objectives and environments learn values of about size one. */
import type { StateValue } from '../envs/index.js';
import { End } from '../rollout/index.js';
import { float32 } from '../tensor/index.js';
import type { State } from '../tensor/index.js';
import type { HostState } from './host-state.js';
import { replicaPart } from './learner.js';

/** A number for each objective, in units of its returns, as a program's state. */
export const returnsSpec = (objectives: number) => float32(objectives);

/** The largest scaled return: the range that a classification critic covers. */
export const LARGEST_RETURN = 5;
const EPSILON = 1e-8;

/** Statistics, with a number for each replica and objective. */
const STATISTICS = ['mean', 'squares', 'largest', 'earned'] as const;
type Statistics = Readonly<Record<(typeof STATISTICS)[number], Float64Array>>;

/** Entries of a learner's state. */
interface Names {
  readonly scale: string;
  /** Left out: returns are measured from 0. */
  readonly centre?: string;
}

/**
 * A running size of each objective's discounted return G, by which rewards are divided so that Q has size one (SimbaV2,
 * Lee et al. 2025): max(deviation of G, largest |G| / 5). With a centre, returns are measured from that of earning the mean
 * reward so far for ever, G of rewards from that mean, and the end of an episode from 0. Each replica has its own, kept up to
 * date in a learner's state.
 */
export class RewardScale implements HostState {
  private count = 0;
  /** Discounted sums of the rewards so far, one for each environment and objective. */
  private sums = new Float64Array(0);
  /** Moments of those sums and the largest, and the mean reward. */
  private readonly statistics: Statistics;
  private readonly objectives: number;
  private readonly discount: number;
  private readonly replicas: number;

  constructor(
    private readonly state: State,
    private readonly names: Names,
    size: { readonly objectives: number; readonly discount: number; readonly replicas: number },
  ) {
    ({ objectives: this.objectives, discount: this.discount, replicas: this.replicas } = size);
    const zeros = () => new Float64Array(this.replicas * this.objectives);
    this.statistics = { mean: zeros(), squares: zeros(), largest: zeros(), earned: zeros() };
  }

  /** Before anything was observed, rewards pass unchanged. */
  initialise(replica: number): void {
    const { names, objectives } = this;
    this.state.write(names.scale, new Float32Array(objectives).fill(1), replica * objectives);
    if (names.centre !== undefined) this.state.write(names.centre, new Float32Array(objectives), replica * objectives);
  }

  /** Takes in a step of all environments, the same number for each replica: rewards, and whether the episode ended. */
  observe(rewards: Float64Array, ends: Uint8Array): void {
    if (this.sums.length === 0) this.sums = new Float64Array(rewards.length);
    const { objectives, discount, replicas, sums, names } = this;
    const { mean, squares, largest, earned } = this.statistics;
    const isCentred = names.centre !== undefined;
    const environments = ends.length / replicas;
    for (let i = 0; i < environments; i++) {
      this.count++;
      for (let r = 0; r < replicas; r++) {
        const row = r * environments + i;
        for (let k = 0; k < objectives; k++) {
          const entry = row * objectives + k;
          const index = r * objectives + k;
          earned[index] += (rewards[entry] - earned[index]) / this.count;
          const sum = discount * sums[entry] + rewards[entry] - (isCentred ? earned[index] : 0);
          sums[entry] = ends[row] === End.running ? sum : 0;
          const distance = sum - mean[index];
          mean[index] += distance / this.count;
          squares[index] += distance * (sum - mean[index]);
          largest[index] = Math.max(largest[index], Math.abs(sum));
          if (isCentred && ends[row] === End.terminated) {
            // Nothing is earned any more, which is as far from the centre as the centre is from 0.
            largest[index] = Math.max(largest[index], Math.abs(rewards[entry] - earned[index] / (1 - discount)));
          }
        }
      }
    }
    const scale = squares.map((sum, index) =>
      Math.max(Math.sqrt(sum / this.count + EPSILON), largest[index] / LARGEST_RETURN),
    );
    this.state.write(names.scale, Float32Array.from(scale));
    if (names.centre !== undefined) {
      this.state.write(
        names.centre,
        Float32Array.from(earned, (reward) => reward / (1 - discount)),
      );
    }
  }

  save(): StateValue {
    return { count: this.count, sums: this.sums.slice(), ...this.part((all) => all.slice()) };
  }

  /** The state, where scale and centre are, is saved with everything else that is learned. */
  load(saved: StateValue): void {
    const { count, sums, ...statistics } = saved as Readonly<
      { count: number; sums: Float64Array } & Partial<Statistics>
    >;
    this.count = count;
    this.sums = sums.slice();
    // Earlier versions did not keep what is earned, which nothing was made of then.
    for (const name of STATISTICS) this.statistics[name].set(statistics[name] ?? []);
  }

  saveReplica(replica: number): StateValue {
    return { count: this.count, ...this.part((all) => replicaPart(all, replica, this.replicas).slice()) };
  }

  /** All replicas have to be given statistics of as many steps. */
  loadReplica(replica: number, saved: StateValue, isElsewhere: boolean): void {
    if (isElsewhere) {
      this.initialise(replica);
      return;
    }
    const { count, ...statistics } = saved as Readonly<{ count: number } & Partial<Statistics>>;
    this.count = count;
    for (const name of STATISTICS) {
      replicaPart(this.statistics[name], replica, this.replicas).set(statistics[name] ?? []);
    }
  }

  private part(of: (all: Float64Array) => Float64Array): Statistics {
    const { mean, squares, largest, earned } = this.statistics;
    return { mean: of(mean), squares: of(squares), largest: of(largest), earned: of(earned) };
  }
}
