import { availableParallelism } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { toyEnv } from '../../test/support/toy.mjs';
import { environmentOf, makeEnv, prepareEnv, register } from '../envs/index.js';
import type { Environment } from '../envs/index.js';
import { Random } from '../random/index.js';
import { threadsOf } from '../tensor/index.js';
import { defaultWorkers, End, EnvFault, evaluate, inferenceDevice, Order, Workers } from './index.js';
import type { Act, EnvPool, Evaluation, EvaluationOptions, Played } from './index.js';

// Here the environments are stepped in this thread; test/rollout.test.ts holds workers to the same results.

const SEEDS = [11, 12, 13, 14, 15];
const opened: Workers[] = [];
afterEach(async () => {
  for (const workers of opened.splice(0)) await workers.close();
});

async function openPool(env: string, seeds: readonly number[] = SEEDS): Promise<EnvPool> {
  const workers = new Workers(0);
  opened.push(workers);
  return workers.open({ env, seeds });
}

/** A walk with episodes of random length, which breaks when it is pushed by 13. */
const WALK = 'test-walk';
register(
  toyEnv(environmentOf, WALK, {
    size: 2,
    horizon: 20,
    noise: 1,
    risk: 0.05,
    before(_, push) {
      if (push === 13) throw new Error('The simulation broke.');
    },
  }),
);

/** The next action of an environment, written into its row. */
function draw(env: Environment, random: Random, actions: EnvPool['actions'], row: number): number | Float32Array {
  if (env.actionSpace.kind === 'discrete') return (actions[row] = random.integer(env.actionSpace.n));
  const action = random.fillUniform(new Float32Array(env.actionSpace.low.length), -1, 1);
  actions.set(action, row * action.length);
  return action;
}

const rowOf = (array: Float32Array | Float64Array, row: number, width: number): number[] =>
  Array.from(array.subarray(row * width, (row + 1) * width));

describe.each(['fruit-tree-d5', 'deep-sea-treasure', WALK])('a pool of %s', (id) => {
  it('does what its environments do one by one, and begins a new episode where one ends', async () => {
    await prepareEnv(id);
    const pool = await openPool(id);
    const { observation: width, objectives } = pool.shape;
    const envs = SEEDS.map(() => makeEnv(id));
    let seen = envs.map((env, row) => env.reset({ seed: SEEDS[row] }).observation);
    const random = new Random(1);
    const ends = { running: 0, terminated: 0, truncated: 0 };
    for (let i = 0; i < 500; i++) {
      envs.forEach((_, row) => expect(rowOf(pool.observations, row, width)).toEqual(Array.from(seen[row])));
      const actions = envs.map((env, row) => draw(env, random, pool.actions, row));
      pool.begin();
      await pool.finish();
      seen = envs.map((env, row) => {
        const { observation, reward, terminated, truncated } = env.step(actions[row]);
        const end = terminated ? 'terminated' : truncated ? 'truncated' : 'running';
        ends[end]++;
        expect(rowOf(pool.next, row, width)).toEqual(Array.from(observation));
        expect(rowOf(pool.rewards, row, objectives)).toEqual(Array.from(reward));
        expect(pool.ends[row]).toBe(End[end]);
        return end === 'running' ? observation : env.reset().observation;
      });
    }
    expect(ends.running).toBeGreaterThan(0);
    expect(ends.terminated + ends.truncated).toBeGreaterThan(50);
  });
});

