import { afterEach, describe, expect, it } from 'vitest';
import { resolveConfig } from '../config/index.js';
import { discrete } from '../envs/index.js';
import { Random } from '../random/index.js';
import { End } from '../rollout/index.js';
import { openDevice } from '../tensor/index.js';
import { ddqn, ddqnFields } from './ddqn.js';
import type { OffPolicyLearner } from './learner.js';

const SMALL = { hidden: [3], hyperHidden: [2], hyperFeatures: 1, selection: 'scalarised', target: 'full' };
// Two groups of one row each. All of Q is zero, so that the error of a row is its reward.
const BATCH = {
  observation: Float32Array.of(1, 2),
  action: Int32Array.of(0, 1),
  reward: Float32Array.of(3, -2, 0.5, 0.25),
  next: Float32Array.of(2, 3),
  terminal: Float32Array.of(0, 1),
  preferences: Float32Array.of(0.25, 0.75, 0.5, 0.5),
};
// Smooth L1 of 3, -2, 0.5 and 0.25.
const VECTOR_LOSS = (2.5 + 1.5 + 0.125 + 0.03125) / 4;

const opened: OffPolicyLearner[] = [];
afterEach(async () => {
  for (const learner of opened.splice(0)) await learner.dispose();
});

async function smallLearner(settings: object): Promise<OffPolicyLearner> {
  const learner = await ddqn(resolveConfig(ddqnFields, SMALL, settings), {
    problem: { observation: 1, actionSpace: discrete(2), objectives: 2, discount: 0.5 },
    device: await openDevice('reference'),
    replicas: 1,
    batch: 2,
    groups: 2,
  });
  opened.push(learner);
  learner.initialise(new Random(1), 0);
  return learner;
}

async function zeroLearner(settings: object): Promise<OffPolicyLearner> {
  const learner = await smallLearner(settings);
  for (const name of learner.state.names) {
    const values = await learner.state.read(name);
    learner.state.write(name, new Float32Array(values.length));
  }
  return learner;
}

async function reportOf(learner: OffPolicyLearner, batch = BATCH) {
  await learner.learn(batch, { progress: 0, update: 1, random: [new Random(2)] });
  await learner.settled?.();
  const { loss, tdError } = learner.diagnostics();
  return { loss: loss[0], tdError: tdError[0] };
}

describe('an update of DDQN', () => {
  it('learns from the error of Q', async () => {
    const { loss, tdError } = await reportOf(await zeroLearner({}));
    expect(loss).toBeCloseTo(VECTOR_LOSS, 6);
    expect(tdError).toBeCloseTo(5.75 / 4, 6);
  });

  it('learns from the error of w.Q too, with its weight', async () => {
    const { loss } = await reportOf(await zeroLearner({ utilityError: 10 }));
    // w.r is 0.75 - 1.5 and 0.25 + 0.125.
    const utilityLoss = (0.75 ** 2 / 2 + 0.375 ** 2 / 2) / 2;
    expect(loss).toBeCloseTo(VECTOR_LOSS + 10 * utilityLoss, 5);
  });

  it('keeps bounded targets within the returns of episodes', async () => {
    const [without, learner] = [
      await zeroLearner({ boundedTargets: true }),
      await zeroLearner({ boundedTargets: true }),
    ];
    // No episode has ended, and nothing is known of returns.
    expect((await reportOf(without)).tdError).toBeCloseTo(5.75 / 4, 6);
    learner.earn!(Float64Array.of(1, -4), Uint8Array.of(End.terminated));
    // 3 is above 1, and 0.25 above 0.
    expect((await reportOf(learner)).tdError).toBeCloseTo((1 + 2 + 0.5 + 0) / 4, 6);
  });

  it('sees observations scaled by their mean and deviation', async () => {
    const [scaled, plain] = [await smallLearner({ normalise: true }), await smallLearner({})];
    // A mean of 6 and a deviation of 2.
    scaled.observe!(Float32Array.of(4, 8));
    const batch = { ...BATCH, observation: Float32Array.of(8, 10), next: Float32Array.of(10, 12) };
    expect(await reportOf(scaled, batch)).toEqual(await reportOf(plain));
    const [rows, w] = [Float32Array.of(2, 6, 10), Float32Array.of(0.1, 0.9, 0.5, 0.5, 0.7, 0.3)];
    expect(await scaled.act(rows, w)).toEqual(await plain.act(Float32Array.of(-2, 0, 2), w));
    expect(scaled.policy).toContain('observations.mean');
  });
});

describe('replicas that differ in settings', () => {
  const VARIED = [
    { learningRate: 0.01, finalLearningRate: 0.5, alpha: 0.3, tau: 0.1, utilityError: 0 },
    { learningRate: 0.001, finalLearningRate: 1, alpha: 0.1, tau: 0.2, utilityError: 5 },
  ];

  it('learn, act and are described as each would be with its settings alone', async () => {
    const twice = (values: Float32Array) => Float32Array.from([...values, ...values]);
    const doubled = {
      observation: twice(BATCH.observation),
      action: Int32Array.from([...BATCH.action, ...BATCH.action]),
      reward: twice(BATCH.reward),
      next: twice(BATCH.next),
      terminal: twice(BATCH.terminal),
      preferences: twice(BATCH.preferences),
    };
    const both = await ddqn(resolveConfig(ddqnFields, SMALL, {}), {
      problem: { observation: 1, actionSpace: discrete(2), objectives: 2, discount: 0.5 },
      device: await openDevice('reference'),
      ...{ replicas: 2, batch: 2, groups: 2, variants: VARIED },
    });
    opened.push(both);
    for (const replica of [0, 1]) both.initialise(new Random(1), replica);
    const alone = await Promise.all(VARIED.map((settings) => smallLearner(settings)));
    for (const update of [1, 2, 3]) {
      await both.learn(doubled, { progress: 0.5, update, random: [new Random(2), new Random(2)] });
      for (const learner of alone) await learner.learn(BATCH, { progress: 0.5, update, random: [new Random(2)] });
    }
    for (const [replica, learner] of alone.entries()) {
      for (const name of learner.state.names) {
        const values = await both.state.read(name);
        const part = values.slice((replica * values.length) / 2, ((replica + 1) * values.length) / 2);
        const own = Array.from(await learner.state.read(name));
        expect(Array.from(part)).toEqual(own.map((value) => expect.closeTo(value, 6) as number));
      }
      expect(both.describe(replica)).toEqual(learner.describe(0));
    }
  });
});
