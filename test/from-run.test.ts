/** Trainings that begin with what a run has learned: extended, or fine-tuned in another environment. */
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { commands } from '../src/cli/commands.js';
import { psl } from '../src/cli/psl.js';
import { capture } from '../src/cli/terminal.js';
import { environmentOf, register } from '../src/envs/index.js';
import {
  exportRun,
  loadModel,
  openRun,
  originOf,
  planFromRun,
  readReturns,
  resumeRun,
  trainRun,
} from '../src/runs/index.js';
import { planTraining } from '../src/training/index.js';
import type { Evaluated, TrainingRequest } from '../src/training/index.js';
import { callsOf } from './support/calls.js';
import { contentsOf } from './support/run-folders.js';
import { temporaryFolder } from './support/temporary-folder.js';
import { toyEnv } from './support/toy.mjs';

const { call, result } = callsOf({ psl, commands, capture });
const folder = temporaryFolder('from');

/** A walk, one with the same shape that earns ten times as much, and one with more numbers. */
const [WALK, RICH, WIDE] = ['test-walk', 'test-rich-walk', 'test-wide-walk'];
register(toyEnv(environmentOf, WALK));
register(toyEnv(environmentOf, RICH, { earns: (_, [push]) => [10 + 10 * push, 10 - 10 * push * push] }));
register(toyEnv(environmentOf, WIDE, { size: 3 }));

/** Those that an algorithm does not have are left out. */
const SETTINGS = { steps: 60, children: 2, evaluations: 2, evaluationDivisions: 4, batch: 8, groups: 4, hidden: [6] };
const FAMILY = { hyperHidden: [4], hyperFeatures: 2 };
const REPLAY = { startSteps: 4, learnAfter: 10, learningRate: 0.01 };
const CRITICS = { criticHidden: [6], criticAngle: 0, actorAngle: 0, criticLearningRate: 0.01 };
const TRAININGS: Readonly<Record<string, Pick<TrainingRequest, 'env' | 'settings'>>> = {
  'psl-ddqn': { env: 'deep-sea-treasure', settings: { ...FAMILY, ...REPLAY, boundedTargets: true, keep: 'best' } },
  envelope: { env: 'deep-sea-treasure', settings: { ...REPLAY, keep: 'last' } },
  'psl-td3': {
    env: WALK,
    settings: { ...FAMILY, ...REPLAY, ...CRITICS, normalise: true, averaging: 0.1, policyDelay: 2, keep: 'best' },
  },
  'psl-sac': {
    env: WALK,
    settings: { ...FAMILY, ...REPLAY, ...CRITICS, normalise: true, rewardScale: true, keep: 'last' },
  },
  'psl-ppo': { env: WALK, settings: { ...FAMILY, criticHidden: [6], horizon: 8, epochs: 2, keep: 'best' } },
};

const parentOf = (algorithm: string) => join(folder, algorithm);

beforeAll(async () => {
  for (const [algorithm, { env, settings }] of Object.entries(TRAININGS)) {
    const plan = planTraining({ env, algorithm, workers: 0, device: 'cpu:1', settings: { ...SETTINGS, ...settings } });
    await trainRun(plan, { out: parentOf(algorithm) });
  }
});

/** What a training measured before its first update, and all its numbers in the end. */
async function trainFrom(parent: string, out: string, changes: Partial<TrainingRequest> = {}) {
  const plan = await planFromRun(parent, { workers: 0, ...changes });
  const evaluated: Evaluated[] = [];
  const { runs } = await trainRun(plan, { out, events: { evaluated: (one) => evaluated.push(one) } });
  return { plan, first: evaluated[0], evaluated, trained: runs[0] };
}

