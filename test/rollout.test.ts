import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { Random } from '../src/random/index.js';
import type { EnvPool, Workers } from '../src/rollout/index.js';
import aWalk, { Deed } from './support/walk-env.mjs';

// Worker threads run compiled code, so everything here is compiled code. What a pool should do is tested beside the
// sources, in one thread; here, that workers do the same, and what happens when they cannot.

const dist = (path: string): string => new URL(`../dist/node/${path}`, import.meta.url).href;
const rollout = (await import(dist('rollout/index.js'))) as typeof import('../src/rollout/index.js');
const random = (await import(dist('random/index.js'))) as typeof import('../src/random/index.js');
const { EnvFault, evaluate, Order } = rollout;

const envs = (await import(dist('envs/index.js'))) as typeof import('../src/envs/index.js');
const walk = new URL('./support/walk-env.mjs', import.meta.url).href;
await envs.importEnvs(walk);
const seeds = Array.from({ length: 7 }, (_, i) => 100 + i);

const started: Workers[] = [];
afterEach(async () => {
  for (const workers of started.splice(0)) await workers.close();
});

function start(count: number, timeout?: number): Workers {
  const workers = new rollout.Workers(count, { timeout });
  started.push(workers);
  return workers;
}

/** For tests in which nothing goes wrong: as many workers as their index says, none being this thread. */
const shared = [0, 1, 2, 3].map((count) => new rollout.Workers(count));
afterAll(() => Promise.all(shared.map((workers) => workers.close())));

const openPools = (env: string, counts: readonly number[]): Promise<EnvPool[]> =>
  Promise.all(counts.map((count) => shared[count].open({ env, seeds })));

function drawActions({ actions, shape }: EnvPool, from: Random): void {
  // Two is as many actions as each of the discrete environments has.
  if (shape.discrete) for (let i = 0; i < actions.length; i++) actions[i] = from.integer(2);
  else from.fillUniform(actions as Float32Array, -1, 1);
}

async function step(pool: EnvPool): Promise<void> {
  pool.begin();
  await pool.finish();
}

/** Everything that a pool shares with its workers, bit for bit. */
const bytesOf = ({ buffer }: EnvPool): Buffer => Buffer.from(new Uint8Array(buffer));

describe.each([
  ['fruit-tree-d6', 3000],
  ['deep-sea-treasure', 3000],
  ['test-walk', 3000],
  ['mo-hopper-v2', 100],
  ['mo-halfcheetah-v2', 100],
] as const)('workers that step %s', (env, steps) => {
  it('compute the same as this thread, bit for bit, however many there are', async () => {
    const [expected, ...pools] = await openPools(env, [0, 1, 2, 3]);
    const draws = new random.Random(1);
    for (let i = 0; i < steps; i++) {
      drawActions(expected, draws);
      const row = draws.integer(seeds.length);
      expected.orders[row] = draws.integer(3);
      expected.seeds[row] = i;
      for (const pool of pools) {
        pool.actions.set(expected.actions);
        pool.orders.set(expected.orders);
        pool.seeds.set(expected.seeds);
      }
      await Promise.all([expected, ...pools].map(step));
      const bytes = bytesOf(expected);
      for (const pool of pools) if (!bytesOf(pool).equals(bytes)) expect.fail(`a difference at step ${i}`);
    }
  });

  it('go on from what others saved, bit for bit', async () => {
    const [first, second] = await openPools(env, [3, 2]);
    const draws = new random.Random(2);
    for (let i = 0; i < 50; i++) {
      drawActions(first, draws);
      await step(first);
    }
    await second.restore(await first.save());
    expect(second.observations).toEqual(first.observations);
    for (let i = 0; i < 100; i++) {
      drawActions(first, draws);
      second.actions.set(first.actions);
      await Promise.all([step(first), step(second)]);
      for (const name of ['observations', 'next', 'rewards', 'ends'] as const) {
        expect(second[name]).toEqual(first[name]);
      }
    }
  });
});

describe('workers', () => {
  it('hold several pools, which can be under way at once', async () => {
    const [alone, walks] = await openPools('test-walk', [0, 3]);
    const trees = await shared[3].open({ env: 'fruit-tree-d5', seeds: [1] });
    for (let i = 0; i < 200; i++) {
      walks.begin();
      trees.begin();
      await trees.finish();
      await walks.finish();
      // The other two workers are woken for nothing, and may still be awake when the next request comes.
      expect(await trees.save()).toHaveLength(1);
      expect(await walks.save()).toHaveLength(7);
      await step(alone);
    }
    expect(bytesOf(walks)).toEqual(bytesOf(alone));
    await trees.close();
    await Promise.all([step(walks), step(alone)]);
    expect(bytesOf(walks)).toEqual(bytesOf(alone));
  });

  it('can be more than there are environments', async () => {
    const [alone, pool] = await Promise.all(
      [0, 3].map((count) => shared[count].open({ env: 'test-walk', seeds: [5] })),
    );
    for (let i = 0; i < 100; i++) await Promise.all([step(pool), step(alone)]);
    expect(bytesOf(pool)).toEqual(bytesOf(alone));
  });

  it('find the same returns of a policy set, however many there are', async () => {
    const preferences = Array.from({ length: 20 }, (_, i) => [i / 19, 1 - i / 19]);
    const policy = (observations: Float32Array, weights: Float32Array) =>
      Promise.resolve(observations.map((x, i) => Math.tanh(weights[i] - 0.3 * x)));
    const options = { discount: 0.9, criticDiscount: 0.8, seed: 4, episodes: 3 };
    const [expected, ...others] = await Promise.all(
      (await openPools('test-walk', [0, 1, 2, 3])).map((pool) => evaluate(policy, pool, preferences, options)),
    );
    expect(expected.steps).toBeGreaterThan(20 * 3);
    for (const found of others) expect(found).toEqual(expected);
  });

  it('wait for a thread that is busy with something else for longer than they may be', async () => {
    const pool = await start(2, 0.05).open({ env: 'test-walk', seeds });
    const before = pool.observations.slice();
    const isDone = (): boolean => before.every((x, i) => x !== pool.observations[i]);
    pool.begin();
    const finished = pool.finish();
    const end = performance.now() + 100;
    while (performance.now() < end || !isDone());
    await finished;
  });

  it('do not keep a program from ending that forgets to close them, nor let it end while it waits for them', async () => {
    const program = `
      import { Workers } from ${JSON.stringify(dist('rollout/index.js'))};
      const pool = await new Workers(2).open({ env: 'deep-sea-treasure', seeds: [1, 2, 3] });
      for (let i = 0; i < 100; i++) {
        pool.begin();
        await pool.finish();
      }
      console.log('all steps taken');
    `;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
    expect(stdout).toBe('all steps taken\n');
  });
});

