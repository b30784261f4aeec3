/**
 * Noise on continuous actions while training. Its deviation may fall over the training, and may be another one in each episode:
 * calm episodes show what the policy itself earns, wild ones what is far from it (as in FastTD3).
 */
import type { StateValue } from '../envs/index.js';
import type { Random } from '../random/index.js';
import { End } from '../rollout/index.js';
import type { HostState } from './host-state.js';

interface NoiseSettings {
  /** Deviation, as a share of the largest action. */
  readonly exploration: number;
  /** How far the deviation of an episode may lie from that, as a share of it. */
  readonly explorationSpread: number;
  /** Share of the deviation that is left at the end. */
  readonly finalExploration: number;
}

export class ActionNoise implements HostState {
  /** The size of the noise of each environment's episode, in deviations. */
  private readonly sizes = new Map<number, number>();

  constructor(
    private readonly limits: readonly number[],
    private readonly settingsOf: (replica: number) => NoiseSettings,
  ) {}

  /** The action of an environment, where its policy would take another. */
  action(chosen: ArrayLike<number>, progress: number, random: Random, replica: number, environment: number) {
    const { exploration, explorationSpread, finalExploration } = this.settingsOf(replica);
    const size = this.sizeOf(environment, explorationSpread, random);
    const deviation = exploration * size * (1 - progress * (1 - finalExploration));
    return Float32Array.from(this.limits, (limit, i) => {
      const noisy = chosen[i] + deviation * limit * random.normal();
      return Math.min(limit, Math.max(-limit, noisy));
    });
  }

  /** A new episode begins with noise of its own size. */
  end(ends: Uint8Array): void {
    ends.forEach((end, environment) => {
      if (end !== End.running) this.sizes.delete(environment);
    });
  }

  save(): StateValue {
    return Array.from(this.sizes, ([environment, size]) => ({ environment, size }));
  }

  load(saved: StateValue): void {
    this.sizes.clear();
    for (const { environment, size } of saved as unknown as readonly { environment: number; size: number }[]) {
      this.sizes.set(environment, size);
    }
  }

  private sizeOf(environment: number, spread: number, random: Random): number {
    if (spread === 0) return 1;
    const size = this.sizes.get(environment) ?? 1 + spread * (2 * random.uniform() - 1);
    this.sizes.set(environment, size);
    return size;
  }
}
