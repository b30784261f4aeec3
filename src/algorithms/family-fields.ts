/**
 * How a network depends on the preference: the settings that choose a policy family, and the family that they stand
 * for. All learners share them.
 */
import { choice, integer, integers, number } from '../config/index.js';
import type { ConfigOf } from '../config/index.js';
import { added, conditioned, fused, generated } from '../nn/index.js';
import type { Family, FamilyKind, Network } from '../nn/index.js';
import type { Operand } from '../tensor/index.js';

/** How a network depends on the preference: settings of every learner. */
export const familyFields = {
  family: choice(['fused', 'generated', 'added', 'conditioned'], {
    default: 'fused',
    about: 'Parameters at preference w: (1-alpha) base + alpha phi(w), phi(w), base + phi(w), or base alone.',
    source: 'paper, eq. of parameter fusion and ablations',
  }),
  alpha: number({
    default: 0.05,
    min: 0,
    max: 1,
    about: 'Share of the generated parameters in the fused family.',
    source: 'paper, hyperparameter tables',
  }),
  hyperHidden: integers({
    default: [128, 128],
    min: 1,
    unit: 'units',
    about: 'Hidden layers of the hypernetwork.',
    source: 'open in the paper; as Hyper-MORL',
  }),
  hyperFeatures: integer({
    default: 10,
    min: 1,
    about: 'Features of the preference before the linear output layer of the hypernetwork.',
    source: 'open in the paper; as Hyper-MORL',
  }),
} as const;

/** @param alpha where it is not the same for all replicas of a program */
export function makeFamily(
  config: ConfigOf<typeof familyFields>,
  network: Network,
  objectives: number,
  alpha: Operand = config.alpha,
): Family {
  const options = { objectives, hidden: config.hyperHidden, features: config.hyperFeatures };
  switch (config.family) {
    case 'fused':
      return fused(network, alpha, options);
    case 'generated':
      return generated(network, options);
    case 'added':
      return added(network, options);
    case 'conditioned':
      return conditioned(network);
  }
}

/** Shares of the base network and of what is generated in the parameters of a family, which has one of them or both. */
export function sharesOf(kind: FamilyKind, alpha: number): { readonly base: number; readonly generated: number } {
  return kind === 'fused' ? { base: 1 - alpha, generated: alpha } : { base: 1, generated: 1 };
}
