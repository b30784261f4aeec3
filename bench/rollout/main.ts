// How fast environments are stepped: `npm run bench -- rollout [--json]`. What is compared takes turns, so that a busy
// moment of the machine hits both sides, and the median of the rounds counts.

import { once } from 'node:events';
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';

import { ANT } from '../../src/envs/mujoco/ant.js';
import { HALF_CHEETAH } from '../../src/envs/mujoco/half-cheetah.js';
import { HOPPER } from '../../src/envs/mujoco/hopper.js';
import { HUMANOID } from '../../src/envs/mujoco/humanoid.js';
import { isRobotEnvironment } from '../../src/envs/mujoco/locomotion.js';
import type { Robot } from '../../src/envs/mujoco/robot.js';
import { modelOf, Simulation } from '../../src/envs/mujoco/simulation.js';
import { SWIMMER } from '../../src/envs/mujoco/swimmer.js';
import { WALKER2D } from '../../src/envs/mujoco/walker2d.js';
import { makeEnv, prepareEnv } from '../../src/envs/index.js';
import type { Continuous } from '../../src/envs/index.js';
import { simplexGrid } from '../../src/preferences/index.js';
import { Random } from '../../src/random/index.js';
import { evaluate, Order, Workers } from '../../src/rollout/index.js';
import type { EnvPool } from '../../src/rollout/index.js';
import { openDevice } from '../../src/tensor/index.js';
import { createLearner, planTraining } from '../../src/training/index.js';
import { bareRound, rate, type BareLoop, type Script } from './bare-loop.js';
import { BOTH, CRITIC, driveTd3, published } from '../learners/td3.js';

/** Gradient steps for each step of as many environments: one of the actor and the critics' that go with it. */
const BLOCK = published.policyDelay;

const usage = `usage: npm run bench -- rollout [--json] [--rounds N] [--seconds S] [--environments E] [--robots ID,ID]

For each robot: steps per second of E environments (default 64) with random actions in a bare loop around mj_step in
this thread, in two threads at once, and in a pool with one worker and with two, all with the same actions; the rate of gradient steps (the
PSL-TD3 update, on all cores) while ${BLOCK} environments take a step for every ${BLOCK} of them, against that
of the learner alone. Then how long an evaluation takes. Figures are medians of N rounds (default 21) of S seconds
(default 0.2) in which all take turns.
Last line with --json: one JSON object.`;

/** With the simulation steps per action. */
const ROBOTS: readonly (readonly [env: string, robot: Robot, frameSkip: number])[] = [
  ['mo-halfcheetah-v2', HALF_CHEETAH, 5],
  ['mo-hopper-v2', HOPPER, 5],
  ['mo-walker2d-v2', WALKER2D, 4],
  ['mo-ant-v2', ANT, 5],
  ['mo-swimmer-v2', SWIMMER, 4],
  ['mo-humanoid-v2', HUMANOID, 5],
];

/** Rounds after which everything begins anew, with the same seeds and actions. */
const SCRIPT = 40;

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '21' },
    seconds: { type: 'string', default: '0.2' },
    environments: { type: 'string', default: '64' },
    robots: { type: 'string', default: ROBOTS.map(([env]) => env).join(',') },
  },
});

function positive(name: 'rounds' | 'seconds' | 'environments'): number {
  const value = Number(options[name]);
  if (value > 0) return value;
  console.error(`--${name} is "${options[name]}", but must be a positive number.`);
  process.exit(2);
}

if (options.help) {
  console.log(usage);
  process.exit();
}
const [rounds, seconds, environments] = [positive('rounds'), positive('seconds'), positive('environments')];
const random = new Random(1);

/** Measures each action in every round, after one that does not count; returns what each came to, round by round. */
async function takeTurns(actions: readonly (() => Promise<number>)[]): Promise<number[][]> {
  const results = actions.map((): number[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [i, action] of actions.entries()) {
      const result = await action();
      if (round > 0) results[i].push(result);
    }
  }
  return results;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1];
