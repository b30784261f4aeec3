// An environment of a user's own, for workers to import: they have a registry of their own.
import { environmentOf } from 'psl-morl';
import { toyEnv } from './toy.mjs';

/** What the first number of an action does instead of moving. */
export const Deed = { throw: 13, exit: 14, hang: 15 };

export default toyEnv(environmentOf, 'test-walk', {
  size: 2,
  horizon: 20,
  noise: 1,
  risk: 0.05,
  before(_, action) {
    if (action === Deed.throw) throw new Error('The simulation broke.');
    if (action === Deed.exit) process.exit(3);
    while (action === Deed.hang);
  },
});
