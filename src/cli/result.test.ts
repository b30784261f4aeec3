import { describe, expect, it } from 'vitest';
import { envInfo } from '../envs/index.js';
import { score } from '../fronts/index.js';
import { openRun, type RunResult } from '../runs/index.js';
import { planTraining, protocolOf } from '../training/index.js';
import { checkLast, resultLines, typedPath } from './result.js';

const preferences = [
  [1, 0],
  [0.5, 0.5],
  [0, 1],
];
/** Above the reference point (-100, 0): at (1, 0) the policy earns 2 of 8, at (0, 1) 7 of 8. */
const returns = [
  [-98, 0],
  [-92, 8],
  [-100, 7],
];

function resultOf(played?: typeof preferences): RunResult {
  const plan = planTraining({ env: 'mo-swimmer-v2' });
  const env = { ...envInfo(plan.env), referencePoint: [-100, 0] };
  return {
    run: 'run',
    ...score(env, 1, preferences, returns, played),
    ceiling: null,
    envSteps: 1,
    gradientSteps: 1,
    evaluationSteps: 1500,
    machine: null,
    seconds: 1,
    stopped: false,
    protocol: protocolOf(plan, 1),
  };
}

describe('resultLines', () => {
  it('say what preferences lose by their own policies, beside what all policies reach together', () => {
    const lines = resultLines(resultOf(preferences)).map((line) => line.trim().replace(/ {2,}/, ': '));
    expect(lines).toContain('hypervolume: 64');
    expect(lines).toContain('regret: 29.2 % on average, 75 % at worst, 33.3 % of preferences below 80 %');
  });

  it('say how many environment steps were played to evaluate, where that is known', () => {
    const result = resultOf();
    expect(resultLines(result).join('\n')).toContain('evaluated for     1500 environment steps more');
    expect(resultLines({ ...result, evaluationSteps: null }).join('\n')).not.toContain('evaluated for');
  });

  it('leave it out where policies do not belong to preferences', () => {
    const { regret, ...others } = resultOf();
    expect(regret).toBeNull();
    expect(resultLines({ ...others, regret }).join('\n')).not.toContain('regret');
  });
});

it('checkLast refuses --last with an exported run, which has one policy set', () => {
  const run = openRun('examples/runs/fruit-tree');
  checkLast(run, false);
  expect(() => checkLast(run, true)).toThrow(
    '--last is true, but must be left out with examples/runs/fruit-tree, which has no policy set but the one that it keeps.',
  );
});

describe('typedPath', () => {
  it('is what a shell reads as the same word', () => {
    expect(typedPath('runs/a-1')).toBe('runs/a-1');
    expect(typedPath('my runs')).toBe('"my runs"');
    expect(typedPath('{"envs":["it\'s"]}')).toBe(`'{"envs":["it'\\''s"]}'`);
  });
});