it('a pool leaves idle environments as they are and resets those that are ordered to', async () => {
  const pool = await openPool(WALK, [1, 2, 3]);
  const start = pool.observations.slice();
  pool.orders.set([Order.idle, Order.step, Order.reset]);
  pool.seeds[2] = 1;
  pool.begin();
  await pool.finish();
  const [idle, stepped, reset] = [0, 1, 2].map((row) => rowOf(pool.observations, row, 2));
  expect(idle).toEqual(rowOf(start, 0, 2));
  expect(stepped).toEqual(rowOf(pool.next, 1, 2));
  expect(reset).toEqual(rowOf(start, 0, 2));
  expect(rowOf(pool.rewards, 0, 2)).toEqual([0, 0]);
  expect(rowOf(pool.rewards, 2, 2)).toEqual([0, 0]);
  expect(Array.from(pool.ends)).toEqual([0, 0, 0]);
  expect(Array.from(pool.orders)).toEqual([Order.idle, Order.step, Order.step]);
});

it('a pool goes on from saved states as if nothing had happened', async () => {
  const [pool, other] = [await openPool(WALK), await openPool(WALK, [0, 0, 0, 0, 0])];
  const step = async (each: EnvPool, random: Random): Promise<void> => {
    random.fillUniform(each.actions as Float32Array, -1, 1);
    each.begin();
    await each.finish();
  };
  const random = new Random(1);
  for (let i = 0; i < 30; i++) await step(pool, random);
  await other.restore(await pool.save());
  expect(other.observations).toEqual(pool.observations);
  for (let i = 0; i < 100; i++) {
    await step(other, random.clone());
    await step(pool, random);
    for (const name of ['observations', 'next', 'rewards', 'ends'] as const) expect(other[name]).toEqual(pool[name]);
  }
});

describe('an environment that fails', () => {
  it('is named with its row and step, and its preference where the caller adds it', async () => {
    const pool = await openPool(WALK);
    for (let i = 0; i < 3; i++) {
      pool.begin();
      await pool.finish();
    }
    const step = (await pool.save())[2].step + 1;
    pool.actions.fill(13, 2 * 2);
    pool.begin();
    const fault = await pool.finish().catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(EnvFault);
    expect(fault).toMatchObject({
      env: WALK,
      row: 2,
      step,
      message: `test-walk failed at step ${step} of an episode (environment 2): The simulation broke.`,
    });
    expect((fault as EnvFault).at([0.25, 0.75]).message).toBe(
      `test-walk failed at step ${step} of an episode at preference [0.25, 0.75] (environment 2): ` +
        'The simulation broke.',
    );
    expect(() => pool.begin()).toThrow('The simulation broke.');
    await expect(pool.save()).rejects.toThrow('The simulation broke.');
  });

  it.each([
    ['its first episode', 0],
    ['an episode', 1],
    ['an episode that is ordered', 2],
  ])('is named at the start of %s', async (_, episode) => {
    const id = `test-start-${episode}`;
    const entry = toyEnv(environmentOf, id, { horizon: 2 });
    let starts = 0;
    const thrown: unknown = 'no licence file';
    const make: typeof entry.make = (options) => {
      const env = entry.make(options);
      const resetInto: typeof env.resetInto = (...args) => {
        if (starts++ === episode) throw thrown;
        env.resetInto(...args);
      };
      return { ...env, resetInto };
    };
    register({ ...entry, make });
    const play = async () => {
      const pool = await openPool(id, [1]);
      for (let step = 0; step < 3; step++) {
        if (episode === 2 && starts === 2) pool.orders[0] = Order.reset;
        pool.begin();
        await pool.finish();
      }
    };
    await expect(play()).rejects.toThrow(`${id} failed at the start of an episode (environment 0): no licence file`);
  });

  it('is named where an action is not a number', async () => {
    const pool = await openPool(WALK, [1]);
    pool.actions[1] = Number.NaN;
    pool.begin();
    await expect(pool.finish()).rejects.toThrow('action[1] is NaN at step 1 of test-walk, but must be a number.');
  });
});

