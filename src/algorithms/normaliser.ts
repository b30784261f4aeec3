/**
 * Normalisation of observations by their running mean and deviation. The host computes both and writes them into the
 * learner's state, where its programs read them; a model file contains them.
 */
import type { StateValue } from '../envs/index.js';
import { float32 } from '../tensor/index.js';
import type { State, Tensor } from '../tensor/index.js';
import type { HostState } from './host-state.js';
import { ELSEWHERE_COUNT, replicaPart } from './learner.js';

/** Normalised observations beyond this are cut off: a joint that hardly moved at first must not explode later. */
export const OBSERVATION_LIMIT = 10;

/** Mean and inverse deviation of observations, as a program's state. */
export const normaliserSpecs = (size: number) => ({ mean: float32(size), scale: float32(size) });

export function normalised(x: Tensor, { mean, scale }: { readonly mean: Tensor; readonly scale: Tensor }): Tensor {
  return x.sub(mean).mul(scale).clamp(-OBSERVATION_LIMIT, OBSERVATION_LIMIT);
}

type SavedMoments = Readonly<{ count: number; mean: Float64Array; squares: Float64Array }>;

/** Running moments of the observations of each replica, kept up to date in a learner's state under `name`. */
export class Normaliser implements HostState {
  private count = 0;
  private readonly mean: Float64Array;
  /** Sum of squared distances from the mean. */
  private readonly squares: Float64Array;

  constructor(
    private readonly state: State,
    private readonly name: string,
    private readonly size: number,
    private readonly replicas: number,
  ) {
    this.mean = new Float64Array(replicas * size);
    this.squares = new Float64Array(replicas * size);
  }

  /** Before anything was observed, observations pass unchanged. */
  initialise(replica: number): void {
    const { name, size } = this;
    this.state.write(`${name}.mean`, new Float32Array(size), replica * size);
    this.state.write(`${name}.scale`, new Float32Array(size).fill(1), replica * size);
  }

  save(): StateValue {
    const { count, mean, squares } = this;
    return { count, mean: mean.slice(), squares: squares.slice() };
  }

  /** The state, where the scale is, is saved with everything else that is learned. */
  load(saved: StateValue): void {
    const { count, mean, squares } = saved as SavedMoments;
    this.count = count;
    this.mean.set(mean);
    this.squares.set(squares);
  }

  saveReplica(replica: number): StateValue {
    const [mean, squares] = [this.mean, this.squares].map((all) => replicaPart(all, replica, this.replicas).slice());
    return { count: this.count, mean, squares };
  }

  /** All replicas have to be given statistics of as many observations. */
  loadReplica(replica: number, saved: StateValue, isElsewhere: boolean): void {
    const { count, mean, squares } = saved as SavedMoments;
    this.count = isElsewhere ? Math.min(count, ELSEWHERE_COUNT) : count;
    const share = count === 0 ? 1 : this.count / count;
    replicaPart(this.mean, replica, this.replicas).set(mean);
    replicaPart(this.squares, replica, this.replicas).set(squares.map((sum) => sum * share));
  }

  /** Takes in as many rows for each replica (Welford's update, row by row). */
  observe(rows: Float32Array): void {
    const { size, replicas, mean, squares, name } = this;
    const each = rows.length / (size * replicas);
    for (let row = 0; row < each; row++) {
      this.count++;
      for (let r = 0; r < replicas; r++) {
        const from = (r * each + row) * size;
        for (let i = 0; i < size; i++) {
          const entry = r * size + i;
          const distance = rows[from + i] - mean[entry];
          mean[entry] += distance / this.count;
          squares[entry] += distance * (rows[from + i] - mean[entry]);
        }
      }
    }
    this.state.write(`${name}.mean`, Float32Array.from(mean));
    // The deviation is at least a hundredth, so that an entry that never changed is not blown up to noise.
    const scale = squares.map((sum) => 1 / Math.max(0.01, Math.sqrt(sum / this.count)));
    this.state.write(`${name}.scale`, Float32Array.from(scale));
  }
}