describe.each(Object.keys(TRAININGS))('a training of %s that begins with a run', (algorithm) => {
  it('begins with its policies, counts its steps, goes on learning, and leaves it as it is', async () => {
    const parent = parentOf(algorithm);
    const before = contentsOf(parent);
    const run = openRun(parent);
    const out = join(folder, `${algorithm}-extended`);
    const { first, plan, trained } = await trainFrom(parent, out);
    expect(first.returns).toEqual(readReturns(run).returns);
    expect(first).toMatchObject({ envSteps: run.result.envSteps, gradientSteps: run.result.gradientSteps });
    expect(trained.envSteps).toBe(2 * run.result.envSteps);
    expect(trained.gradientSteps).toBeGreaterThan(run.result.gradientSteps);
    expect(openRun(out).plan.from).toEqual({ ...plan.from, run: algorithm });
    expect(contentsOf(parent)).toEqual(before);
  });
});

describe('a training that begins with a run', () => {
  const parent = parentOf('psl-ddqn');

  it('has the tensors of the run until its first update', async () => {
    const out = join(folder, 'unlearned');
    await trainFrom(parent, out, { settings: { learnAfter: 1000, keep: 'last' } });
    expect(loadModel(openRun(out)).tensors).toEqual(loadModel(openRun(parent)).tensors);
    const [own, its] = [out, parent].map((run) => readFileSync(join(run, 'learner.safetensors')));
    expect(own.equals(its)).toBe(true);
  });

  it('gives the same bytes again, wherever the run lies', async () => {
    const [elsewhere, once, again] = ['psl-ddqn', 'once', 'again'].map((name) => join(folder, 'elsewhere', name));
    cpSync(parent, elsewhere, { recursive: true });
    await trainFrom(parent, once);
    await trainFrom(elsewhere, again);
    expect(contentsOf(again)).toEqual(contentsOf(once));
    expect((await planFromRun(once)).from).toMatchObject({ run: once, trainings: 2, steps: 120 });
  });

  it('is another method than the run in a comparison', async () => {
    const { plan } = openRun(parent);
    const extended = await planFromRun(parent);
    const outcome = openRun(parent).result;
    expect(originOf({ plan, result: outcome }).settings).not.toHaveProperty('from');
    expect(originOf({ plan: extended, result: outcome }).settings.from).toBe('deep-sea-treasure after 60 steps');
  });

  it('evaluates as often as the run, and as it is told to', async () => {
    expect((await planFromRun(parent, { settings: { steps: 300 } })).config).toMatchObject({ evaluations: 10 });
    const settings = { steps: 300, evaluations: 3, learningRate: 0.5 };
    expect((await planFromRun(parent, { settings })).config).toMatchObject({ ...settings, hidden: [6] });
  });

  it('needs nothing of the run once it has begun, and is not resumed where it had not', async () => {
    const [copied, out, unbegun] = ['copied', 'orphan', 'unbegun'].map((name) => join(folder, name));
    cpSync(parent, copied, { recursive: true });
    let steps = 0;
    const events = { progress: () => (steps += 1), shouldStop: () => steps === 3 };
    await trainRun(await planFromRun(copied, { workers: 0 }), { out, events });
    rmSync(copied, { recursive: true });
    cpSync(out, unbegun, { recursive: true });
    rmSync(join(unbegun, 'checkpoint'), { recursive: true });
    await expect(resumeRun(unbegun)).rejects.toThrow(
      'it was to begin with the run copied, and was ended before it had',
    );
    expect((await resumeRun(out, { workers: 0 })).runs[0].envSteps).toBe(120);
  });
});

describe('a run that is fine-tuned', () => {
  it.each(['psl-td3', 'psl-sac', 'psl-ppo'])('learns in another environment of its shape: %s', async (algorithm) => {
    const parent = parentOf(algorithm);
    const out = join(folder, `${algorithm}-rich`);
    const { first, trained, plan } = await trainFrom(parent, out, { env: RICH });
    // The same walk earns ten times as much.
    const tenfold = readReturns(openRun(parent)).returns.map((point) => point.map((value) => 10 * value));
    first.returns.forEach((point, i) => point.forEach((value, k) => expect(value).toBeCloseTo(tenfold[i][k], 8)));
    expect(plan.from).toMatchObject({ env: WALK, run: parent });
    expect(trained.protocol.env).toBe(RICH);
    expect(loadModel(openRun(out)).description.env).toBe(RICH);
  });

  it('is one of the command line too, which names what it began with', async () => {
    const [out, parent] = [join(folder, 'tuned'), parentOf('psl-ddqn')];
    const { env, from, envSteps } = await result<{ envSteps: number; from: { run: string }; env?: string }>(
      ...['train', 'deep-sea-treasure-concave', '--from', parent, '--steps', '40', '--out', out, '--workers', '0'],
    );
    expect({ env, from: from.run, envSteps }).toEqual({ env: undefined, from: parent, envSteps: 100 });
    expect((await call('eval', out)).out).toContain('of which psl-ddqn took 60 and ');
  });
});

