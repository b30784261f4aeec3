/**
 * An orchard, with discrete actions and three objectives: apple trees and pear trees in turn, each with up to three fruits.
 * Pick one, walk on or go home; the farther the tree, the longer the way back.
 *
 * usage: npx psl train examples/envs/orchard.js
 */
import { continuous, defineEnv, discrete } from 'psl-morl';

const TREES = 8;
const MOST = 3;
const [PICK, WALK_ON] = [0, 1];

export default defineEnv({
  id: 'orchard',
  summary: 'An orchard: pick apples and pears, and be home soon.',
  objectives: [{ name: 'Apples' }, { name: 'Pears' }, { name: 'Time', unit: 'steps' }],
  actionSpace: discrete(3),
  horizon: 50,
  discount: 0.99,
  // Less than nothing is picked by nobody, and later is nobody home.
  referencePoint: [-1, -1, -58],
  make() {
    let at = { tree: 0, fruits: 0 };
    return {
      observationSpace: continuous([0, 0, 0], [1, 1, 1]),
      start: (random) => void (at = { tree: 0, fruits: random.integer(MOST + 1) }),
      advance(action, reward, random) {
        reward[2] = -1;
        if (action === PICK) {
          if (at.fruits > 0) reward[at.tree % 2] = 1;
          at = { ...at, fruits: Math.max(0, at.fruits - 1) };
          return false;
        }
        if (action === WALK_ON) {
          if (at.tree < TREES - 1) at = { tree: at.tree + 1, fruits: random.integer(MOST + 1) };
          return false;
        }
        reward[2] -= at.tree;
        return true;
      },
      observe: (out) => out.set([at.tree / (TREES - 1), at.fruits / MOST, at.tree % 2]),
      info: () => at,
      save: () => at,
      load: (state) => void (at = /** @type {typeof at} */ (state)),
    };
  },
});
