import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../src/runs/index.js';
import { callsOf } from './support/calls.js';
import { pslProcess } from './support/process.js';
import { temporaryFolder } from './support/temporary-folder.js';

// The whole program on robots, compiled, because worker threads are. Everything is as small as it can be: nothing of
// this learns well.

const dist = (path: string): string => new URL(`../dist/node/${path}`, import.meta.url).href;
const { psl } = (await import(dist('cli/psl.js'))) as typeof import('../src/cli/psl.js');
const { commands } = (await import(dist('cli/commands.js'))) as typeof import('../src/cli/commands.js');
const { capture } = (await import(dist('cli/terminal.js'))) as typeof import('../src/cli/terminal.js');

const SETTINGS = [
  'steps=160',
  'children=4',
  'startSteps=5',
  'learnAfter=40',
  'batch=16',
  'groups=4',
  'hidden=8',
  'criticHidden=8',
  'hyperHidden=4',
  'policyDelay=2',
  'evaluations=1',
  'evaluationDivisions=2',
];
const sets = (...settings: string[]) => settings.flatMap((setting) => ['--set', setting]);
/** Without the angle, which the quick preset does without. */
const tiny = sets(...SETTINGS);
const ANGLE = sets('criticAngle=1', 'actorAngle=10', 'keyUpdates=none');

const folder = temporaryFolder('robots');
const at = (...names: string[]) => join(folder, ...names);
const text = (...names: string[]) => readFileSync(at(...names), 'utf8');
const json = (...names: string[]): unknown => JSON.parse(text(...names));

const { call, result } = callsOf({ psl, commands, capture });

const train = (name: string, env: string, ...args: string[]) =>
  result('train', env, ...tiny, '--device', 'cpu:1', '--out', at(name), ...args);