describe('a pool that is used wrongly', () => {
  it('says which call was out of order', async () => {
    const pool = await openPool('fruit-tree-d5', [1]);
    await expect(pool.finish()).rejects.toThrow('finish() of a pool of fruit-tree-d5 was called before begin().');
    pool.begin();
    expect(() => pool.begin()).toThrow('begin() of a pool of fruit-tree-d5 was called while a step was under way.');
    await expect(pool.save()).rejects.toThrow(
      'save() of a pool of fruit-tree-d5 was called while a step was under way.',
    );
    await pool.finish();
    await pool.close();
    await pool.close();
    expect(() => pool.begin()).toThrow('this pool of fruit-tree-d5 was closed; open a new one.');
  });

  it('refuses states that are not one for each environment, or of another one', async () => {
    const pool = await openPool('fruit-tree-d5', [1, 2]);
    const [state] = await pool.save();
    await expect(pool.restore([state])).rejects.toThrow(
      'states has 1 entries, but must have one for each of 2 environments.',
    );
    await expect(pool.restore([state, { ...state, env: 'deep-sea-treasure' }])).rejects.toThrow(
      'state.env is deep-sea-treasure, but must be fruit-tree-d5.',
    );
  });

  it('is not even opened with bad arguments', async () => {
    expect(() => new Workers(-1)).toThrow('workers is -1, but must be an integer of at least 0.');
    expect(() => new Workers(0, { timeout: 0 })).toThrow('timeout is 0, but must be a positive number of seconds.');
    await expect(openPool('fruit-tree-d5', [])).rejects.toThrow('seeds is empty, but must have an entry for each');
    await expect(openPool('fruit-tree')).rejects.toThrow('environment is "fruit-tree"');
    await expect(openPool('fruit-tree-d5', [-1])).rejects.toThrow('seed is -1');
    await opened[0].close();
    await expect(opened[0].open({ env: 'fruit-tree-d5', seeds: [1] })).rejects.toThrow('these workers were closed');
  });
});

it('defaultWorkers gives workers only to environments whose steps take longer than waking one', () => {
  expect(defaultWorkers('fruit-tree-d6', 10, undefined)).toBe(0);
  expect(defaultWorkers('mo-swimmer-v2', 1, undefined)).toBe(1);
  expect(defaultWorkers('mo-swimmer-v2', 10_000, undefined)).toBe(availableParallelism());
  expect(defaultWorkers('mo-swimmer-v2', 10_000, 10_000)).toBe(availableParallelism());
});

it('defaultWorkers gives none to a training that may have one thread', () => {
  expect(defaultWorkers('mo-swimmer-v2', 10, threadsOf('cpu:1'))).toBe(0);
  expect(threadsOf('cpu:16')).toBe(16);
  expect(threadsOf('cpu')).toBeUndefined();
  expect(threadsOf('gpu')).toBeUndefined();
});

it('what was trained with products of 16-bit numbers acts where what was trained on a GPU does', async () => {
  expect(await inferenceDevice('gpu-mixed')).toBe(await inferenceDevice('gpu'));
  expect(await inferenceDevice('cpu:1')).toBe('cpu:1');
});

it('defaultWorkers gives none to an environment that only this thread knows', () => {
  expect(defaultWorkers(WALK, 10, undefined)).toBe(0);
});

