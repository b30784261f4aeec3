import { afterEach, describe, expect, it } from 'vitest';
import { toyEnv } from '../../test/support/toy.mjs';
import type { OffPolicyLearner } from '../algorithms/index.js';
import { environmentOf, register } from '../envs/index.js';
import { Workers } from '../rollout/index.js';
import { openDevice, State } from '../tensor/index.js';
import { Evaluator } from './evaluation.js';
import { planTraining } from './plan.js';
import type { TrainingPlan } from './plan.js';

/** Three steps, each of which earns its action. Observed are a place, at random at first, and the time. */
const WAGES = 'test-wages';
const DISCOUNT = 0.5;
const wages = toyEnv(environmentOf, WAGES, {
  size: 2,
  bound: 100,
  horizon: 3,
  earns: (_, asked) => asked,
  sees: ({ at: [place], time }) => [place, time],
});
register({ ...wages, discount: DISCOUNT });

const opened: Workers[] = [];
afterEach(async () => {
  for (const workers of opened.splice(0)) await workers.close();
});

/** Rows of all replicas, each answered for by its own function of the observation and the preference. */
function answer(
  s: Float32Array,
  w: Float32Array,
  replicas: number,
  of: (replica: number, s: number[], w: number[]) => number[],
) {
  const rows = w.length / 2;
  const out = Array.from({ length: rows }, (_, row) => {
    const part = (array: Float32Array) => Array.from(array.subarray(2 * row, 2 * row + 2));
    return of(Math.floor((row * replicas) / rows), part(s), part(w));
  });
  return Promise.resolve(Float32Array.from(out.flat()));
}

interface Knowledge {
  readonly pays?: (replica: number, w: number[]) => number[];
  readonly expects?: (replica: number, s: number[], w: number[]) => number;
  readonly replicas?: number;
}

/** A learner that knows what to do and what to expect of it, and learns nothing. */
async function knowing({ pays = (_, w) => w, expects, replicas = 1 }: Knowledge): Promise<OffPolicyLearner> {
  return {
    state: new State(await openDevice('reference')),
    policy: [],
    describe: () => ({
      inputs: ['observation'],
      layers: [2, 2],
      activation: 'relu',
      output: 'normal',
      parameters: { family: 'conditioned', base: { tensors: 'none', share: 1 } },
    }),
    initialise: () => undefined,
    act: (s, w) => answer(s, w, replicas, (replica, _, own) => pays(replica, own)),
    explore: () => 0,
    learn: () => Promise.resolve(),
    ...(expects !== undefined && {
      expected: (s, w) => answer(s, w, replicas, (replica, seen, own) => [expects(replica, seen, own)]),
    }),
    diagnostics: () => ({ loss: [1, 2] }),
    save: () => null,
    load: () => undefined,
    saveReplica: () => Promise.resolve({ tensors: new Map(), rest: null }),
    loadReplica: () => undefined,
    dispose: () => Promise.resolve(),
  };
}

async function scored(learner: OffPolicyLearner, settings: object, replica = 0, replicas = 1) {
  const plan: TrainingPlan = planTraining({ env: WAGES, settings: { evaluationDivisions: 4, ...settings }, replicas });
  const workers = new Workers(0);
  opened.push(workers);
  return (await Evaluator.open(plan, learner, workers)).score(replica);
}

/** 1 + 1/2 + 1/4: what a critic expects of an episode that pays 1 in every step. */
const EPISODE = 1 + DISCOUNT + DISCOUNT ** 2;