/** Of what was measured in the same rounds. */
const ratio = (values: readonly number[], base: readonly number[]): number => median(values.map((x, i) => x / base[i]));

const seedsFor = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

function rehearse(env: string): Script {
  const robots = seedsFor(environments).map((seed) => {
    const robot = makeEnv(env);
    if (!isRobotEnvironment(robot)) throw new Error(`${env} is not a robot.`);
    return { robot, observation: robot.reset({ seed }).observation, isStarting: true };
  });
  const { actionSpace, objectives } = robots[0].robot;
  const { low, high } = actionSpace as Continuous;
  const reward = new Float64Array(objectives.length);
  const actions = [];
  const starts = [];
  for (let round = 0; round < SCRIPT; round++) {
    starts.push(
      robots.flatMap(({ robot: { robot }, isStarting }, row) =>
        isStarting ? { row, qpos: robot.qpos(), qvel: robot.qvel() } : [],
      ),
    );
    const drawn = Float32Array.from({ length: robots.length * low.length }, (_, i) => {
      const k = i % low.length;
      return low[k] + (high[k] - low[k]) * random.uniform();
    });
    actions.push(drawn);
    robots.forEach((each, row) => {
      const action = drawn.subarray(row * low.length, (row + 1) * low.length);
      each.isStarting = each.robot.stepInto(action, each.observation, reward) !== 'running';
      if (each.isStarting) each.robot.resetInto(each.observation);
    });
  }
  for (const { robot } of robots) robot.close();
  return { actions, starts };
}

/** Bare loops in two threads at once, which do not even know of each other: what the machine's second core is worth. */
async function twoBareLoops(loop: BareLoop) {
  const url = new URL('bare-loop.js', import.meta.url);
  const threads = [0, 1].map(() => new Worker(url, { workerData: loop }));
  const answers = () => Promise.all(threads.map(async (thread) => (await once(thread, 'message'))[0] as number));
  await answers();
  return {
    rate: async () => {
      for (const thread of threads) thread.postMessage(seconds);
      return (await answers()).reduce((sum, rate) => sum + rate);
    },
    close: () => Promise.all(threads.map((thread) => thread.terminate())),
  };
}

/** A round of the script by a pool. */
function poolRound({ actions }: Script, pool: EnvPool): () => Promise<void> {
  let round = 0;
  return async () => {
    if (round === 0) {
      pool.seeds.set(seedsFor(pool.size));
      pool.orders.fill(Order.reset);
      pool.begin();
      await pool.finish();
    }
    pool.actions.set(actions[round]);
    pool.begin();
    await pool.finish();
    round = (round + 1) % SCRIPT;
  };
}

async function stepping(env: string, robot: Robot, frameSkip: number) {
  const crews = [new Workers(1), new Workers(2)];
  const pools = await Promise.all(crews.map((workers) => workers.open({ env, seeds: seedsFor(environments) })));
  const simulations = seedsFor(environments).map(() => new Simulation(modelOf(robot, 'legacy'), []));
  const script = rehearse(env);
  const pair = await twoBareLoops({ env, robot, frameSkip, environments, script });
  const contestants = [bareRound(script, simulations, frameSkip), ...pools.map((pool) => poolRound(script, pool))];
  const [bare, one, two, bareTwo] = await takeTurns([
    ...contestants.map((round) => async () => environments * (await rate(round, seconds))),
    pair.rate,
  ]);
  await pair.close();
  for (const workers of crews) await workers.close();
  for (const simulation of simulations) simulation.close();
  return {
    bareStepsPerSecond: median(bare),
    oneWorkerStepsPerSecond: median(one),
    twoWorkersStepsPerSecond: median(two),
    shareOfBare: ratio(one, bare),
    scaling: ratio(two, one),
    bareScaling: ratio(bareTwo, bare),
  };
}

