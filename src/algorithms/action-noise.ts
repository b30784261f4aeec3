/**
 * Noise on continuous actions while training. Its deviation may fall over the training, and may be another one in each episode:
 * calm episodes show what the policy itself earns, wild ones what is far from it (as in FastTD3). It may be correlated from step
 * to step (as in DDPG), which leads farther away than noise that cancels out.
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
  /** Of the noise of a step with that of the step before. */
  readonly explorationCorrelation: number;
  /** Share of the deviation that is left at the end. */
  readonly finalExploration: number;
}

/** What the noise of an episode goes on with. */
interface Episode {
  /** Its size, in deviations. */
  readonly size: number;
  /** That of the last step, in deviations, for each number of an action. */
  last?: number[];
}

export class ActionNoise implements HostState {
  /** The running episode of each environment. */
  private readonly episodes = new Map<number, Episode>();

  constructor(
    private readonly limits: readonly number[],
    private readonly settingsOf: (replica: number) => NoiseSettings,
  ) {}

  /** The action of an environment, where its policy would take another. */
  action(chosen: ArrayLike<number>, progress: number, random: Random, replica: number, environment: number) {
    const { exploration, explorationSpread, explorationCorrelation, finalExploration } = this.settingsOf(replica);
    const episode = this.episodeOf(environment, explorationSpread, random);
    const fresh = Math.sqrt(1 - explorationCorrelation ** 2);
    const { last } = episode;
    const noise = this.limits.map((_, i) =>
      last === undefined ? random.normal() : explorationCorrelation * last[i] + fresh * random.normal(),
    );
    episode.last = noise;
    const deviation = exploration * episode.size * (1 - progress * (1 - finalExploration));
    return Float32Array.from(this.limits, (limit, i) =>
      Math.min(limit, Math.max(-limit, chosen[i] + deviation * limit * noise[i])),
    );
  }

  /** A new episode begins with noise of its own. */
  end(ends: Uint8Array): void {
    ends.forEach((end, environment) => {
      if (end !== End.running) this.episodes.delete(environment);
    });
  }

  save(): StateValue {
    return Array.from(this.episodes, ([environment, { size, last }]) => ({ environment, size, ...(last && { last }) }));
  }

  load(saved: StateValue): void {
    this.episodes.clear();
    for (const { environment, ...episode } of saved as unknown as readonly ({ environment: number } & Episode)[]) {
      this.episodes.set(environment, episode);
    }
  }

  private episodeOf(environment: number, spread: number, random: Random): Episode {
    const running = this.episodes.get(environment);
    if (running) return running;
    const episode = { size: spread === 0 ? 1 : 1 + spread * (2 * random.uniform() - 1) };
    this.episodes.set(environment, episode);
    return episode;
  }
}
