/** What learners of discrete actions share. */
import { number, orNone } from '../config/index.js';
import type { ConfigOf } from '../config/index.js';
import type { StateValue } from '../envs/index.js';
import { repeatForRows } from '../nn/index.js';
import type { Random } from '../random/index.js';
import { End } from '../rollout/index.js';
import type { Tensor } from '../tensor/index.js';
import type { HostState } from './host-state.js';
import type { Problem } from './learner.js';

export function discreteActions(algorithm: string, { actionSpace }: Problem): number {
  if (actionSpace.kind !== 'discrete') throw new RangeError(`${algorithm} needs discrete actions.`);
  return actionSpace.n;
}

/** [G, m] preferences for the actions of rows: [rows, 1, m]. */
export function eachAction(preferences: Tensor, rows: number): Tensor {
  return repeatForRows(preferences, rows).reshape([rows, 1, preferences.shape[1]]);
}

/** The values of one action per row: [rows, actions, m] and [rows] to [rows, m]. */
export function pick(values: Tensor, action: Tensor): Tensor {
  const [rows, actions] = values.shape;
  return values.mul(action.oneHot(actions).reshape([rows, actions, 1])).sum(1);
}

/** Settings of an exploration that takes fewer and fewer random actions. */
export function epsilonFields(defaults: {
  readonly start: number;
  readonly end: number;
  readonly decay: number;
  readonly source: string;
}) {
  const { start, end, decay, source } = defaults;
  return {
    epsilonStart: number({ default: start, min: 0, max: 1, about: 'Share of random actions at the start.', source }),
    epsilonEnd: number({ default: end, min: 0, max: 1, about: 'Share of random actions at the end.', source }),
    epsilonDecay: number({
      default: decay,
      above: 0,
      max: 1,
      about: 'Part of training over which that share falls linearly.',
      source,
    }),
    epsilonRepeat: orNone(
      number({
        above: 1,
        about:
          'Take a random action n times in a row, until the episode ends, with a probability proportional to n to the power of minus this; none: once.',
        source: 'published: none; 2 in temporally extended exploration (Dabney et al. 2021)',
      }),
    ),
  } as const;
}

export type EpsilonConfig = ConfigOf<ReturnType<typeof epsilonFields>>;

/** A random action that an environment takes again. */
interface Repetition {
  readonly environment: number;
  readonly action: number;
  /** How often it still does. */
  readonly left: number;
}

/** Random actions now and then, each of them taken once or several times in a row. */
export class EpsilonGreedy implements HostState {
  private readonly repetitions = new Map<number, Repetition>();

  constructor(
    private readonly config: EpsilonConfig,
    private readonly actions: number,
  ) {}

  /** The action of an environment, where its policy would take `greedy`. */
  action(greedy: number, progress: number, random: Random, environment: number): number {
    const repetition = this.repetitions.get(environment);
    if (repetition !== undefined) return this.repeat(repetition);
    const { epsilonStart, epsilonEnd, epsilonDecay, epsilonRepeat } = this.config;
    const epsilon = epsilonStart - (epsilonStart - epsilonEnd) * Math.min(1, progress / epsilonDecay);
    if (random.uniform() >= epsilon) return greedy;
    const action = random.integer(this.actions);
    return epsilonRepeat === null ? action : this.repeat({ environment, action, left: zeta(epsilonRepeat, random) });
  }

  /** A new episode begins with an action of its own. */
  end(ends: Uint8Array): void {
    ends.forEach((end, environment) => {
      if (end !== End.running) this.repetitions.delete(environment);
    });
  }

  save(): StateValue {
    return Array.from(this.repetitions.values(), (repetition) => ({ ...repetition }));
  }

  load(saved: StateValue): void {
    this.repetitions.clear();
    for (const repetition of saved as unknown as readonly Repetition[]) {
      this.repetitions.set(repetition.environment, repetition);
    }
  }

  private repeat({ environment, action, left }: Repetition): number {
    if (left > 1) this.repetitions.set(environment, { environment, action, left: left - 1 });
    else this.repetitions.delete(environment);
    return action;
  }
}

/** A whole number n > 0 with a probability proportional to n ** -exponent, by rejection (Devroye 1986, X.6.1). */
export function zeta(exponent: number, random: Random): number {
  const power = exponent - 1;
  const b = 2 ** power;
  for (;;) {
    const x = Math.floor((1 - random.uniform()) ** (-1 / power));
    const t = (1 + 1 / x) ** power;
    if ((random.uniform() * x * (t - 1)) / (b - 1) <= t / b) return x;
  }
}
