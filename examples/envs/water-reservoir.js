/**
 * A water reservoir (after Castelletti, Pianosi and Restelli, 2013): every day rain comes in and some water is let out.
 * Too much in it floods the shore, too little let out leaves the fields dry, and both cannot be had in all weathers.
 *
 * usage: npx psl train examples/envs/water-reservoir.js
 */
import { cube, defineEnv } from 'psl-morl';

/** Volumes of water. */
const CAPACITY = 100;
const FLOOD = 50;
const DEMAND = 50;
const RAIN = { mean: 40, deviation: 10 };

export default defineEnv({
  id: 'water-reservoir',
  summary: 'A water reservoir: neither flood the shore nor dry out the fields.',
  objectives: [
    { name: 'Dry shore', unit: 'volume' },
    { name: 'Watered fields', unit: 'volume' },
  ],
  // TD3 wants bounds that are alike on both sides; -1 lets nothing out, 1 all there can be.
  actionSpace: cube(1, -1, 1),
  horizon: 50,
  discount: 0.99,
  // What the worst policies come to, so that every day without damage counts.
  referencePoint: [-2500, -2500],
  make() {
    let stored = 0;
    return {
      observationSpace: cube(1, 0, 1),
      start: (random) => void (stored = CAPACITY * random.uniform()),
      advance(action, reward, random) {
        const share = (1 + Math.max(-1, Math.min(1, action[0]))) / 2;
        const rain = Math.max(0, RAIN.mean + RAIN.deviation * random.normal());
        const released = share * stored;
        // What does not fit in runs over the dam: it waters no field, and does not stay.
        stored = Math.min(CAPACITY, stored - released + rain);
        reward[0] = -Math.max(0, stored - FLOOD);
        reward[1] = -Math.max(0, DEMAND - released);
        return false;
      },
      observe: (out) => void (out[0] = stored / CAPACITY),
      info: () => ({ stored }),
      save: () => stored,
      load: (state) => void (stored = Number(state)),
    };
  },
});