describe('psl train --from', () => {
  const ddqn = parentOf('psl-ddqn');
  const td3 = parentOf('psl-td3');

  it.each<[string, string[], string]>([
    [
      'an environment of another shape',
      [WIDE, '--from', td3],
      `environment is "${WIDE}", but must be one of the shape that ${WALK} has, observations of 1 number, actions of 1 number and 2 objectives, and it has observations of 3 numbers, actions of 3 numbers and 2 objectives.`,
    ],
    [
      'options with which its environment has another shape',
      ['--from', ddqn, '--env-set', 'encoding=row-column'],
      '--env-set is "encoding=row-column", but must be such that deep-sea-treasure has the shape that was learned, observations of ',
    ],
    [
      'another kind of actions',
      ['fruit-tree-d5', '--from', td3],
      'environment is "fruit-tree-d5", but must be one of the shape that test-walk has, ',
    ],
    [
      'another algorithm',
      ['--from', td3, '--algo', 'psl-sac'],
      `algorithm is "psl-sac", but must be "psl-td3", as in ${td3}, which the training begins with.`,
    ],
    [
      'another preset',
      ['--from', td3, '--preset', 'best'],
      `preset is "best", but must be "quick", as in ${td3}, which the training begins with.`,
    ],
    [
      'other networks',
      ['--from', td3, '--set', 'criticHidden=8'],
      `criticHidden is "8", but must be "6", as in ${td3}, which the training begins with.`,
    ],
    [
      'networks that differ between replicas',
      ['--from', td3, '--vary', 'alpha=0.1,0.2'],
      `alpha is "0.1", but must be "0.05", as in ${td3}, which the training begins with.`,
    ],
    ['a misspelt setting', ['--from', ddqn, '--set', 'hiden=6'], 'setting is "hiden" (did you mean "hidden"?)'],
    [
      'key solutions that it would have to train',
      ['--from', td3, '--set', 'criticAngle=1', '--set', 'keys=trained'],
      'keys is "trained", but must be known in a training that begins with another run; take those of a run in this environment (--keys).',
    ],
    [
      'a folder that is no run',
      ['--from', folder],
      `--from is "${folder}", but must be a run that a training can begin with (config.json cannot be read (no such file or directory)).`,
    ],
    ['no environment at all', [], 'ENV is missing, but must be one of: fruit-tree-d5, '],
  ])('refuses %s', async (_, args, sentence) => {
    const { code, error } = await call('train', ...args);
    expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining(`psl: ${sentence}`) as string });
  });

  it('refuses a run that did not keep what it learned, as one that was exported', async () => {
    const exported = join(folder, 'exported');
    await exportRun(openRun(ddqn), exported);
    const { error } = await call('train', '--from', exported);
    expect(error).toContain('(it has no learner.json, like runs of earlier versions and those that were exported).');
  });

  it('refuses a run of a population', async () => {
    const out = join(folder, 'population');
    const settings = { steps: 48, children: 2, horizon: 8, batch: 8, taskDivisions: 2, warmup: 1, generation: 1 };
    const tiny = { ...settings, evaluations: 1, hidden: [4], criticHidden: [4], epochs: 1 };
    await trainRun(planTraining({ env: WALK, algorithm: 'ra', workers: 0, settings: tiny }), { out });
    const { error } = await call('train', '--from', out);
    expect(error).toBe(`psl: from is "${out}", but must be a run of one learner, and ra trains a population.\n`);
  });
});