describe('an evaluation', () => {
  const preferences = Array.from({ length: 11 }, (_, i) => [i / 10, 1 - i / 10]);
  const options = { discount: 0.9, criticDiscount: 0.5, seed: 3, episodes: 3 };

  /** Goes where the preference says, and back the further it is. */
  const policy: Act = (observations, weights) =>
    Promise.resolve(observations.map((x, i) => Math.tanh(weights[i] - 0.2 * x)));

  /** The same without a pool: one preference after the other. */
  async function evaluatePlainly({ discount, criticDiscount, seed, episodes }: EvaluationOptions): Promise<Evaluation> {
    const env = makeEnv(WALK);
    const result = {
      returns: [] as number[][],
      steps: 0,
      stepsAt: preferences.map(() => 0),
      first: { starts: new Float32Array(22), returns: [] as number[][] },
    };
    for (const [i, preference] of preferences.entries()) {
      result.returns[i] = [0, 0];
      result.first.returns[i] = [0, 0];
      for (let episode = 0; episode < episodes; episode++) {
        let { observation } = env.reset(episode === 0 ? { seed } : {});
        if (episode === 0) result.first.starts.set(observation, 2 * i);
        for (let [t, isOver] = [0, false]; !isOver; t++) {
          const step = env.step(await policy(observation, Float32Array.from(preference)));
          for (let k = 0; k < 2; k++) {
            result.returns[i][k] += (discount ** t * step.reward[k]) / episodes;
            if (episode === 0) result.first.returns[i][k] += criticDiscount ** t * step.reward[k];
          }
          ({ observation } = step);
          isOver = step.terminated || step.truncated;
          result.steps++;
          result.stepsAt[i]++;
        }
      }
    }
    return result;
  }

  const rounded = ({ returns, steps, stepsAt, first }: Evaluation) => ({
    returns: returns.map((point) => point.map((x) => Number(x.toPrecision(12)))),
    steps,
    stepsAt,
    starts: first.starts,
    firstReturns: first.returns.map((point) => point.map((x) => Number(x.toPrecision(12)))),
  });

  it.each([1, 4, 11, 16])(
    'with %i environments finds what playing one preference after the other does',
    async (size) => {
      const pool = await openPool(WALK, new Array<number>(size).fill(0));
      const expected = await evaluatePlainly(options);
      expect(rounded(await evaluate(policy, pool, preferences, options))).toEqual(rounded(expected));
    },
  );

  it('says after every step how many episodes are over, and how far the others are', async () => {
    const pool = await openPool(WALK, [0, 0, 0]);
    const seen: Played[] = [];
    const { steps } = await evaluate(policy, pool, preferences, { ...options, watch: (now) => seen.push({ ...now }) });
    expect(seen[0]).toEqual({ episodes: 0, running: 0 });
    expect(seen[1]).toEqual({ episodes: 0, running: 3 });
    expect(seen.at(-1)).toEqual({ episodes: 3 * preferences.length, running: 0 });
    expect(seen.every(({ running }) => running >= 0 && running <= steps)).toBe(true);
  });

  it('is broken off by what watches it, and can be repeated with the same pool', async () => {
    const pool = await openPool(WALK, [1, 2, 3]);
    const whole = await evaluate(policy, pool, preferences, options);
    let left = 7;
    const watch = () => {
      if (--left === 0) throw new Error('Enough.');
    };
    await expect(evaluate(policy, pool, preferences, { ...options, watch })).rejects.toThrow('Enough.');
    expect(await evaluate(policy, pool, preferences, options)).toEqual(whole);
  });

  it('can be repeated with the same pool', async () => {
    const pool = await openPool(WALK, [1, 2, 3]);
    const first = await evaluate(policy, pool, preferences, options);
    await evaluate(policy, pool, preferences.slice(0, 2), { ...options, seed: 4 });
    expect(await evaluate(policy, pool, preferences, options)).toEqual(first);
  });

  it('of a thousand preferences asks the policy for as many rows as there are environments', async () => {
    const pool = await openPool('fruit-tree-d5', new Array<number>(64).fill(0));
    const many = Array.from({ length: 1001 }, (_, i) => [i / 1000, 1 - i / 1000, 0, 0, 0, 0]);
    let calls = 0;
    const left: Act = (observations, weights) => {
      calls++;
      expect([observations.length, weights.length]).toEqual([64 * 2, 64 * 6]);
      return Promise.resolve(new Int32Array(64));
    };
    const { returns, steps } = await evaluate(left, pool, many, { ...options, discount: 1 });
    expect(steps).toBe(1001 * 3 * 5);
    expect(calls).toBeLessThan(16 * (3 * 5 + 1));
    expect(new Set(returns.map(String)).size).toBe(1);
  });
});
