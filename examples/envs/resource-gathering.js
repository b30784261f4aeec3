/**
 * Resource gathering (Barrett and Narayanan, ICML 2008): leave home, fetch gold, a gem or both, and come back. Two cells
 * are guarded by enemies, who catch a visitor one time in ten, and then everything is lost.
 *
 * usage: npx psl train examples/envs/resource-gathering.js
 */
import { continuous, defineEnv, discrete } from 'psl-morl';

const SIZE = 5;
const HOME = { row: 4, column: 2 };
const GOLD = { row: 0, column: 2 };
const GEM = { row: 1, column: 4 };
const ENEMIES = [
  { row: 0, column: 3 },
  { row: 1, column: 2 },
];
/** Up, down, left, right, as steps in row and column. */
const MOVES = [
  [-1, 0],
  [1, 0],
  [0, -1],
  [0, 1],
];

/** @param {number} place */
const inside = (place) => Math.max(0, Math.min(SIZE - 1, place));

export default defineEnv({
  id: 'resource-gathering',
  summary: 'Resource gathering: fetch gold and a gem past enemies.',
  objectives: [{ name: 'Safety' }, { name: 'Gold' }, { name: 'Gem' }],
  actionSpace: discrete(MOVES.length),
  horizon: 50,
  discount: 0.95,
  // Without a discount no journey could be too long.
  discountedReturns: true,
  referencePoint: [-1, -1, -1],
  make() {
    let at = { ...HOME, gold: 0, gem: 0 };
    /** @param {{ row: number, column: number }} place */
    const isAt = ({ row, column }) => at.row === row && at.column === column;
    return {
      observationSpace: continuous([0, 0, 0, 0], [1, 1, 1, 1]),
      start: () => void (at = { ...HOME, gold: 0, gem: 0 }),
      advance(action, reward, random) {
        const [down, right] = MOVES[action];
        at = { ...at, row: inside(at.row + down), column: inside(at.column + right) };
        if (isAt(GOLD)) at.gold = 1;
        if (isAt(GEM)) at.gem = 1;
        if (ENEMIES.some(isAt) && random.uniform() < 0.1) {
          reward.set([-1, 0, 0]);
          return true;
        }
        if (!isAt(HOME)) return false;
        reward.set([0, at.gold, at.gem]);
        return true;
      },
      observe: (out) => out.set([at.row / (SIZE - 1), at.column / (SIZE - 1), at.gold, at.gem]),
      info: () => at,
      save: () => at,
      load: (state) => void (at = /** @type {typeof at} */ (state)),
    };
  },
});
