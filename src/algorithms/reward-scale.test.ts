import { describe, expect, it } from 'vitest';
import { compile, openDevice, step } from '../tensor/index.js';
import { RewardScale, returnsSpec } from './reward-scale.js';

const RUNNING = 0;
const TERMINATED = 1;
const TRUNCATED = 2;

async function scaleOf(replicas: number, isCentred = false) {
  const program = await compile(
    step({
      state: { scale: returnsSpec(2), centre: returnsSpec(2) },
      inputs: {},
      body: ({ scale, centre }) => ({ outputs: { scale, centre } }),
    }),
    { device: await openDevice('reference'), replicas },
  );
  const names = { scale: 'scale', ...(isCentred && { centre: 'centre' }) };
  const scale = new RewardScale(program.state, names, { objectives: 2, discount: 0.5, replicas });
  for (let replica = 0; replica < replicas; replica++) scale.initialise(replica);
  const read = async (name = 'scale') => Array.from(await program.state.read(name));
  return { scale, read };
}

describe('the scale of rewards', () => {
  it('is one before anything is earned', async () => {
    const { read } = await scaleOf(1);
    expect(await read()).toEqual([1, 1]);
  });

  it('is the deviation of discounted returns, or a fifth of the largest where that is more', async () => {
    const { scale, read } = await scaleOf(1);
    // Two environments, two objectives. Returns so far: 4 and 2 in the first objective, -100 and -100 in the second.
    scale.observe(Float64Array.of(4, -100, 2, -100), Uint8Array.of(RUNNING, TERMINATED));
    // Then 4 / 2 + 6 = 8, and 0 in the one that began anew; -100 / 2 - 50 = -100 and -100.
    scale.observe(Float64Array.of(6, -50, 0, -100), Uint8Array.of(RUNNING, RUNNING));
    // Of 4, 2, 8, 0 the mean is 3.5 and the variance 8.75; of -100 four times 0, but a fifth of 100 is 20.
    const [first, second] = await read();
    expect(first).toBeCloseTo(Math.sqrt(8.75), 5);
    expect(second).toBeCloseTo(20, 5);
  });

  it('is that of each replica, and goes on from what was saved', async () => {
    const [one, other] = [await scaleOf(2), await scaleOf(2)];
    const rewards = Float64Array.of(1, 2, 30, 40);
    const ends = Uint8Array.of(RUNNING, RUNNING);
    one.scale.observe(rewards, ends);
    other.scale.load(structuredClone(one.scale.save()));
    for (const { scale } of [one, other]) scale.observe(rewards, ends);
    const [a, b, c, d] = await one.read();
    // The second return is 1.5 times the first, so the deviation is a quarter of the first.
    expect([a, b, c, d].map((x) => x.toFixed(4))).toEqual(['0.3000', '0.6000', '9.0000', '12.0000']);
    expect(await other.read()).toEqual(await one.read());
  });

  it('is that of what is earned beside the mean reward, with a centre', async () => {
    const { scale, read } = await scaleOf(1, true);
    // Means so far: 4 and 3 of 4 and 2; returns from them 0 and -1.
    scale.observe(Float64Array.of(4, 10, 2, 10), Uint8Array.of(RUNNING, RUNNING));
    // Means 4 and 3 of 6 and 0; returns 0 / 2 + 2 = 2 and -1 / 2 - 3 = -3.5. The second objective always earns its mean.
    scale.observe(Float64Array.of(6, 10, 0, 10), Uint8Array.of(RUNNING, RUNNING));
    const [first, second] = await read();
    // Of 0, -1, 2, -3.5 the mean is -0.625 and the variance 3.921875.
    expect(first).toBeCloseTo(Math.sqrt(3.921875), 5);
    expect(second).toBeCloseTo(1e-4, 6);
    // For ever, with a discount of 0.5: twice the mean.
    expect(await read('centre')).toEqual([6, 20]);
  });

  it('goes on from what was saved with a centre too, whole or a replica of it', async () => {
    const [one, other, each] = [await scaleOf(2, true), await scaleOf(2, true), await scaleOf(2, true)];
    const rewards = Float64Array.of(1, 2, 30, 40);
    // The episodes are over, so that nothing but the statistics goes on.
    one.scale.observe(rewards, Uint8Array.of(TRUNCATED, TRUNCATED));
    other.scale.load(structuredClone(one.scale.save()));
    for (const replica of [0, 1])
      each.scale.loadReplica(replica, structuredClone(one.scale.saveReplica(replica)), false);
    for (const { scale } of [one, other, each]) {
      scale.observe(Float64Array.of(3, 2, 10, 0), Uint8Array.of(RUNNING, RUNNING));
    }
    expect(await one.read('centre')).toEqual([4, 4, 40, 40]);
    for (const { read } of [other, each]) {
      expect(await read()).toEqual(await one.read());
      expect(await read('centre')).toEqual(await one.read('centre'));
    }
  });

  it('has room for the end of an episode, which is far from a centre', async () => {
    const { scale, read } = await scaleOf(1, true);
    scale.observe(Float64Array.of(1, 10), Uint8Array.of(RUNNING));
    scale.observe(Float64Array.of(1, 10), Uint8Array.of(TRUNCATED));
    expect((await read())[1]).toBeCloseTo(1e-4, 6);
    scale.observe(Float64Array.of(1, 10), Uint8Array.of(TERMINATED));
    // 10 and nothing more, where 20 are the centre.
    expect((await read())[1]).toBeCloseTo(10 / 5, 6);
  });
});
