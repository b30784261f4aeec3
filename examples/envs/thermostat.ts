/**
 * A room that is heated, in TypeScript: be warm, burn little.
 *
 * usage: npx psl train examples/envs/thermostat.ts
 */
import { cube, defineEnv } from 'psl-morl';

export default defineEnv({
  id: 'thermostat',
  summary: 'A room that is heated: be warm, burn little.',
  objectives: [{ name: 'Comfort', unit: 'degrees' }, { name: 'Thrift' }],
  actionSpace: cube(1, -1, 1),
  horizon: 100,
  discount: 0.99,
  referencePoint: [-2000, -200],
  options: { outside: { summary: 'How cold it is outside.', default: 5, min: -20, max: 15 } },
  make({ outside }) {
    let degrees = 0;
    return {
      observationSpace: cube(1, -Infinity, Infinity),
      start: (random) => void (degrees = 10 + 5 * random.normal()),
      advance(action, reward, random) {
        const heat = Math.max(0, Math.min(1, action[0]));
        degrees += 2 * heat - 0.05 * (degrees - outside) + 0.1 * random.normal();
        reward.set([-Math.abs(degrees - 20), -heat]);
        return false; // Whether the task ended; the horizon is counted for it.
      },
      observe: (out) => void (out[0] = degrees / 20),
      info: () => ({ degrees }),
      save: () => degrees,
      load: (state) => void (degrees = Number(state)),
    };
  },
});
