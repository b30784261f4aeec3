// An environment whose worker fails as TEST_FAULT says, for processes and workers that import it: throw, exit or hang in
// its 60th step. Plain JavaScript, since it is Node that loads it there.

/** @typedef {typeof import('../src/envs/index.js')} Envs */

/** @type {unknown} */
const compiled = await import(new URL('../dist/src/envs/index.js', import.meta.url).href);
const { cube, defineEnv, environmentOf, register } = /** @type {Envs} */ (compiled);

const objectives = [{ name: 'Distance' }, { name: 'Rest' }];
const fault = process.env.TEST_FAULT;
const HORIZON = 20;

function fail() {
  if (fault === 'throw') throw new Error('The simulation broke.');
  if (fault === 'exit') process.exit(3);
  while (fault === 'hang');
}

register(
  defineEnv({
    id: 'test-fault',
    summary: 'A walk that fails.',
    objectives,
    actionSpace: cube(1, -1, 1),
    options: {},
    horizon: HORIZON,
    discount: 0.9,
    discountedReturns: false,
    referencePoint: [0, 0],
    make() {
      let [at, steps] = [0, 0];
      return environmentOf({
        id: 'test-fault',
        observationSpace: cube(1, -Infinity, Infinity),
        actionSpace: cube(1, -1, 1),
        objectives,
        horizon: HORIZON,
        start: (random) => (at = random.normal()),
        advance(action, reward) {
          steps++;
          if (steps === 60) fail();
          at += action[0];
          reward.set([1 + action[0], 2 - action[0] ** 2]);
          return false;
        },
        observe: (out) => void (out[0] = at),
        info: () => ({}),
        save: () => at,
        load: (state) => (at = /** @type {number} */ (state)),
      });
    },
  }),
);
