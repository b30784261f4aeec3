/**
 * How SAC draws actions (Haarnoja et al. 2018): tanh of a normal variable, times the limit of each action. The actor gives the
 * means and then as many numbers for the log deviations.
 */
import { concat, constant } from '../tensor/index.js';
import type { Tensor } from '../tensor/index.js';

/** Bounds of the log deviations, between which tanh bends them, so that there is a slope everywhere (as CleanRL's). */
const LOG_DEVIATION = { least: -5, most: 2 };

export function squashedNormal(limits: readonly number[]) {
  const size = limits.length;
  const maximum = constant(limits, [size]);
  const { least, most } = LOG_DEVIATION;
  const bounded = (raw: Tensor): Tensor => raw.tanh().mul(maximum);
  const momentsOf = (given: Tensor) => {
    const [mean, spread] = given.split(1, [size, size]);
    const logDeviation = spread
      .tanh()
      .mul((most - least) / 2)
      .add((most + least) / 2);
    return { mean, logDeviation };
  };
  return {
    /** The action of the means. */
    best: (given: Tensor): Tensor => bounded(momentsOf(given).mean),
    /** Means before tanh, then deviations: what `drawn` needs. */
    moments: (given: Tensor): Tensor => {
      const { mean, logDeviation } = momentsOf(given);
      return concat([mean, logDeviation.exp()], 1);
    },
    /**
     * Actions made of standard normal noise, with a slope to what the actor gives, and their log probabilities [rows, 1].
     * These are densities of the action in parts of its limit, so that an entropy does not depend on units.
     */
    sample: (given: Tensor, noise: Tensor) => {
      const { mean, logDeviation } = momentsOf(given);
      const raw = mean.add(logDeviation.exp().mul(noise));
      const logNormal = noise
        .square()
        .mul(-0.5)
        .sub(logDeviation)
        .sub(Math.log(2 * Math.PI) / 2);
      return { action: bounded(raw), logProbability: logNormal.sub(logSlope(raw)).sum(1, true) };
    },
    /** An action from a row of `moments`. */
    drawn: (moments: ArrayLike<number>, normal: () => number): Float32Array =>
      Float32Array.from(limits, (limit, i) => limit * Math.tanh(moments[i] + moments[size + i] * normal())),
  };
}

/** log(1 - tanh(u)^2) = 2 (log 2 - |u| - log(1 + exp(-2 |u|))), which is finite for every u. */
function logSlope(u: Tensor): Tensor {
  const distance = u.abs();
  return constant(Math.LN2).sub(distance).sub(distance.mul(-2).exp().add(1).log()).mul(2);
}
