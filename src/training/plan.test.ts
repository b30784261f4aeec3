import { describe, expect, it } from 'vitest';
import { algorithm, algorithmNames, checkFit, type Algorithm } from '../algorithms/index.js';
import { continuous, envIds, envInfo, register, type EnvInfo } from '../envs/index.js';
import { fruitTree } from '../envs/fruit-tree.js';
import { isOffPolicy, replicaPlan, replicasText } from './definition.js';
import { planTraining, type TrainingRequest } from './plan.js';
import { presetNames } from './presets.js';

function fits(method: Algorithm, info: EnvInfo): boolean {
  try {
    checkFit(method, info);
    return true;
  } catch {
    return false;
  }
}

describe('planTraining', () => {
  const builtin = envIds();
  it('takes the quick preset and seed 1 of an algorithm that fits where nothing else is asked for', () => {
    const plan = planTraining({ env: 'fruit-tree-d6' });
    expect(plan).toMatchObject({ preset: 'quick', seed: 1, replicas: 1, device: 'cpu' });
    expect(plan.algorithm.name).toBe('psl-ddqn');
    expect(plan.envOptions).toEqual({ encoding: 'path' });
  });

  it.each(['fruit-tree-d6', undefined, {}, { env: 5 }])('refuses %j, which names no environment', (request) => {
    expect(() => planTraining(request as never)).toThrow(/^env is (?:missing|5), but must be the name/);
  });

  it('lets settings and options count over those of the preset', () => {
    const plan = planTraining({
      env: 'fruit-tree-d5',
      preset: 'paper',
      settings: { steps: 7, alpha: 0.5 },
      envOptions: { encoding: 'scaled' },
    });
    expect(plan.config).toMatchObject({ steps: 7, alpha: 0.5 });
    expect(plan.envOptions).toEqual({ encoding: 'scaled' });
  });

  it('has settings that go together in every preset of every algorithm on every environment', () => {
    for (const env of builtin) {
      const fitting = algorithmNames().filter((name) => fits(algorithm(name), envInfo(env)));
      for (const name of fitting) {
        for (const preset of presetNames) {
          const plan = planTraining({ env, algorithm: name, preset });
          if (isOffPolicy(plan)) expect(plan.config.learnAfter).toBeLessThan(plan.config.steps);
        }
      }
    }
  });

  it('has a replica for every seed with every combination of values of the settings that vary', () => {
    const plan = planTraining({
      env: 'mo-swimmer-v2',
      algorithm: 'psl-td3',
      seed: 5,
      replicas: 2,
      settings: { tau: 0.5 },
      vary: { learningRate: [0.001, 0.01], tau: [0.1, 0.2] },
    });
    expect(plan.replicas).toBe(8);
    expect(plan.variants?.map(({ seed, settings }) => [seed, settings.learningRate, settings.tau])).toEqual([
      [5, 0.001, 0.1],
      [6, 0.001, 0.1],
      [5, 0.001, 0.2],
      [6, 0.001, 0.2],
      [5, 0.01, 0.1],
      [6, 0.01, 0.1],
      [5, 0.01, 0.2],
      [6, 0.01, 0.2],
    ]);
    expect(replicasText(plan)).toBe('seeds 5 to 6, learningRate 0.001 and 0.01, tau 0.1 and 0.2');

    const alone = planTraining({
      env: 'mo-swimmer-v2',
      algorithm: 'psl-td3',
      seed: 6,
      settings: { learningRate: 0.01, tau: 0.1 },
    });
    expect(replicaPlan(plan, 5)).toEqual(alone);
  });

  it('has a replica for every variant that is spelled out, with every combination of what varies', () => {
    const plan = planTraining({
      env: 'mo-swimmer-v2',
      algorithm: 'psl-td3',
      seed: 5,
      variants: [{ tau: 0.1 }, { alpha: 0.3, tau: 0.2 }],
      vary: { learningRate: [0.001, 0.01] },
    });
    expect(plan.replicas).toBe(4);
    expect(plan.variants).toEqual([
      { seed: 5, settings: { tau: 0.1, learningRate: 0.001 } },
      { seed: 5, settings: { tau: 0.1, learningRate: 0.01 } },
      { seed: 5, settings: { alpha: 0.3, tau: 0.2, learningRate: 0.001 } },
      { seed: 5, settings: { alpha: 0.3, tau: 0.2, learningRate: 0.01 } },
    ]);
  });

  it('tells variants apart by all their settings where some of them leave a setting as it is', () => {
    const request = { env: 'mo-swimmer-v2', algorithm: 'psl-td3', replicas: 2 };
    expect(replicasText(planTraining({ ...request, variants: [{ alpha: 0.05, tau: 0.01 }, { alpha: 0.2 }] }))).toBe(
      'seeds 1 to 2, alpha 0.05 with tau 0.01, alpha 0.2',
    );
    expect(replicasText(planTraining({ ...request, variants: [{ tau: 0.01 }, { tau: 0.02 }] }))).toBe(
      'seeds 1 to 2, tau 0.01 and 0.02',
    );
  });

  it('takes a single value to vary over as a setting of all replicas', () => {
    const request = { env: 'mo-swimmer-v2', algorithm: 'psl-td3', replicas: 2 };
    expect(planTraining({ ...request, vary: { tau: [0.1] } })).toEqual(
      planTraining({ ...request, settings: { tau: 0.1 } }),
    );
  });

  it('counts the seeds, and not the replicas, up to the largest seed', () => {
    const last = { env: 'mo-swimmer-v2', algorithm: 'psl-td3', seed: 2 ** 32 - 2, replicas: 2 };
    expect(planTraining({ ...last, vary: { tau: [0.1, 0.2] } }).replicas).toBe(4);
    expect(() => planTraining({ ...last, replicas: 3, vary: { tau: [0.1, 0.2] } })).toThrow(
      'seed is 4294967294, but must be an integer from 0 to 4294967293.',
    );
  });

  it('takes PPO where the bounds of actions are not alike on both sides, which TD3 needs', () => {
    const valve = { ...fruitTree(5), id: 'valve', actionSpace: continuous([0], [1]), settings: [] };
    register(valve);
    expect(planTraining({ env: 'valve' }).algorithm.name).toBe('psl-ppo');
    expect(() => planTraining({ env: 'valve', algorithm: 'psl-td3' })).toThrow(
      'algorithm is "psl-td3", which learns actions between -x and x, but valve has other bounds and needs one of: psl-ppo.',
    );
  });

  it('refuses an environment that speaks of a setting that no algorithm has', () => {
    const misspelt = [{ presets: ['best'], settings: { learningrate: 1 } }] as const;
    register({ ...fruitTree(5), id: 'misspelt', settings: misspelt });
    expect(() => planTraining({ env: 'misspelt' })).toThrow(
      'setting of misspelt is "learningrate" (did you mean "learningRate"?), but must be one of: ',
    );
  });

  it.each<[TrainingRequest, string | RegExp]>([
    [
      { env: 'fruit-tree-d4' },
      'environment is "fruit-tree-d4" (did you mean "fruit-tree-d5"?), but must be one of: fruit-tree-d5, ',
    ],
    [{ env: 'fruit-tree-d5', algorithm: 'psl-dqn' }, 'algorithm is "psl-dqn" (did you mean "psl-ddqn"?)'],
    [
      { env: 'mo-ant-v2', algorithm: 'envelope' },
      'algorithm is "envelope", which learns discrete actions, but mo-ant-v2 has continuous actions and needs one of: psl-td3, pd-td3, psl-sac, psl-ppo',
    ],
    [{ env: 'fruit-tree-d5', device: 'tpu' }, 'device is "tpu" (did you mean "'],
    [{ env: 'fruit-tree-d5', seed: -1 }, 'seed is -1, but must be an integer from 0 to 4294967295.'],
    [{ env: 'fruit-tree-d5', seed: 0.5 }, 'seed is 0.5, but must be an integer from 0 to 4294967295.'],
    [{ env: 'fruit-tree-d5', replicas: 0 }, 'replicas is 0, but must be an integer from 1 to 1000.'],
    [{ env: 'fruit-tree-d5', replicas: 1.5 }, 'replicas is 1.5, but must be an integer from 1 to 1000.'],
    [
      { env: 'mo-swimmer-v2', algorithm: 'psl-td3', vary: { policyDelay: [2, 4] } },
      /^vary is "policyDelay", but must be one of: .*\blearningRate, .*; other settings change the program itself\.$/,
    ],
    [
      { env: 'mo-swimmer-v2', algorithm: 'psl-td3', vary: { tau: [0.1, 2] } },
      'tau is 2, but must be a number above 0 and at most 1.',
    ],
    [
      { env: 'mo-swimmer-v2', algorithm: 'psl-td3', vary: { tau: [0.1, 0.1] } },
      'vary tau is [0.1, 0.1], but must be at least one value, and none of them twice.',
    ],
    [
      { env: 'mo-swimmer-v2', algorithm: 'psl-td3', vary: { tau: [] } },
      'vary tau is [], but must be at least one value, and none of them twice.',
    ],
    [
      { env: 'mo-swimmer-v2', algorithm: 'psl-td3', variants: [{ tau: 0.1 }, { policyDelay: 4 }] },
      /^variant is "policyDelay", but must be one of: .*; other settings change the program itself\.$/,
    ],
    [
      {
        env: 'mo-swimmer-v2',
        algorithm: 'psl-td3',
        variants: [
          { tau: 0.1, alpha: 0.2 },
          { alpha: 0.2, tau: 0.1 },
        ],
      },
      'variant is "alpha=0.2,tau=0.1", but must be given once.',
    ],
    [
      { env: 'mo-swimmer-v2', algorithm: 'psl-ppo', vary: { learningRate: [0.1, 0.2] } },
      'vary is "learningRate", but must be left out: replicas of psl-ppo can differ in no setting.',
    ],
    [{ env: 'fruit-tree-d5', settings: { batch: 32, groups: 3 } }, 'groups is 3, but must divide batch, which is 32.'],
    [
      { env: 'mo-swimmer-v2', algorithm: 'pg-morl', settings: { warmup: 13, generation: 4 } },
      'warmup is 13, but must be a multiple of generation, which is 4.',
    ],
    [{ env: 'fruit-tree-d5', settings: { steps: 0 } }, 'steps is 0, but must be an integer of at least 1.'],
    [
      { env: 'fruit-tree-d5', settings: { stepps: 1 } },
      'setting is "stepps" (did you mean "steps"?), but must be one of',
    ],
    [
      { env: 'fruit-tree-d5', settings: { hidden: [100_000, 100_000] } },
      'hidden is [100000, 100000], but must be a list of integers from 1 to 4096.',
    ],
    [
      { env: 'fruit-tree-d5', settings: { batch: 1e9 } },
      'batch is 1000000000, but must be an integer from 1 to 65536.',
    ],
    [
      { env: 'fruit-tree-d5', settings: { capacity: 1e12 } },
      'capacity is 1000000000000, but must be an integer from 1 to 10000000.',
    ],
    [
      { env: 'fruit-tree-d5', settings: { evaluationDivisions: 50 } },
      'evaluationDivisions is 50, but must be so small that 6 objectives have at most 1000000 preferences.',
    ],
    [{ env: 'fruit-tree-d5', envOptions: { encoding: 'x' } }, 'option encoding of fruit-tree-d5 is "x", but must be'],
  ])('refuses %j', (request, message) => {
    expect(() => planTraining(request)).toThrow(message);
  });
});
