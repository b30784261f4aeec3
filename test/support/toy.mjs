// The small environment of the tests: a walk that goes where it is pushed. Plain JavaScript that imports nothing, because
// Node loads it too, in worker threads and other processes, where the contract is that of the build.

/** @typedef {import('../../src/envs/index.js').EnvEntry} EnvEntry */
/** @typedef {typeof import('../../src/envs/index.js').environmentOf} EnvironmentOf */

/**
 * How a walk stands.
 * @typedef {object} Walk
 * @property {number[]} at where it is
 * @property {number} time steps in this episode
 * @property {number} episode how many have begun
 * @property {number} steps in all episodes
 */

/**
 * What a test may want otherwise.
 * @typedef {object} Rules
 * @property {number} [size] numbers in an action, and in an observation
 * @property {number} [bound] of an action's numbers, which are clipped to it
 * @property {number} [horizon]
 * @property {number} [noise] standard deviation of what is added to each push
 * @property {number} [risk] probability of terminating in a step
 * @property {(walk: Walk, push: number[]) => boolean} [ends] whether a step terminates the episode, risk or not
 * @property {(walk: Walk, push: number[]) => number[]} [earns] the two rewards of a step
 * @property {(walk: Walk) => number[]} [sees] the observation
 * @property {(walk: Walk, action: number) => void} [before] every step, with the first number of its action; may throw
 * @property {() => void} [close]
 */

/**
 * The entry of a walk. One objective is to push, the other to keep still: always pushing by 1 earns 2 and 0 a step, never
 * pushing 1 and 1.
 * @param {EnvironmentOf} environmentOf of the sources or of the build
 * @param {string} id
 * @param {Rules} rules
 * @returns {EnvEntry}
 */
export function toyEnv(environmentOf, id, rules = {}) {
  const { size = 1, bound = 1, horizon = 10, noise = 0.1, risk = 0, before, close } = rules;
  const { ends = () => false, earns = effort, sees = ({ at }) => at } = rules;
  const objectives = [{ name: 'Up', unit: 'm' }, { name: 'Calm' }];
  const actionSpace = cube(size, bound);
  return {
    id,
    summary: 'A walk.',
    objectives,
    actionSpace,
    options: {},
    horizon,
    discount: 0.9,
    discountedReturns: false,
    referencePoint: [0, 0],
    make() {
      /** @type {Walk} */
      let walk = { at: Array.from({ length: size }, () => 0), time: 0, episode: 0, steps: 0 };
      return environmentOf({
        id,
        observationSpace: cube(size, Infinity),
        actionSpace,
        objectives,
        horizon,
        start(random) {
          const at = walk.at.map(() => random.normal());
          walk = { at, time: 0, episode: walk.episode + 1, steps: walk.steps };
        },
        advance(action, reward, random) {
          walk.time++;
          walk.steps++;
          before?.(walk, action[0]);
          const push = Array.from(action, (x) => Math.max(-bound, Math.min(bound, x)));
          walk.at = walk.at.map((x, i) => x + push[i] + (noise > 0 ? noise * random.normal() : 0));
          reward.set(earns(walk, push));
          return (risk > 0 && random.uniform() < risk) || ends(walk, push);
        },
        observe: (out) => out.set(sees(walk)),
        info: () => ({}),
        save: () => ({ ...walk }),
        load: (state) => (walk = structuredClone(/** @type {Walk} */ (/** @type {unknown} */ (state)))),
        close,
      });
    },
  };
}

/** @param {Walk} _ @param {number[]} push */
const effort = (_, push) => [1 + push[0], 1 - push.reduce((sum, x) => sum + x * x, 0)];

/** @param {number} size @param {number} bound */
function cube(size, bound) {
  const [low, high] = [-bound, bound].map((x) => Array.from({ length: size }, () => x));
  return { kind: /** @type {const} */ ('continuous'), shape: [size], low, high };
}

/** What breaks a walk in one of its steps, counted over all its episodes. @param {number} step */
export const breakAt =
  (step) =>
  /** @param {Walk} walk */
  ({ steps }) => {
    if (steps === step) throw new Error('The simulation broke.');
  };