describe('psl on a robot', () => {
  let first: RunResult;
  beforeAll(async () => {
    first = await train('first', 'mo-swimmer-v2', '--workers', '0');
  });

  it('trains, and leaves what a run is made of', () => {
    expect(readdirSync(at('first')).sort()).toEqual(
      expect.arrayContaining([
        'config.json',
        'front.png',
        'metrics.jsonl',
        'model.safetensors',
        'result.json',
      ]) as string[],
    );
    // Nothing here has key solutions.
    expect(existsSync(at('first', 'keys.json'))).toBe(false);
    expect(first).toMatchObject({ envSteps: 160, gradientSteps: 120, stopped: false });
    expect(first.protocol).toMatchObject({
      env: 'mo-swimmer-v2',
      envOptions: { inertials: 'legacy', resetNoise: 'pd-morl' },
      discount: 0.995,
      returnDiscount: 1,
      referencePoint: [0, 0],
    });
  });

  it('logs at each evaluation what tells a failure early', () => {
    const lines = text('first', 'metrics.jsonl').trimEnd().split('\n');
    expect(lines).toHaveLength(1);
    for (const line of lines) {
      const { diagnostics } = JSON.parse(line) as { diagnostics: Record<string, unknown> };
      for (const name of [
        'valueRatio',
        'expectedValue',
        'earnedValue',
        'twinGap',
        'tdError',
        'criticGradient',
        'saturated',
      ]) {
        expect(diagnostics[name]).toEqual(expect.any(Number));
      }
      expect(diagnostics.episodeLength).toBe(500);
    }
  });

  it.each(['0', '1', '2'])('gives the same bytes again with %s workers', async (workers) => {
    const name = `again-${workers}`;
    await train(name, 'mo-swimmer-v2', '--workers', workers);
    const files = ['config.json', 'metrics.jsonl', 'model.json', 'model.safetensors', 'front.svg'];
    const fronts = readdirSync(at('first', 'fronts')).map((file) => join('fronts', file));
    expect(fronts).toHaveLength(2);
    for (const file of [...files, ...fronts]) {
      expect(readFileSync(at(name, file)).equals(readFileSync(at('first', file))), file).toBe(true);
    }
  });

  it('trains key solutions first, counts their steps, and hands them to other runs', async () => {
    // On the hopper, which falls at once: episodes are short.
    const own = [...ANGLE, '--workers', '0'];
    const trained = await train('keys', 'mo-hopper-v2', ...own, ...sets('keys=trained', 'keySteps=24'));
    expect(trained.envSteps).toBe(160 + 3 * 24);
    const keys = json('keys', 'keys.json') as { preferences: number[][]; returns: number[][] };
    expect(keys.preferences).toEqual([
      [1, 0],
      [0, 1],
      [0.5, 0.5],
    ]);
    // Not the published ones, which are in the thousands.
    expect(Math.max(...keys.returns.flat())).toBeLessThan(1000);

    const reused = await train('reused', 'mo-hopper-v2', ...own, '--keys', at('keys'));
    expect(reused.envSteps).toBe(160);
    expect(json('reused', 'keys.json')).toEqual(keys);
    // The same key solutions, the same seed and the same steps: the same policies.
    expect(readFileSync(at('reused', 'model.safetensors')).equals(readFileSync(at('keys', 'model.safetensors')))).toBe(
      true,
    );
    expect((await result('eval', at('keys'), '--workers', '0')).hypervolume).toBe(trained.hypervolume);
  });

  it('keeps the best policy set and the last one, and evaluates both from start states that chose neither', async () => {
    const settings = sets('keep=best', 'evaluations=8', 'learningRate=0.01', 'averaging=0');
    const trained = await train('best', 'mo-hopper-v2', ...settings, '--workers', '0');
    const { keptAt, last } = trained as Required<RunResult>;
    // Otherwise this shows nothing: another policy set is kept than the last one.
    expect(keptAt).toBeLessThan(last.envSteps);
    expect(last.envSteps).toBe(160);
    expect(last.hypervolume).toBeLessThan(trained.hypervolume);

    const evaluated = (...args: string[]) => result('eval', at('best'), '--workers', '0', ...args);
    expect((await evaluated()).hypervolume).toBe(trained.hypervolume);
    const again = await evaluated('--last');
    expect(again.hypervolume).toBe(last.hypervolume);
    expect(again.protocol).toMatchObject({ keep: 'last', evaluationSeed: 0 });

    const unseen = [await evaluated('--seed', '7'), await evaluated('--seed', '7', '--last')];
    expect(unseen.map(({ protocol }) => [protocol.keep, protocol.evaluationSeed])).toEqual([
      ['best', 7],
      ['last', 7],
    ]);
    expect(unseen[0].expectedUtility).not.toBe(trained.expectedUtility);
    expect(unseen[1].expectedUtility).not.toBe(last.expectedUtility);

    // Runs of earlier versions have the best alone.
    rmSync(at('best', 'last'), { recursive: true });
    const { code, error } = await call('eval', at('best'), '--last');
    expect(code).toBe(2);
    expect(error).toContain('--last is true, but must be left out with ');
  });

  it('eval plays with other options of the environment: without noise at the start, all episodes are one', async () => {
    const still = (...args: string[]) =>
      result('eval', at('first'), '--workers', '0', '--env-set', 'resetNoise=none', ...args);
    const once = await still('--seed', '1');
    expect(once.protocol.envOptions).toEqual({ inertials: 'legacy', resetNoise: 'none' });
    expect(once.hypervolume).not.toBe(first.hypervolume);
    expect((await still('--seed', '2')).hypervolume).toBe(once.hypervolume);
  });

  it('evaluates to the same numbers as it trained, and on any grid, with any number of workers', async () => {
    const { seconds: _, ...again } = await result('eval', at('first'), '--workers', '0');
    const { seconds: __, keptAt, last, ...before } = first;
    expect(again).toEqual(before);
    expect({ keptAt, last }).toMatchObject({ keptAt: 160, last: { hypervolume: first.hypervolume } });

    const finer = ['eval', at('keys'), '--preferences', '21', '--episodes', '2'];
    const [none, two] = [await result(...finer, '--workers', '0'), await result(...finer, '--workers', '2')];
    expect({ ...two, seconds: 0 }).toEqual({ ...none, seconds: 0 });
    expect(none.protocol).toMatchObject({ preferences: { divisions: 20, count: 21 }, episodes: 2 });
    expect(none).toHaveProperty('sparsity.distinct');
    expect(none).toHaveProperty('sparsity.published');
    expect(none.expectedUtility).toEqual(expect.any(Number));
  });

  it('warns when the critic expects far more than is earned', async () => {
    const wild = sets('criticLearningRate=100', 'tau=1', 'targetCritics=step');
    const { code, out } = await call('train', 'mo-swimmer-v2', ...tiny, ...wild, '--workers', '0', '--out', at('wild'));
    expect(code).toBe(0);
    expect(out).toMatch(
      /\nwarning: this training diverges: its critic expects \d+ times what its policies earn; try .*\n/,
    );
  });

  it('ends with the environment, the step and the preference when a policy is no longer made of numbers', async () => {
    // The actor's loss is still a number when its parameters no longer are, and the policy acts next.
    const broken = sets('learningRate=1e38', 'startSteps=0', 'updatesPerStep=0.1');
    const { code, error } = await call(
      'train',
      'mo-swimmer-v2',
      ...tiny,
      ...broken,
      '--workers',
      '2',
      '--out',
      at('nan'),
    );
    expect(code).toBe(1);
    expect(error).toMatch(
      /^psl: an action for mo-swimmer-v2 at step \d+ of an episode at preference \[0\.\d{1,3}, 0\.\d{1,3}\] is NaN after \d+ environment steps and \d+ gradient steps, so nothing more can be learned; /,
    );
  });

  // Windows has no signals to send.
  it.skipIf(process.platform === 'win32')('writes a run that can be evaluated when it is interrupted', async () => {
    const endless = sets('steps=1000000', 'evaluations=20000', 'evaluationDivisions=1');
    const args = ['train', 'mo-swimmer-v2', ...tiny, ...endless, '--workers', '2', '--out', at('stopped'), '--json'];
    const { code, stdout, stderr } = await pslProcess(args, 'hypervolume');
    expect({ code, stderr }).toEqual({ code: 130, stderr: expect.stringContaining('stopping: ') as string });
    expect(JSON.parse(stdout)).toMatchObject({ run: at('stopped'), stopped: true });
    const { hypervolume } = json('stopped', 'result.json') as RunResult;
    expect(await result('eval', at('stopped'), '--workers', '0')).toMatchObject({ stopped: true, hypervolume });
  });

  describe('refuses', () => {
    beforeAll(() => train('three', 'mo-hopper-v3', '--workers', '0', ...sets('steps=8')));

    const swimmer = 'train mo-swimmer-v2';
    const cases: [line: string, message: string][] = [
      [
        'eval three --preferences 100',
        '--preferences is 100, but must be the size of a grid over 3 objectives, such as 91 or 105.',
      ],
      [
        'eval first --preferences 1',
        '--preferences is 1, but must be the size of a grid over 2 objectives, such as 2.',
      ],
      ['eval first --preferences 1e9', '--preferences is "1e9", but must be an integer from 1 to 1000000.'],
      [
        'eval first --preferences 9999999999',
        '--preferences is "9999999999", but must be an integer from 1 to 1000000.',
      ],
      [
        'eval first --preferences 21 --divisions 20',
        '--preferences is 21, but must be left out with --preference and --divisions.',
      ],
      [
        'eval first --preferences 21 --preference 0.5,0.5',
        '--preferences is 21, but must be left out with --preference and --divisions.',
      ],
      ['eval first --preference NaN,1', '--preference is "NaN,1", but must be '],
      ['eval first --episodes 0', '--episodes is "0", but must be an integer of at least 1.'],
      ['eval first --workers -1', '--workers is "-1", but must be an integer from 0 to 256.'],
      ['eval first --device cpu:0', '--device is "cpu:0" (did you mean "cpu"?), but must be one of: '],
      [`${swimmer} --workers -1`, '--workers is "-1", but must be an integer from 0 to 256.'],
      [`${swimmer} --workers 1.5`, '--workers is "1.5", but must be an integer from 0 to 256.'],
      [`${swimmer} --workers 100000`, '--workers is "100000", but must be an integer from 0 to 256.'],
      [`${swimmer} --device cpu:0`, '--device is "cpu:0" (did you mean "cpu"?), but must be one of: '],
      [`${swimmer} --device cpu:two`, '--device is "cpu:two", but must be one of: '],
      [
        `${swimmer} --device reference:2`,
        '--device is "reference:2" (did you mean "reference"?), but must be one of: ',
      ],
      [
        `${swimmer} --algo psl-ddqn`,
        'algorithm is "psl-ddqn", which learns discrete actions, but mo-swimmer-v2 has continuous actions and needs one of: psl-td3, pd-td3, psl-sac, psl-ppo, pg-morl, random, ra, pfa, moead, meta.',
      ],
      [
        'train fruit-tree-d5 --algo psl-td3',
        'algorithm is "psl-td3", which learns continuous actions, but fruit-tree-d5 has discrete actions and needs one of: psl-ddqn, pd-ddqn, envelope, psl-ppo.',
      ],
      [`${swimmer} --set learningRate=NaN`, 'learningRate is "NaN", but must be '],
      [`${swimmer} --set tau=0`, 'tau is 0, but must be '],
      [`${swimmer} --set policyDelay=0`, 'policyDelay is 0, but must be an integer of at least 1.'],
      [`${swimmer} --set exploration=-0.1`, 'exploration is -0.1, but must be '],
      [`${swimmer} --set keys=published`, 'keys is "published", but must be one of: known, trained.'],
      [`${swimmer} --set keyUpdates=0`, 'keyUpdates is 0, but must be '],
      [
        `${swimmer} --set criticAngle=1 --keys none`,
        '--keys is "none", but must be a finished run on mo-swimmer-v2 that has key solutions (config.json cannot be read (',
      ],
      [
        `${swimmer} --set criticAngle=1 --keys first`,
        '--keys is "first", but must be a finished run on mo-swimmer-v2 that has key solutions (keys.json cannot be read (',
      ],
      [
        `${swimmer} --set criticAngle=1 --keys three`,
        '--keys is "three", but must be a finished run on mo-swimmer-v2 that has key solutions (this one is on mo-hopper-v3).',
      ],
      [
        `train mo-hopper-v2 --set criticAngle=0 --set actorAngle=0 --keys keys`,
        '--keys is "keys", but must be left out where psl-td3 has no use for key solutions, with these settings.',
      ],
      [
        'train mo-hopper-v2 --algo psl-ppo --keys keys',
        '--keys is "keys", but must be left out where psl-ppo has no use for key solutions, with these settings.',
      ],
      [
        `train mo-hopper-v3 --set criticAngle=1`,
        'criticAngle and actorAngle need key solutions, and none are known here; use keys=trained, ',
      ],
      [
        `${swimmer} --env-set inertials=new`,
        'option inertials of mo-swimmer-v2 is "new", but must be one of: legacy, exact.',
      ],
      [`${swimmer} --out first`, '--out is "first", but must be a folder that is new or empty, and it holds a run.'],
    ];

    it.each(cases)('%s', async (line, message) => {
      const before = readdirSync(folder);
      const runs = () => (existsSync('runs') ? readdirSync('runs') : []);
      const runsBefore = runs();
      const args = line
        .split(' ')
        .map((word, i, words) => (['eval', '--keys', '--out'].includes(words[i - 1]) ? at(word) : word));
      const { code, out, error } = await call(...args);
      const sentence = error.replaceAll(join(folder, '/'), '');
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(sentence).toMatch(/^psl: [^\n]*\.\n$/);
      expect(sentence.slice(0, 'psl: '.length + message.length)).toBe(`psl: ${message}`);
      expect(readdirSync(folder)).toEqual(before);
      expect(runs()).toEqual(runsBefore);
    });
  });
});
