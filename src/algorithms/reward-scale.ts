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

/** With a number for each replica and objective: moments of the discounted sums and the largest, and the mean reward. */
const STATISTICS = ['mean', 'squares', 'largest', 'earned'] as const;
type Statistics = Readonly<Record<(typeof STATISTICS)[number], Float64Array>>;

function statistics(make: (name: keyof Statistics) => Float64Array): Statistics {
  return Object.fromEntries(STATISTICS.map((name) => [name, make(name)])) as Statistics;
}

/** Entries of a learner's state. */
interface Names {
  readonly scale: string;
  /** Left out: returns are measured from 0. */
  readonly centre?: string;
}

interface Size {
  readonly objectives: number;
  readonly discount: number;
  readonly replicas: number;
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
  private readonly statistics: Statistics;

  constructor(
    private readonly state: State,
    private readonly names: Names,
    private readonly size: Size,
  ) {
    this.statistics = statistics(() => new Float64Array(size.replicas * size.objectives));
  }

  /** Before anything was observed, rewards pass unchanged. */
  initialise(replica: number): void {
    const { names } = this;
    const { objectives } = this.size;
    this.state.write(names.scale, new Float32Array(objectives).fill(1), replica * objectives);
    if (names.centre !== undefined) this.state.write(names.centre, new Float32Array(objectives), replica * objectives);
  }

  /** Takes in a step of all environments, the same number for each replica: rewards, and whether the episode ended. */
  observe(rewards: Float64Array, ends: Uint8Array): void {
    if (this.sums.length === 0) this.sums = new Float64Array(rewards.length);
    const { sums, names } = this;
    const { objectives, discount, replicas } = this.size;
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
          // Without a centre it stays 0.
          if (isCentred) earned[index] += (rewards[entry] - earned[index]) / this.count;
          const sum = discount * sums[entry] + rewards[entry] - earned[index];
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
    return { count: this.count, sums: this.sums.slice(), ...statistics((name) => this.statistics[name].slice()) };
  }

  /** The state, where scale and centre are, is saved with everything else that is learned. */
  load(saved: StateValue): void {
    const { count, sums, ...kept } = saved as Readonly<{ count: number; sums: Float64Array } & Partial<Statistics>>;
    this.count = count;
    this.sums = sums.slice();
    // Earlier versions did not keep what is earned, which nothing was made of then.
    for (const name of STATISTICS) this.statistics[name].set(kept[name] ?? []);
  }

  saveReplica(replica: number): StateValue {
    return { count: this.count, ...statistics((name) => this.partOf(replica, name).slice()) };
  }

  /** All replicas have to be given statistics of as many steps. */
  loadReplica(replica: number, saved: StateValue, isElsewhere: boolean): void {
    if (isElsewhere) {
      this.initialise(replica);
      return;
    }
    const { count, ...kept } = saved as Readonly<{ count: number } & Partial<Statistics>>;
    this.count = count;
    for (const name of STATISTICS) this.partOf(replica, name).set(kept[name] ?? []);
  }

  private partOf(replica: number, name: keyof Statistics): Float64Array {
    return replicaPart(this.statistics[name], replica, this.size.replicas);
  }
}
