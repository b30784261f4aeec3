/** What learners of discrete actions share. */
import { number } from '../config/index.js';
import type { Field } from '../config/index.js';
import { repeatForRows } from '../nn/index.js';
import type { Random } from '../random/index.js';
import type { Tensor } from '../tensor/index.js';
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

interface EpsilonConfig {
  readonly epsilonStart: number;
  readonly epsilonEnd: number;
  readonly epsilonDecay: number;
}

/** Settings of an exploration that takes fewer and fewer random actions. */
export function epsilonFields(defaults: {
  readonly start: number;
  readonly end: number;
  readonly decay: number;
  readonly source: string;
}): { readonly [K in keyof EpsilonConfig]: Field<number> } {
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
  };
}

export function epsilonGreedy({ epsilonStart, epsilonEnd, epsilonDecay }: EpsilonConfig, actions: number) {
  return (action: ArrayLike<number>, progress: number, random: Random): number => {
    const epsilon = epsilonStart - (epsilonStart - epsilonEnd) * Math.min(1, progress / epsilonDecay);
    return random.uniform() < epsilon ? random.integer(actions) : action[0];
  };
}
