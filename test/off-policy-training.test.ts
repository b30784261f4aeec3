import { describe, expect, it } from 'vitest';
import { breakAt, toyEnv } from './support/toy.mjs';
import { environmentOf, register } from '../src/envs/index.js';
import { simplexGrid, subspaces } from '../src/preferences/index.js';
import type { Evaluated, Progress } from '../src/training/definition.js';
import { planTraining } from '../src/training/plan.js';
import type { TrainingRequest } from '../src/training/plan.js';
import type { Trained, TrainingEvents } from '../src/training/loop.js';
import { train } from '../src/training/train.js';

/** A walk whose episodes have ten steps; one whose episodes end by chance; and one that breaks in its 30th step. */
const [WALK, RISKY, BROKEN] = ['test-walk', 'test-risky-walk', 'test-broken-walk'];
const HORIZON = 10;
register(toyEnv(environmentOf, WALK, { horizon: HORIZON }));
register(toyEnv(environmentOf, RISKY, { horizon: HORIZON, risk: 0.2 }));
register(toyEnv(environmentOf, BROKEN, { horizon: HORIZON, before: breakAt(30) }));

/** Poor ones, which a policy that does nothing beats. */
const KEYS = [
  [1, 1],
  [1, 1],
  [1, 1],
];
const SETTINGS = {
  children: 2,
  steps: 100,
  evaluations: 2,
  evaluationDivisions: 4,
  startSteps: 10,
  learnAfter: 20,
  batch: 8,
  groups: 4,
  hidden: [8],
  criticHidden: [8],
  hyperHidden: [4],
  hyperFeatures: 2,
  policyDelay: 2,
  // As published, which the preset has otherwise.
  criticAngle: 1,
  actorAngle: 10,
  keyUpdates: 1,
  normalise: false,
  criticNorm: 'none',
  rewardScale: false,
  atoms: 0,
  preferenceDivisions: 20,
  targetCritics: 'actor',
  truncationIsTerminal: true,
  keep: 'last',
};

type Request = Partial<TrainingRequest>;
function planOf({ settings = {}, ...request }: Request = {}) {
  return planTraining({
    env: WALK,
    device: 'reference',
    workers: 0,
    keys: KEYS,
    ...request,
    settings: { ...SETTINGS, ...settings },
  });
}

/** Trains, takes note of what happens, and gives back what the learner holds. */
async function trained(request: Request = {}, events: TrainingEvents = {}) {
  const seen = { evaluated: [] as Evaluated[], progress: [] as Progress[], keys: [] as number[][], started: 0 };
  const result: Trained = await train(planOf(request), {
    ...events,
    started: () => seen.started++,
    evaluated: (evaluated) => void seen.evaluated.push(evaluated),
    progress: (progress) => void seen.progress.push(progress),
    keyProgress: (done, all) => void seen.keys.push([done, all]),
  });
  const { state, policy, keys } = result.learner;
  const parameters = new Map<string, number[]>();
  for (const name of policy) parameters.set(name, Array.from(await state.read(name)));
  await result.learner.dispose();
  return { ...result, ...seen, parameters, keyReturns: keys?.map((own) => own.returns) };
}

const messageOf = (request: Request) =>
  trained(request).then(
    () => 'nothing went wrong',
    (error: unknown) => (error as Error).message,
  );

