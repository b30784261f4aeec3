import { Worker } from 'node:worker_threads';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { OnPolicyLearner, OnPolicyOptions, Rollout } from '../src/algorithms/index.js';
import type { PpoConfig } from '../src/algorithms/ppo/ppo.js';

// Threads run compiled code, so everything here is compiled code.

const dist = (path: string): string => new URL(`../dist/src/${path}`, import.meta.url).href;
const { ppo, familyPpoFields, ppoFields } = (await import(
  dist('algorithms/ppo/ppo.js')
)) as typeof import('../src/algorithms/ppo/ppo.js');
const { ppoInThreads } = (await import(
  dist('algorithms/ppo/threads.js')
)) as typeof import('../src/algorithms/ppo/threads.js');
const { registerFamily } = (await import(
  dist('algorithms/family-fields.js')
)) as typeof import('../src/algorithms/family-fields.js');
const { resolveConfig } = (await import(dist('config/index.js'))) as typeof import('../src/config/index.js');
const { cube } = (await import(dist('envs/index.js'))) as typeof import('../src/envs/index.js');
const { Random } = (await import(dist('random/index.js'))) as typeof import('../src/random/index.js');
const { End } = (await import(dist('rollout/index.js'))) as typeof import('../src/rollout/index.js');
const { openDevice } = (await import(dist('tensor/index.js'))) as typeof import('../src/tensor/index.js');

const problem = { observation: 3, actionSpace: cube(2, -1, 1), objectives: 2, discount: 0.99 };
const sizes = { environments: 2, horizon: 64, batch: 8, groups: 1 };
// So many epochs that threads are worth it.
const config: PpoConfig = {
  ...resolveConfig(ppoFields),
  hidden: [8],
  criticHidden: [8],
  epochs: 16,
  stepLimit: 'bootstrapped',
  family: 'independent',
};
const rowsOf = (all: number) => all * sizes.environments * sizes.horizon;

const learners: OnPolicyLearner[] = [];
afterAll(async () => {
  for (const learner of learners) await learner.dispose();
});

async function made(
  make: (config: PpoConfig, options: OnPolicyOptions) => Promise<OnPolicyLearner>,
  device: string,
  seeds: readonly number[],
  settings = config,
): Promise<OnPolicyLearner> {
  const learner = await make(settings, { problem, device: await openDevice(device), replicas: seeds.length, ...sizes });
  seeds.forEach((seed, replica) => learner.initialise(new Random(seed), replica));
  learners.push(learner);
  return learner;
}

/** Of replicas with seeds of their own; episodes end now and then, and some are cut off, a different one in each. */
function rolloutOf(seeds: readonly number[], round: number): Rollout {
  const parts = seeds.map((seed) => {
    const random = new Random(100 * seed + round);
    const { environments, horizon } = sizes;
    return {
      seen: random.fillNormal(new Float32Array(environments * (horizon + 1) * problem.observation)),
      action: random.fillNormal(new Float32Array(rowsOf(1) * 2)),
      reward: random.fillNormal(new Float64Array(rowsOf(1) * 2)),
      end: Uint8Array.from({ length: rowsOf(1) }, (_, i) =>
        i === seed ? End.truncated : i % 21 === 20 ? End.terminated : End.running,
      ),
      preferences: Float32Array.from({ length: environments * 2 }, (_, i) => (i % 2 === 0 ? 0.3 : 0.7)),
      cut: [{ row: seed, seen: random.fillNormal(new Float32Array(problem.observation)) }],
    };
  });
  const joined = <A extends Float32Array | Float64Array | Uint8Array>(
    name: Exclude<keyof (typeof parts)[number], 'cut'>,
    to: A,
  ): A => {
    parts.forEach((part, i) => to.set(part[name], (i * to.length) / parts.length));
    return to;
  };
  const count = seeds.length;
  return {
    seen: joined('seen', new Float32Array(count * parts[0].seen.length)),
    action: joined('action', new Float32Array(count * parts[0].action.length)),
    reward: joined('reward', new Float64Array(count * parts[0].reward.length)),
    end: joined('end', new Uint8Array(count * parts[0].end.length)),
    preferences: joined('preferences', new Float32Array(count * parts[0].preferences.length)),
    cut: parts.map(({ cut }) => cut),
  };
}

