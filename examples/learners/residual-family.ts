/**
 * A policy family of one's own: theta1 + alpha phi(w), the whole base and a little of what the hypernetwork generates. Every
 * learner has it then.
 *
 * usage: npx psl train deep-sea-treasure --import ./examples/learners/residual-family.ts --set family=residual
 */
import { registerFamily } from 'psl-morl';

registerFamily({
  name: 'residual',
  summary: 'base + alpha phi(w)',
  shares: (alpha) => ({ base: 1, generated: alpha }),
});