describe('a training', () => {
  it('takes its steps, learns once for each, and evaluates as often as it is told to', async () => {
    const { evaluated, progress, started, envSteps, gradientSteps, evaluationSteps, stopped } = await trained({
      settings: { keyUpdates: null },
    });
    expect(started).toBe(1);
    // The first update is made when 20 transitions are there, while the next step is taken.
    expect(evaluated.map(({ envSteps: steps, gradientSteps: updates }) => [steps, updates])).toEqual([
      [50, 30],
      [100, 80],
    ]);
    // Five preferences are played for an episode each.
    expect(evaluated.map((each) => each.evaluationSteps)).toEqual([5 * HORIZON, 2 * 5 * HORIZON]);
    expect(evaluationSteps).toEqual([2 * 5 * HORIZON]);
    expect(progress.map(({ envSteps: steps }) => steps)).toEqual(Array.from({ length: 50 }, (_, i) => 2 * (i + 1)));
    expect({ envSteps, gradientSteps, stopped }).toEqual({ envSteps: 100, gradientSteps: 80, stopped: false });
    for (const name of ['criticLoss', 'actorLoss', 'criticGradient', 'twinGap', 'tdError', 'saturated', 'valueRatio']) {
      expect(evaluated[1].diagnostics[name]).toEqual(expect.any(Number));
    }
    expect(evaluated[1].diagnostics.episodeLength).toBe(HORIZON);
  });

  it('stops when it is told to, and shows what it is at', async () => {
    let asked = 0;
    const { results, stopped, envSteps } = await trained(
      { settings: { keyUpdates: null } },
      { shouldStop: () => ++asked === 3 },
    );
    expect({ stopped, envSteps }).toEqual({ stopped: true, envSteps: 6 });
    expect(results).toMatchObject([{ replica: 0, envSteps: 6, gradientSteps: 0 }]);
    expect(results[0].returns).toHaveLength(5);
  });

  it.each([
    ['between evaluations', 52],
    ['where an evaluation is due', 100],
  ])('that keeps its best policy set and has one stops %s without another evaluation', async (_, steps) => {
    let iterations = 0;
    const { evaluated, results, evaluationSteps, stopped, envSteps } = await trained(
      { settings: { keyUpdates: null, keep: 'best' } },
      { shouldStop: () => 2 * (iterations + 1) >= steps, checkpointDue: () => ++iterations < 0 },
    );
    expect({ stopped, envSteps, evaluationSteps }).toEqual({ stopped: true, envSteps: steps, evaluationSteps: [50] });
    expect(evaluated).toHaveLength(1);
    expect(results).toEqual(evaluated);
  });
});

describe('key preferences', () => {
  const PLAY = 3 * 3 * HORIZON;

  it.each([
    // Each child finishes five episodes: after the second, third, fourth and fifth of both.
    [1, 4],
    // After the second and the fourth.
    [2, 2],
    [4, 1],
    [null, 0],
  ])('are played every %s episodes, which are steps too: %s times', async (keyUpdates, times) => {
    const { evaluated, envSteps, keyReturns } = await trained({ settings: { keyUpdates } });
    expect(envSteps).toBe(100 + times * PLAY);
    expect(evaluated.at(-1)!.envSteps).toBe(envSteps);
    const isBetter = keyReturns![0].map(([a, b]) => a > 1 || b > 1);
    expect(isBetter).toEqual(new Array(3).fill(times > 0));
  });

  it('are not played where there is no angle to guide', async () => {
    const { envSteps, keyReturns } = await trained({ settings: { criticAngle: 0, actorAngle: 0 } });
    expect({ envSteps, keyReturns }).toEqual({ envSteps: 100, keyReturns: undefined });
  });

  it('can be trained first, one learner for each, whose steps are counted', async () => {
    const settings = { keys: 'trained', keySteps: 250, keyUpdates: null };
    const { keys, evaluated, envSteps, evaluationSteps, started, progress, keyReturns } = await trained({
      keys: undefined,
      device: 'cpu:1',
      settings,
    });
    expect(started).toBe(1);
    expect(keys[0]).toEqual([3, 750]);
    expect(keys.at(-1)).toEqual([750, 750]);
    expect(evaluated.map((each) => each.envSteps)).toEqual([800, 850]);
    expect(envSteps).toBe(850);
    // The policy of each of three keys is played once for ten episodes at all of them.
    expect(evaluationSteps).toEqual([3 * 3 * 10 * HORIZON + 2 * 5 * HORIZON]);
    // What is shown of the progress is that of the loop, which has `steps` to go.
    expect(progress.at(-1)!.envSteps).toBe(100);
    // No return is outside of what ten steps can earn.
    expect(keyReturns![0]).toHaveLength(3);
    for (const [up, calm] of keyReturns![0]) {
      expect(Math.min(up, calm)).toBeGreaterThanOrEqual(0);
      expect(up).toBeLessThanOrEqual(20);
      expect(calm).toBeLessThanOrEqual(10);
    }
  });

  it('are not trained where they are given', async () => {
    const { keys, envSteps } = await trained({ settings: { keys: 'trained', keySteps: 300, keyUpdates: null } });
    expect({ keys, envSteps }).toEqual({ keys: [], envSteps: 100 });
  });

  it('that are trained can be stopped, and then there is no training', async () => {
    let asked = 0;
    const settings = { keys: 'trained', keySteps: 300, keyUpdates: null };
    const stopped = trained({ keys: undefined, settings }, { shouldStop: () => ++asked === 20 });
    await expect(stopped).rejects.toThrow('stopped while its key solutions were trained, before there is a policy.');
    expect(asked).toBe(20);
  });
});