/** Gradient steps of a learner, in blocks of as many as there are environments. */
async function learnerBlock(): Promise<() => Promise<void>> {
  const learner = await driveTd3(published, await openDevice('cpu'));
  return async () => {
    for (let i = 0; i < BLOCK; i++) await learner.update(i === 0 ? BOTH : CRITIC);
  };
}

async function learning(env: string, block: () => Promise<void>) {
  const workers = new Workers(Math.min(availableParallelism(), BLOCK));
  const pool = await workers.open({ env, seeds: seedsFor(BLOCK) });
  random.fillUniform(pool.actions as Float32Array, -1, 1);
  const [alone, collecting] = await takeTurns([
    () => rate(block, seconds),
    () =>
      rate(async () => {
        pool.begin();
        await block();
        await pool.finish();
      }, seconds),
  ]);
  await workers.close();
  return {
    gradientStepsPerSecond: BLOCK * median(collecting),
    aloneGradientStepsPerSecond: BLOCK * median(alone),
    shareOfAlone: ratio(collecting, alone),
  };
}

/** One episode of 500 steps for each of 201 preferences, with the learner that `psl train` would have. */
async function evaluation(env: string) {
  const learner = await createLearner(planTraining({ env }));
  learner.initialise(random, 0);
  const preferences = simplexGrid(2, 200);
  const workers = new Workers(availableParallelism());
  const pool = await workers.open({ env, seeds: preferences.map(() => 0) });
  const start = performance.now();
  let policyMs = 0;
  const policy = async (observations: Float32Array, weights: Float32Array) => {
    const asked = performance.now();
    const actions = await learner.act(observations, weights);
    policyMs += performance.now() - asked;
    return actions;
  };
  const { steps } = await evaluate(policy, pool, preferences, { discount: 1, criticDiscount: 1, seed: 0, episodes: 1 });
  const elapsed = performance.now() - start;
  await workers.close();
  await learner.dispose();
  return { preferences: preferences.length, steps, seconds: elapsed / 1000, policySeconds: policyMs / 1000 };
}

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;
const machine = { cpu: cpus()[0].model, cores: cpus().length, platform: process.platform, arch: process.arch };
console.log(`node ${process.version}, ${machine.arch}, ${machine.cores} cores (${machine.cpu})`);
console.log(`${environments} environments; medians of ${rounds} rounds of ${seconds} s`);

const block = await learnerBlock();
const robots = [];
for (const [env, robot, frameSkip] of ROBOTS) {
  if (!options.robots.split(',').includes(env)) continue;
  await prepareEnv(env);
  const figures = { env, ...(await stepping(env, robot, frameSkip)), ...(await learning(env, block)) };
  robots.push(figures);
  console.log(
    `${env.padEnd(18)} bare ${figures.bareStepsPerSecond.toFixed(0).padStart(6)}/s; ` +
      `one worker ${figures.oneWorkerStepsPerSecond.toFixed(0).padStart(6)}/s, ${percent(figures.shareOfBare)}; ` +
      `two ${figures.scaling.toFixed(2)} times that (bare loops ${figures.bareScaling.toFixed(2)}); ` +
      `gradient steps ${figures.aloneGradientStepsPerSecond.toFixed(1)}/s alone, ${percent(figures.shareOfAlone)} while collecting`,
  );
}
const evaluated = await evaluation('mo-halfcheetah-v2');
console.log(
  `evaluation of mo-halfcheetah-v2 at ${evaluated.preferences} preferences: ${evaluated.seconds.toFixed(1)} s, ` +
    `of which the policy ${evaluated.policySeconds.toFixed(1)} s`,
);
if (options.json) {
  const settings = { rounds, seconds, environments };
  console.log(
    JSON.stringify({ bench: 'rollout', node: process.version, ...machine, ...settings, robots, evaluation: evaluated }),
  );
}
