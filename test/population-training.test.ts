import { describe, expect, it } from 'vitest';
import { toyEnv } from './support/toy.mjs';
import { environmentOf, register } from '../src/envs/index.js';
import { decodeSafetensors, encodeSafetensors, encodeWeights, readModel, type Model } from '../src/model/index.js';
import { dominates } from '../src/pareto/index.js';
import { simplexGrid } from '../src/preferences/index.js';
import { compiledPolicy, isPolicySet, Workers } from '../src/rollout/index.js';
import type { Evaluated, Progress } from '../src/training/definition.js';
import type { TrainingEvents } from '../src/training/loop.js';
import { playMembers } from '../src/training/members.js';
import { planTraining, type TrainingRequest } from '../src/training/plan.js';
import type { Restored, Snapshot } from '../src/training/snapshot.js';
import { train } from '../src/training/train.js';

/** A walk whose episodes have five steps; and one that never earns what the reference point is. */
const [SLOPE, BELOW] = ['test-slope', 'test-slope-below'];
register(toyEnv(environmentOf, SLOPE, { horizon: 5, noise: 0 }));
register(toyEnv(environmentOf, BELOW, { horizon: 5, earns: (_, [push]) => [push - 5, -push * push - 5] }));

const METHODS = ['pg-morl', 'random', 'ra', 'pfa', 'moead', 'meta'];
/** Three tasks of 16 steps an iteration, and seven iterations: generations of 4, 2 and 1. */
const SETTINGS = {
  taskDivisions: 2,
  children: 2,
  horizon: 8,
  batch: 8,
  epochs: 2,
  steps: 7 * 48 + 10,
  warmup: 4,
  generation: 2,
  evaluations: 3,
  evaluationDivisions: 4,
  hidden: [8],
  criticHidden: [8],
};

type Request = Partial<TrainingRequest>;
const planOf = ({ settings = {}, ...request }: Request = {}) =>
  planTraining({
    env: SLOPE,
    algorithm: 'ra',
    device: 'reference',
    workers: 0,
    ...request,
    settings: { ...SETTINGS, ...settings },
  });

/** Trains, takes note of what happens, and gives back everything that the policy sets hold. */
async function trained(request: Request = {}, events: TrainingEvents = {}, from?: Restored) {
  const progress: Progress[] = [];
  const evaluated: Evaluated[] = [];
  const { learner, sets, ...rest } = await train(
    planOf(request),
    {
      progress: (state) => progress.push(state),
      evaluated: (state) => evaluated.push(state),
      ...events,
    },
    from,
  );
  await learner.dispose();
  const policies = sets!.map(({ tensors }) => {
    return Object.fromEntries([...tensors].map(([name, values]) => [name, Array.from(values)]));
  });
  return { ...rest, sets: sets!, policies, progress, evaluated };
}

const membersOf = ({ description }: Model) => description.policy.parameters.members?.count;
const utility = (w: readonly number[], point: readonly number[]) => w.reduce((sum, x, k) => sum + x * point[k], 0);