describe('what the critic expects of the episodes that are played', () => {
  it('is compared with what they earn, both discounted and times the preference', async () => {
    // At w each step earns w, a utility of w.w; the critic expects 2 everywhere.
    const learner = await knowing({ expects: () => 2 });
    const { diagnostics, returns, score } = await scored(learner, {});
    const utilities = [0, 0.25, 0.5, 0.75, 1].map((w) => EPISODE * (w * w + (1 - w) * (1 - w)));
    const earned = utilities.reduce((sum, x) => sum + x) / 5;
    expect(diagnostics.expectedValue).toBeCloseTo(2, 6);
    expect(diagnostics.earnedValue).toBeCloseTo(earned, 6);
    expect(diagnostics.valueRatio).toBeCloseTo(2 / earned, 6);
    // Returns are plain sums here.
    expect(returns[1]).toEqual([0.75, 2.25]);
    expect(score.points).toBe(5);
  });

  it('is 1 for a critic that is right, also about losses, with more preferences than are asked about at once', async () => {
    const pays = (_: number, [first, second]: number[]) => [7 * first - 5, 3 * second - 1];
    let asked = 0;
    const learner = await knowing({
      pays,
      expects: (_, __, w) => {
        asked++;
        return EPISODE * pays(0, w).reduce((sum, x, k) => sum + w[k] * x, 0);
      },
    });
    const { diagnostics, returns } = await scored(learner, { evaluationDivisions: 300 });
    expect(returns).toHaveLength(301);
    // Twice as many as go in at once: a learner has a program for each number of rows.
    expect(asked).toBe(2 * 256);
    expect(diagnostics.valueRatio).toBeCloseTo(1, 5);
    const some = [3, 299].map((row) => returns[row].map((x) => x / 3));
    const wanted = [3, 299].map((k) => pays(0, [k / 300, 1 - k / 300]));
    some.forEach((pay, i) => pay.forEach((x, k) => expect(x).toBeCloseTo(wanted[i][k], 4)));
  });

  it('is asked at the first observations of the first episodes', async () => {
    const seen: number[][] = [];
    const learner = await knowing({
      expects: (_, s) => {
        seen.push(s);
        return 1;
      },
    });
    await scored(learner, { episodes: 2 });
    // All first episodes have the same seed, and begin at time 0.
    expect(seen).toHaveLength(5);
    expect(new Set(seen.map((s) => s.join())).size).toBe(1);
    expect(seen[0][0]).not.toBe(0);
    expect(seen[0][1]).toBe(0);
  });

  it('belongs to a replica', async () => {
    const learner = await knowing({
      replicas: 2,
      pays: (replica) => [replica + 1, replica + 1],
      expects: (replica) => 10 * (replica + 1) ** 2,
    });
    for (const replica of [0, 1]) {
      const { diagnostics, returns } = await scored(learner, {}, replica, 2);
      expect(diagnostics.valueRatio).toBeCloseTo((10 * (replica + 1)) / EPISODE, 5);
      expect(returns[0]).toEqual([3 * (replica + 1), 3 * (replica + 1)]);
      expect(diagnostics.loss).toBe(replica + 1);
    }
  });

  it('is the same for replicas that play side by side, also where not all of them can', async () => {
    const learner = await knowing({
      replicas: 4,
      pays: (replica, [w]) => [replica + w, 1],
      expects: (replica, _, [w]) => replica + w,
    });
    // 301 preferences, of which 256 are played at a time: with 768 environments that is three replicas at once.
    const settings = { evaluationDivisions: 300 };
    const plan = planTraining({ env: WAGES, settings, replicas: 4 });
    const workers = new Workers(0);
    opened.push(workers);
    const evaluator = await Evaluator.open(plan, learner, workers);
    const together = await evaluator.scoreEach([0, 1, 2, 3]);
    for (const replica of [0, 1, 2, 3]) {
      expect(together[replica]).toEqual(await scored(learner, settings, replica, 4));
      expect(together[replica].returns[150][0]).toBeCloseTo(3 * (replica + 0.5), 5);
    }
  });

  it('has no ratio where nothing was earned, and is nothing at all without a critic', async () => {
    const poor = await scored(await knowing({ pays: () => [0, 0], expects: () => 3 }), {});
    expect(poor.diagnostics).toEqual({ loss: 1, expectedValue: 3, earnedValue: 0, episodeLength: 3 });
    const blind = await scored(await knowing({}), { episodes: 2 });
    expect(blind.diagnostics).toEqual({ loss: 1, episodeLength: 3 });
  });
});
