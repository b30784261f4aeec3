/** The range of returns that episodes have had, which targets of values are kept in. */
import type { StateValue } from '../envs/index.js';
import { End } from '../rollout/index.js';
import type { HostState } from './host-state.js';
import { replicaPart } from './learner.js';

/** What no return comes to; an infinite bound is not safe in every shader. */
const UNBOUNDED = Math.fround(3e38);

/**
 * The least and the largest discounted return from any step of an episode to its end, for each replica and objective, and
 * zero. Values that feed on their own errors cannot leave it. As long as no episode has ended there is no bound.
 */
export class ReturnBounds implements HostState {
  /** As an update takes them. */
  readonly inputs: { readonly low: Float32Array; readonly high: Float32Array };
  /** The rewards of each environment's episode so far. */
  private episodes: number[][] = [];

  constructor(
    private readonly objectives: number,
    private readonly discount: number,
    private readonly replicas: number,
  ) {
    const filled = (value: number) => new Float32Array(replicas * objectives).fill(value);
    this.inputs = { low: filled(-UNBOUNDED), high: filled(UNBOUNDED) };
  }

  /** Takes in a step of all environments, the same number for each replica: rewards, and whether the episode ended. */
  observe(rewards: Float64Array, ends: Uint8Array): void {
    const { objectives, episodes } = this;
    ends.forEach((end, row) => {
      const episode = (episodes[row] ??= []);
      episode.push(...rewards.subarray(row * objectives, (row + 1) * objectives));
      if (end === End.running) return;
      this.take(episode, Math.floor((row * this.replicas) / ends.length));
      episodes[row] = [];
    });
  }

  save(): StateValue {
    const { inputs, episodes } = this;
    const [low, high] = [inputs.low, inputs.high].map((bounds) => Float64Array.from(bounds));
    return { low, high, episodes: episodes.map((rewards) => [...rewards]) };
  }

  load(saved: StateValue): void {
    const { low, high, episodes } = saved as unknown as Record<'low' | 'high', Float64Array> & {
      readonly episodes: readonly (readonly number[])[];
    };
    this.inputs.low.set(low);
    this.inputs.high.set(high);
    this.episodes = episodes.map((rewards) => [...rewards]);
  }

  saveReplica(replica: number): StateValue {
    const { low, high } = this.inputs;
    const [least, most] = [low, high].map((all) => Float64Array.from(replicaPart(all, replica, this.replicas)));
    return { low: least, high: most };
  }

  loadReplica(replica: number, saved: StateValue, isElsewhere: boolean): void {
    if (isElsewhere) return;
    const bounds = saved as Readonly<Record<'low' | 'high', Float64Array>>;
    for (const name of ['low', 'high'] as const) {
      replicaPart(this.inputs[name], replica, this.replicas).set(bounds[name]);
    }
  }

  private take(rewards: readonly number[], replica: number): void {
    const { objectives, discount } = this;
    const { low, high } = this.inputs;
    for (let k = 0; k < objectives; k++) {
      const entry = replica * objectives + k;
      if (high[entry] === UNBOUNDED) low[entry] = high[entry] = 0;
      let sum = 0;
      for (let i = rewards.length - objectives + k; i >= 0; i -= objectives) {
        sum = rewards[i] + discount * sum;
        low[entry] = Math.min(low[entry], sum);
        high[entry] = Math.max(high[entry], sum);
      }
    }
  }
}
