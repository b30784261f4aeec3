// An environment of a user's own, for workers to import: they have a registry of their own. Plain JavaScript, since it is
// Node that loads it there.
import { cube, defineEnv, environmentOf } from 'psl-morl';

const objectives = [{ name: 'Distance' }, { name: 'Rest' }];

/** What the first number of an action does instead of moving. */
export const Deed = { throw: 13, exit: 14, hang: 15 };

/** @param {number} action */
function misbehave(action) {
  if (action === Deed.throw) throw new Error('The simulation broke.');
  if (action === Deed.exit) process.exit(3);
  while (action === Deed.hang);
}

export default defineEnv({
  id: 'test-walk',
  summary: 'A random walk that ends when it gets too far.',
  objectives,
  actionSpace: cube(2, -1, 1),
  options: {},
  horizon: 20,
  discount: 1,
  discountedReturns: false,
  referencePoint: [0, 0],
  make() {
    const at = [0, 0];
    return environmentOf({
      id: 'test-walk',
      observationSpace: cube(2, -Infinity, Infinity),
      actionSpace: cube(2, -1, 1),
      objectives,
      horizon: 20,
      start: (random) => at.forEach((_, i) => (at[i] = random.normal())),
      advance(action, reward, random) {
        misbehave(action[0]);
        at.forEach((x, i) => (at[i] = x + action[i] + random.normal()));
        reward.set([Math.hypot(...at), -Math.abs(action[0])]);
        return reward[0] > 6;
      },
      observe: (out) => out.set(at),
      info: () => ({}),
      save: () => [...at],
      load: (state) => Object.assign(at, state),
    });
  },
});
