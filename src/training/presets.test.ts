import { describe, expect, it } from 'vitest';
import { algorithm, algorithmNames, checkFit } from '../algorithms/index.js';
import { cube, discrete, envInfo, type EnvInfo } from '../envs/index.js';
import { gridSize } from '../preferences/index.js';
import { settingsOf } from './plan.js';
import { presetFor, type PresetName } from './presets.js';

/** An environment that nobody has published anything about. */
function environment(kind: 'discrete' | 'continuous', objectives: number, more: Partial<EnvInfo> = {}): EnvInfo {
  return {
    id: 'somewhere',
    summary: 'Somewhere.',
    objectives: Array.from({ length: objectives }, (_, k) => ({ name: `Objective ${k}` })),
    actionSpace: kind === 'discrete' ? discrete(3) : cube(2, -1, 1),
    options: {},
    horizon: 50,
    discount: 0.99,
    discountedReturns: false,
    referencePoint: new Array<number>(objectives).fill(0),
    ...more,
  };
}

function settings(preset: PresetName, name: string, env: EnvInfo) {
  const method = algorithm(name);
  return presetFor(preset, method, env, Object.keys(settingsOf(method))).settings;
}

describe('presetFor', () => {
  it('gives an environment that nobody published anything about the settings of its kind', () => {
    const some = { batch: 256, groups: 8, truncationIsTerminal: false };
    expect(settings('quick', 'psl-ddqn', environment('discrete', 2))).toMatchObject({ ...some, steps: 16_000 });
    expect(settings('best', 'envelope', environment('discrete', 4))).toMatchObject({ ...some, steps: 60_000 });
    const noAngle = { criticAngle: 0, actorAngle: 0, normalise: true };
    const continuous = environment('continuous', 2, { horizon: 1000 });
    expect(settings('quick', 'psl-td3', continuous)).toMatchObject({ ...some, ...noAngle, steps: 60_000 });
    expect(settings('best', 'pd-td3', continuous)).toMatchObject({ ...some, ...noAngle, steps: 1_000_000 });
    expect(settings('quick', 'pg-morl', continuous)).toMatchObject({ steps: 600_000, horizon: 512 });
  });

  it('gives a small problem of control small networks, and few steps', () => {
    const small = { criticNorm: 'layer', hidden: [64, 64], criticHidden: [64, 64], batch: 64 };
    expect(settings('quick', 'psl-td3', environment('continuous', 2))).toMatchObject({ ...small, steps: 20_000 });
    expect(settings('best', 'psl-sac', environment('continuous', 2))).toMatchObject({ ...small, steps: 200_000 });
    // Twice as many numbers to choose in an episode as the limit has.
    const larger = { criticNorm: 'layer', hidden: [256, 256], batch: 256, steps: 60_000 };
    expect(settings('quick', 'psl-td3', environment('continuous', 2, { horizon: 1000 }))).toMatchObject(larger);
    expect(settings('paper', 'psl-td3', environment('continuous', 2))).toMatchObject({ batch: 256 });
  });

  it('needs no key solutions in best and quick, and asks for them in paper', () => {
    for (const preset of ['best', 'quick'] as const) {
      expect(settings(preset, 'psl-ddqn', environment('discrete', 3)).selection).toBe('scalarised');
      expect(settings(preset, 'psl-td3', environment('continuous', 3))).toMatchObject({ criticAngle: 0 });
    }
    expect(settings('paper', 'psl-td3', environment('continuous', 3))).not.toHaveProperty('criticAngle');
  });

  it.each(['best', 'quick'] as const)(
    '%s gives SAC the critics of TD3, and a temperature for scaled returns',
    (preset) => {
      const [td3, sac] = ['psl-td3', 'psl-sac'].map((name) => settings(preset, name, environment('continuous', 2)));
      const { saturation: _, saturationFrom: __, targetCritics: ___, exploration: ____, ...shared } = td3;
      expect(sac).toEqual({ ...shared, temperature: 0.01 });
    },
  );

  it('has a larger budget where episodes are longer than those that it is made for', () => {
    const steps = (name: string, env: EnvInfo) => settings('quick', name, env).steps;
    expect(steps('psl-ddqn', environment('discrete', 2, { horizon: 100 }))).toBe(16_000);
    expect(steps('psl-ddqn', environment('discrete', 2, { horizon: 500 }))).toBe(80_000);
    expect(steps('psl-td3', environment('continuous', 2, { horizon: 1000 }))).toBe(60_000);
    expect(steps('psl-td3', environment('continuous', 2, { horizon: 2500 }))).toBe(150_000);
    const own = [{ presets: ['quick'], settings: { steps: 7 } }] as const;
    expect(steps('psl-ddqn', environment('discrete', 2, { horizon: 500, settings: own }))).toBe(7);
    expect(settings('paper', 'psl-td3', environment('continuous', 2, { horizon: 2500 })).steps).toBe(10_000_000);
  });

  it.each([2, 3, 4, 6, 8, 12])('evaluates a grid of few preferences with %i objectives', (objectives) => {
    for (const kind of ['discrete', 'continuous'] as const) {
      const env = environment(kind, objectives);
      const fitting = algorithmNames().filter((name) => {
        const { actions, mostObjectives = Infinity } = algorithm(name);
        return actions.includes(kind) && mostObjectives >= objectives;
      });
      for (const name of fitting) {
        expect(() => checkFit(algorithm(name), env)).not.toThrow();
        for (const preset of ['best', 'quick'] as const) {
          const { evaluationDivisions = 10, preferenceDivisions = 0 } = settings(preset, name, env);
          expect(gridSize(objectives, evaluationDivisions as number)).toBeLessThanOrEqual(3003);
          expect(gridSize(objectives, preferenceDivisions as number)).toBeLessThanOrEqual(1_000_000);
        }
      }
    }
  });

  it('lets what an environment says of itself count over what holds for its kind', () => {
    const own = {
      horizon: 1000,
      settings: [
        { presets: ['best'], settings: { alpha: 0.2, tau: 0.5 }, options: { start: 'left' } },
        { presets: ['best'], algorithms: ['psl-td3'], settings: { tau: 0.25 } },
        { presets: ['best'], algorithms: ['population'], settings: { warmup: 3 } },
      ],
    } as const;
    const env = environment('continuous', 2, own);
    expect(settings('best', 'psl-td3', env)).toMatchObject({ alpha: 0.2, tau: 0.25, batch: 256 });
    expect(settings('best', 'pd-td3', env)).toMatchObject({ alpha: 0.2, tau: 0.5 });
    expect(settings('best', 'ra', env)).toMatchObject({ warmup: 3 });
    expect(settings('quick', 'psl-td3', env)).toMatchObject({ alpha: 0.05 });
    expect(presetFor('best', algorithm('ra'), env, []).env).toEqual({ start: 'left' });
    expect(presetFor('quick', algorithm('ra'), env, []).env).toEqual({});
  });

  it('has the published settings of single environments', () => {
    const of = (name: string, env: string) => settings('paper', name, envInfo(env));
    expect(of('psl-ddqn', 'fruit-tree-d7')).toMatchObject({ alpha: 0.1, target: 'fused' });
    expect(of('psl-ddqn', 'fruit-tree-d6')).not.toHaveProperty('alpha');
    expect(of('pd-ddqn', 'deep-sea-treasure')).toMatchObject({ preferenceDivisions: 100, evaluationDivisions: 100 });
    expect(of('psl-td3', 'mo-hopper-v2')).toMatchObject({ alpha: 0.03, policyDelay: 20, batch: 256 });
    expect(of('psl-td3', 'mo-swimmer-v2')).toMatchObject({ alpha: 0.01, keySteps: 1_000_000 });
    expect(of('pg-morl', 'mo-hopper-v3')).toMatchObject({ steps: 120_000_000, taskDivisions: 4, sparsityWeight: 1e6 });
    const { env } = presetFor('paper', algorithm('ra'), envInfo('mo-humanoid-v2'), []);
    expect(env).toEqual({ resetNoise: 'none' });
  });
});