describe('the training of a population', () => {
  it.each(METHODS)('counts the steps of all tasks: %s', async (algorithm) => {
    const { evaluationSteps, ...training } = await trained({ algorithm });
    const { stopped, envSteps, gradientSteps, progress, evaluated, results } = training;
    // A rollout of 16 steps is gone through twice in batches of 8.
    expect([stopped, envSteps, gradientSteps]).toEqual([false, 7 * 48, 7 * 4 * 3]);
    expect(progress.map((state) => state.envSteps)).toEqual([1, 2, 3, 4, 5, 6, 7].map((i) => 48 * i));
    expect(evaluated.map((state) => state.envSteps)).toEqual([3, 5, 7].map((i) => 48 * i));
    expect(evaluated.at(-1)).toEqual(results[0]);
    // The policies of three tasks are played for five steps before the first iteration and after every one.
    expect(evaluated.map((state) => state.evaluationSteps)).toEqual([4, 6, 8].map((plays) => 3 * 5 * plays));
    expect(evaluationSteps).toEqual([3 * 5 * 8]);
  });

  it.each(METHODS)('ends with policies none of which is better than another: %s', async (algorithm) => {
    const { sets, policies, results } = await trained({ algorithm });
    const [{ returns, score, preferences }] = results;
    expect(membersOf(sets[0])).toBe(returns.length);
    expect(score.points).toBe(returns.length);
    expect(preferences).toHaveLength(returns.length);
    for (const a of returns) for (const b of returns) expect(dominates(a, b)).toBe(false);
    expect(policies[0]['members.returns']).toEqual(returns.flat().map(Math.fround));
  });

  it('never loses what it has found', async () => {
    const { evaluated } = await trained({ algorithm: 'random', settings: { steps: 20 * 48, evaluations: 20 } });
    const volumes = evaluated.map(({ score }) => score.hypervolume);
    expect(volumes).toHaveLength(20);
    volumes.slice(1).forEach((volume, i) => expect(volume).toBeGreaterThanOrEqual(volumes[i]));
  });

  it.each(['pg-morl', 'ra', 'meta'])(
    'learns to push and to be calm, each where it is asked for: %s',
    async (algorithm) => {
      const { results } = await trained({
        algorithm,
        device: 'cpu:1',
        settings: { steps: 40 * 192, horizon: 32, batch: 16, epochs: 4, warmup: 12, generation: 4, learningRate: 0.01 },
      });
      const [{ returns, score }] = results;
      // 5 x (1 + 1) for whoever always pushes up, 5 x 1 for whoever never moves.
      expect(Math.max(...returns.map(([up]) => up))).toBeGreaterThan(8.5);
      expect(Math.max(...returns.map(([, calm]) => calm))).toBeGreaterThan(4.5);
      expect(score.hypervolume).toBeGreaterThan(35);
    },
  );

  it('trains seeds side by side, each as it would alone', async () => {
    const both = await trained({ algorithm: 'pg-morl', replicas: 2, device: 'cpu:1' });
    for (const [replica, seed] of [1, 2].entries()) {
      const { results } = await trained({ algorithm: 'pg-morl', seed, device: 'cpu:1' });
      expect(both.results[replica].score.hypervolume).toBeCloseTo(results[0].score.hypervolume, 3);
      expect(both.evaluationSteps[replica]).toBe(results[0].evaluationSteps);
    }
    expect(both.results[0].score.hypervolume).not.toBeCloseTo(both.results[1].score.hypervolume, 3);
  });

  // Within the warm-up, at the end of it, and within a later generation.
  it.each(METHODS.flatMap((algorithm) => [3, 4, 5].map((after) => [algorithm, after] as const)))(
    'goes on after a checkpoint as if nothing had happened: %s after %i',
    async (algorithm, after) => {
      let taken: Snapshot | undefined;
      let iterations = 0;
      const request = { algorithm, ...(algorithm === 'pg-morl' && { replicas: 2 }) };
      const whole = await trained(request, {
        checkpointDue: () => ++iterations === after,
        checkpoint: (snapshot) => {
          taken = structuredClone(snapshot);
          return Promise.resolve();
        },
      });
      const from = { ...taken!, restoreReplays: () => undefined } as unknown as Restored;
      const resumed = await trained(request, {}, from);
      expect(resumed.policies).toEqual(whole.policies);
      expect(resumed.progress).toEqual(whole.progress.slice(after));
      expect(resumed.results).toEqual(whole.results);
      expect([resumed.envSteps, resumed.gradientSteps]).toEqual([whole.envSteps, whole.gradientSteps]);
    },
  );

  it('has a policy set also where it is stopped at once, or nothing is better than the reference point', async () => {
    const stopped = await trained({}, { shouldStop: () => true });
    expect(stopped).toMatchObject({ stopped: true, envSteps: 48, evaluated: [] });
    expect(membersOf(stopped.sets[0])).toBeGreaterThan(0);
    const below = await trained({ algorithm: 'pg-morl', env: BELOW });
    expect(membersOf(below.sets[0])).toBeGreaterThan(0);
    expect(below.results[0].score.hypervolume).toBe(0);
  });
});

describe('a training whose numbers are no longer finite', () => {
  it('says what is no number any more, and when', async () => {
    await expect(trained({ settings: { learningRate: 1e30 } })).rejects.toThrow(
      /^.* is (?:NaN|-?Infinity) after \d+ environment steps and \d+ gradient steps, so nothing more can be learned/,
    );
  });
});

describe('a policy set', () => {
  it('answers a preference with the member of the largest utility', async () => {
    const { sets, results } = await trained({ algorithm: 'random', settings: { steps: 20 * 48, learningRate: 0.01 } });
    const set = await compiledPolicy(sets[0], 'cpu');
    if (!isPolicySet(set)) throw new Error('not a policy set');
    const [{ returns }] = results;
    expect(set.members).toBeGreaterThan(2);
    const observation = Float32Array.of(0.3);
    const answers = new Set<number>();
    for (const w of simplexGrid(2, 20)) {
      const best = returns.reduce((a, b, i) => (utility(w, b) > utility(w, returns[a]) ? i : a), 0);
      answers.add(best);
      const own = [...(await set.actAs(observation, Int32Array.of(best)))];
      expect([...(await set.act(observation, Float32Array.from(w)))]).toEqual(own);
    }
    expect(answers.size).toBeGreaterThan(1);
    await set.dispose();
  });

  it('is stored and read back as a model, and plays as it did', async () => {
    const plan = planOf({ device: 'cpu:1' });
    const { sets, results } = await trained({ device: 'cpu:1' });
    const model = readModel(JSON.parse(JSON.stringify(sets[0].description)), encodeWeights(sets[0]));
    expect(model).toEqual(sets[0]);
    expect(model.description).toMatchObject({ algorithm: 'ra', objectives: ['Up', 'Calm'] });
    const loaded = await compiledPolicy(model, 'cpu:1');
    if (!isPolicySet(loaded)) throw new Error('not a policy set');
    const workers = new Workers(0);
    const { returns } = await playMembers(plan, loaded, workers);
    await workers.close();
    await loaded.dispose();
    expect(returns).toEqual(results[0].returns);
  });

  it('is refused where a model lacks the returns', async () => {
    const { sets } = await trained();
    const tensors = decodeSafetensors(encodeWeights(sets[0]));
    tensors.delete('members.returns');
    const read = () => readModel(sets[0].description, encodeSafetensors(tensors));
    expect(read).toThrow('model.safetensors lacks "members.returns"');
  });
});
