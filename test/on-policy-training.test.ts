import { describe, expect, it } from 'vitest';
import { breakAt, toyEnv } from './support/toy.mjs';
import { environmentOf, register } from '../src/envs/index.js';
import { simplexGrid, subspaces } from '../src/preferences/index.js';
import type { Evaluated, Progress } from '../src/training/definition.js';
import type { TrainingEvents } from '../src/training/loop.js';
import { planTraining, type TrainingRequest } from '../src/training/plan.js';
import type { Restored, Snapshot } from '../src/training/snapshot.js';
import { train } from '../src/training/train.js';

/** A walk whose episodes have five steps, or end before by chance; and one that fails. */
const [LINE, BROKEN] = ['test-line', 'test-broken-line'];
const rules = { horizon: 5, risk: 0.05 };
register(toyEnv(environmentOf, LINE, rules));
register(toyEnv(environmentOf, BROKEN, { ...rules, before: breakAt(12) }));

const SETTINGS = {
  children: 4,
  horizon: 8,
  batch: 16,
  groups: 4,
  epochs: 2,
  steps: 200,
  evaluations: 2,
  evaluationDivisions: 4,
  preferenceDivisions: 20,
  hidden: [8],
  criticHidden: [8],
  hyperHidden: [4],
  hyperFeatures: 2,
};
/** Of 32 steps each in 200. */
const ITERATIONS = 6;

type Request = Partial<TrainingRequest>;
const planOf = ({ settings = {}, ...request }: Request = {}) =>
  planTraining({
    env: LINE,
    algorithm: 'psl-ppo',
    device: 'reference',
    workers: 0,
    ...request,
    settings: { ...SETTINGS, ...settings },
  });

/** Trains, takes note of what happens, and gives back what the learner holds. */
async function trained(request: Request = {}, events: TrainingEvents = {}, from?: Restored) {
  const seen = { evaluated: [] as Evaluated[], progress: [] as Progress[], started: 0 };
  const result = await train(
    planOf(request),
    {
      ...events,
      started: () => seen.started++,
      evaluated: (evaluated) => void seen.evaluated.push(evaluated),
      progress: (progress) => void seen.progress.push(progress),
    },
    from,
  );
  const { state } = result.learner;
  const parameters = new Map<string, number[]>();
  for (const name of state.names) parameters.set(name, Array.from(await state.read(name)));
  await result.learner.dispose();
  return { ...result, ...seen, parameters };
}

describe('a training from rollouts', () => {
  it('takes as many whole rollouts as fit into its steps, and learns from each', async () => {
    const { progress, evaluated, started, envSteps, gradientSteps, stopped } = await trained();
    expect(started).toBe(1);
    // Two batches of 16, twice, in each iteration.
    expect(progress.map((at) => [at.envSteps, at.gradientSteps])).toEqual(
      Array.from({ length: ITERATIONS }, (_, i) => [32 * (i + 1), 4 * (i + 1)]),
    );
    expect([envSteps, gradientSteps, stopped]).toEqual([192, 24, false]);
    expect(evaluated.map((at) => at.envSteps)).toEqual([96, 192]);
    expect(evaluated[1].returns).toHaveLength(5);
    expect(Object.keys(evaluated[1].diagnostics)).toEqual(
      expect.arrayContaining(['policyLoss', 'valueLoss', 'divergence', 'clipped', 'deviation', 'valueRatio']),
    );
  });

  it('is the same for the same seed, and another one for another', async () => {
    const [once, again, other] = [await trained(), await trained(), await trained({ seed: 2 })];
    expect(again.parameters).toEqual(once.parameters);
    expect(again.evaluated).toEqual(once.evaluated);
    expect(other.parameters).not.toEqual(once.parameters);
  });

  it('learns what its objectives are', async () => {
    const sizes = { children: 16, horizon: 16, batch: 64, groups: 8, steps: 7680 };
    const settings = { ...sizes, learningRate: 0.003, epochs: 4, evaluations: 1, episodes: 100 };
    const { results } = await trained({ settings, device: 'cpu:1' });
    // With 4.5 steps in a mean episode: going up all the time earns 9 and 0, staying 4.5 and 4.5.
    const [calm, , , , up] = results[0].returns;
    expect(up[0]).toBeGreaterThan(8.5);
    expect(calm[1]).toBeGreaterThan(4);
    expect(calm[0]).toBeLessThan(6);
  });

  it('trains replicas side by side, each as it would alone', async () => {
    const both = await trained({ replicas: 2, device: 'cpu:1' });
    for (const [replica, seed] of [1, 2].entries()) {
      const { results } = await trained({ seed, device: 'cpu:1' });
      both.results[replica].returns.flat().forEach((x, i) => {
        expect(x).toBeCloseTo(results[0].returns.flat()[i], 3);
      });
    }
  });

  it('goes on after a checkpoint as if nothing had happened', async () => {
    let taken: Snapshot | undefined;
    let iterations = 0;
    const whole = await trained(
      { replicas: 2 },
      {
        checkpointDue: () => ++iterations === 3,
        checkpoint: (snapshot, replays) => {
          expect(replays).toEqual([]);
          taken = structuredClone(snapshot);
          return Promise.resolve();
        },
      },
    );
    const resumed = await trained({ replicas: 2 }, {}, taken as unknown as Restored);
    expect(resumed.parameters).toEqual(whole.parameters);
    expect(resumed.progress).toEqual(whole.progress.slice(3));
    expect(resumed.results).toEqual(whole.results);
    expect([resumed.envSteps, resumed.gradientSteps]).toEqual([whole.envSteps, whole.gradientSteps]);
  });

  it('shows what it is at when it is stopped, and takes a checkpoint', async () => {
    let checkpoints = 0;
    const { stopped, envSteps, results, evaluated } = await trained(
      {},
      { shouldStop: () => true, checkpoint: () => Promise.resolve(void (checkpoints += 1)) },
    );
    expect([stopped, envSteps, checkpoints, evaluated.length]).toEqual([true, 32, 1, 0]);
    expect(results[0].returns).toHaveLength(5);
  });

  it('names the preference at which an environment failed', async () => {
    const parts = subspaces(simplexGrid(2, 20), 4);
    const message = await trained({ env: BROKEN }).then(
      () => 'nothing went wrong',
      (error: unknown) => (error as Error).message,
    );
    const [, first] = /^test-broken-line failed at step \d of an episode at preference \[([\d.]+), /.exec(message)!;
    expect(parts[0].some(([w]) => Math.abs(w - Number(first)) < 1e-6)).toBe(true);
  });
});