describe('what goes wrong in a worker', () => {
  it('names the environment, its row and step if one fails: the first of several', async () => {
    const workers = start(3);
    const [[alone], pool] = [await openPools('test-walk', [0]), await workers.open({ env: 'test-walk', seeds })];
    for (let i = 0; i < 3; i++) await Promise.all([step(alone), step(pool)]);
    const faults = [];
    for (const each of [alone, pool]) {
      // Rows of different workers.
      for (const row of [6, 3]) each.actions[2 * row] = Deed.throw;
      each.begin();
      faults.push(await each.finish().catch((error: unknown) => error));
    }
    for (const fault of faults) {
      expect(fault).toBeInstanceOf(EnvFault);
      expect(fault).toMatchObject({ env: 'test-walk', row: 3, step: 4 });
      expect((fault as Error).message).toBe(
        'test-walk failed at step 4 of an episode (environment 3): The simulation broke.',
      );
    }
    await expect(pool.save()).rejects.toThrow('The simulation broke.');
    await expect(workers.open({ env: 'test-walk', seeds })).rejects.toThrow('The simulation broke.');
  });

  it('names the preference too in an evaluation', async () => {
    const pool = await start(2).open({ env: 'test-walk', seeds: [1, 2] });
    const policy = (_: Float32Array, weights: Float32Array) =>
      Promise.resolve(weights.map((weight) => (weight === 0.75 ? Number.NaN : 0)));
    const preferences = [
      [0.5, 0.5],
      [1, 0],
      [0.25, 0.75],
    ];
    const found = evaluate(policy, pool, preferences, { discount: 1, criticDiscount: 1, seed: 1, episodes: 1 });
    await expect(found).rejects.toThrow(
      /^test-walk failed at step 1 of an episode at preference \[0.25, 0.75\] \(environment [01]\): action\[1\] is NaN/,
    );
  });

  it('is that it ends', async () => {
    const workers = start(2);
    const [pool, other] = [
      await workers.open({ env: 'test-walk', seeds }),
      await workers.open({ env: 'test-walk', seeds }),
    ];
    pool.actions[2 * 6] = Deed.exit;
    pool.begin();
    const reason = 'worker 2 of 2 ended with exit code 3, and its environments with it.';
    await expect(pool.finish()).rejects.toThrow(reason);
    await expect(pool.restore([])).rejects.toThrow(reason);
    other.begin();
    await expect(other.finish()).rejects.toThrow(reason);
    await pool.close();
  });

  it('is that it does not answer', async () => {
    const pool = await start(2, 1).open({ env: 'test-walk', seeds });
    pool.actions[0] = Deed.hang;
    pool.begin();
    await expect(pool.finish()).rejects.toThrow(
      'worker 1 of 2 with environments 0 to 2 of test-walk did not answer within 1 s.',
    );
  });

  it('is that it cannot make the environments', async () => {
    const workers = start(2);
    envs.register({ ...aWalk, id: 'test-here-alone' });
    await expect(workers.open({ env: 'test-here-alone', seeds })).rejects.toThrow(
      'test-here-alone is not known to worker threads: add it with importEnvs, or use no workers.',
    );
    const pool = await workers.open({ env: 'fruit-tree-d5', seeds });
    await expect(workers.open({ env: 'fruit-tree-d5', seeds: [1, 2, 3, -1] })).rejects.toThrow('seed is -1');
    await step(pool);
  });

  it('is that the module of an environment cannot be imported there', async () => {
    const module = `
      import { isMainThread } from 'node:worker_threads';
      import walk from '${walk}';
      if (!isMainThread) throw new Error('No threads, please.');
      export default { ...walk, id: 'test-main-thread' };`;
    await envs.importEnvs(`data:text/javascript,${encodeURIComponent(module)}`);
    await expect(start(2).open({ env: 'test-main-thread', seeds })).rejects.toThrow('No threads, please.');
  });

  it('is nothing if it is closed in the middle of a step', async () => {
    const workers = start(2);
    const pool = await workers.open({ env: 'test-walk', seeds });
    pool.actions[0] = Deed.hang;
    pool.begin();
    const finished = pool.finish();
    const refused = expect(finished).rejects.toThrow('these workers were closed; make new ones.');
    await workers.close();
    await refused;
  });
});

it('a worker leaves an idle environment as it is and resets another with its seed', async () => {
  const pool = await shared[2].open({ env: 'test-walk', seeds: [1, 2] });
  const before = pool.observations.slice();
  pool.orders.set([Order.idle, Order.reset]);
  pool.seeds[1] = 1;
  await step(pool);
  expect(Array.from(pool.observations)).toEqual([...before.subarray(0, 2), ...before.subarray(0, 2)]);
});