describe('replicas', () => {
  it('are trained as if each were alone, with episodes and key updates of its own', async () => {
    const request = { env: RISKY, settings: { normalise: true } };
    const both = await trained({ ...request, replicas: 2, seed: 5 });
    for (const replica of [0, 1]) {
      const alone = await trained({ ...request, seed: 5 + replica });
      const own = both.evaluated.filter((each) => each.replica === replica);
      expect(own.map((each) => each.envSteps)).toEqual(alone.evaluated.map((each) => each.envSteps));
      for (const [name, values] of alone.parameters) {
        const all = both.parameters.get(name)!;
        const part = all.slice(replica * values.length, (replica + 1) * values.length);
        const apart = Math.max(...values.map((value, i) => Math.abs(value - part[i])));
        expect(apart).toBeLessThan(1e-4);
      }
    }
    const last = [0, 1].map((replica) => both.evaluated.filter((each) => each.replica === replica).at(-1)!.envSteps);
    expect(last[0]).not.toBe(last[1]);
  });
});

describe('a training that cannot go on', () => {
  const parts = subspaces(simplexGrid(2, 20, { floatExact: true }), 2);

  it('says in which environment, at which step and at which preference', async () => {
    // Two children take 29 steps: two episodes of ten, and nine steps of the third.
    const message = await messageOf({ env: BROKEN, settings: { evaluations: 1, keyUpdates: null } });
    const found =
      /^test-broken-walk failed at step 10 of an episode at preference \[(.+), (.+)\] \(environment 0\): The simulation broke\.$/.exec(
        message,
      );
    expect(found).not.toBeNull();
    const preference = found!.slice(1).map(Number);
    expect(parts[0].map((w) => w.map((x) => Number(x.toFixed(2))))).toContainEqual(preference);
  });

  it('says so too where a policy is only played', async () => {
    // Five preferences, six episodes each: the first environment breaks in its 30th step there.
    const message = await messageOf({
      env: BROKEN,
      settings: { steps: 20, episodes: 6, evaluations: 1 },
    });
    expect(message).toMatch(
      /^test-broken-walk failed at step 10 of an episode at preference \[0, 1\] \(environment 0\): /,
    );
  });

  it('says so when a policy is no longer made of numbers', async () => {
    const settings = { learningRate: 1e38, criticLearningRate: 1e38, startSteps: 0 };
    const message = await messageOf({ settings, device: 'cpu:1' });
    expect(message).toMatch(
      /^(?:\w+Loss|an action for test-walk .*) is NaN after \d+ environment steps and \d+ gradient steps, .* such as learningRate=0\.0003 and criticLearningRate=0\.0003\.$/,
    );
  });

  it('refuses what does not fit before anything has started', async () => {
    let started = false;
    const plan = { ...planOf(), config: { ...planOf().config, children: 30 } };
    await expect(train(plan, { started: () => void (started = true) })).rejects.toThrow(
      'children is 30, but must be an integer from 1 to 21',
    );
    expect(started).toBe(false);
  });
});