const context = (seeds: readonly number[]) => ({ progress: 0.25, random: seeds.map((seed) => new Random(seed)) });

async function stateOf(learner: OnPolicyLearner, replica: number) {
  const { tensors, rest } = await learner.saveReplica(replica);
  return { tensors: Object.fromEntries(tensors), rest };
}

describe('PPO in threads', () => {
  it('learns in each replica what one by itself learns, to the bit', async () => {
    const together = await made(ppoInThreads, 'cpu:2', [5, 6]);
    const alone = [await made(ppo, 'cpu:1', [5]), await made(ppo, 'cpu:1', [6])];
    for (const round of [1, 2, 3]) {
      const ours = context([5, 6]);
      expect(await together.learn(rolloutOf([5, 6], round), ours)).toBe(256);
      for (const [replica, seed] of [5, 6].entries()) {
        const own = context([seed]);
        await alone[replica].learn(rolloutOf([seed], round), own);
        expect(await stateOf(together, replica)).toEqual(await stateOf(alone[replica], 0));
        expect(ours.random[replica].state).toEqual(own.random[0].state);
        for (const [name, [value]] of Object.entries(alone[replica].diagnostics() as Record<string, number[]>)) {
          expect(together.diagnostics()[name][replica], name).toBe(value);
        }
      }
    }
  });

  it("learns with a user's own family too", async () => {
    registerFamily({ name: 'own', summary: 'as residual', shares: (alpha) => ({ base: 1, generated: alpha }) });
    const own = {
      ...resolveConfig(familyPpoFields),
      ...config,
      family: 'own',
      hyperHidden: [2],
      hyperFeatures: 1,
      alpha: 0.5,
    };
    const together = await made(ppoInThreads, 'cpu:2', [5, 6], own);
    const alone = await made(ppo, 'cpu:1', [6], own);
    const post = vi.spyOn(Worker.prototype, 'postMessage');
    await together.learn(rolloutOf([5, 6], 1), context([5, 6]));
    expect(post).toHaveBeenCalledTimes(2);
    post.mockRestore();
    await alone.learn(rolloutOf([6], 1), context([6]));
    expect(await stateOf(together, 1)).toEqual(await stateOf(alone, 0));
  });

  it('goes on from what was saved', async () => {
    const [first, second] = [await made(ppoInThreads, 'cpu:2', [7, 8]), await made(ppoInThreads, 'cpu:2', [1, 2])];
    await first.learn(rolloutOf([7, 8], 1), context([7, 8]));
    for (const name of first.state.names) second.state.write(name, await first.state.read(name));
    second.load(structuredClone(first.save()));
    expect(second.diagnostics()).toEqual(first.diagnostics());
    for (const learner of [first, second]) await learner.learn(rolloutOf([7, 8], 2), context([7, 8]));
    for (const replica of [0, 1]) {
      expect(await stateOf(second, replica)).toEqual(await stateOf(first, replica));
    }
  });

  it('says what went wrong in a thread, and lives on', async () => {
    const learner = await made(ppoInThreads, 'cpu:2', [3, 4]);
    const rollout = rolloutOf([3, 4], 1);
    await expect(learner.learn({ ...rollout, seen: rollout.seen.subarray(2) }, context([3, 4]))).rejects.toThrow();
    expect(await learner.learn(rollout, context([3, 4]))).toBe(256);
  });

  it('says that a thread has died, at once and ever after', async () => {
    const learner = await made(ppoInThreads, 'cpu:2', [3, 4]);
    const rollout = rolloutOf([3, 4], 1);
    await learner.learn(rollout, context([3, 4]));
    // Instead of its next lesson it gets what a thread gets that needs too much memory.
    const post = vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker) {
      void this.terminate();
    });
    const sentence = /^a thread in which PPO learns ended with exit code 1, and its replicas with it\.$/;
    await expect(learner.learn(rollout, context([3, 4]))).rejects.toThrow(sentence);
    post.mockRestore();
    await expect(learner.learn(rollout, context([3, 4]))).rejects.toThrow(sentence);
  });
});
