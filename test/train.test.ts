import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { decodeSafetensors } from '../src/model/index.js';
import type { RunResult } from '../src/runs/index.js';
import { commands } from '../src/cli/commands.js';
import { psl } from '../src/cli/psl.js';
import { capture, type Terminal } from '../src/cli/terminal.js';
import { temporaryFolder } from './support/temporary-folder.js';

/** Seconds instead of minutes: enough to learn a little, not to learn well. */
const TINY = [
  'steps=600',
  'children=10',
  'updatesPerStep=0.2',
  'hidden=16',
  'hyperHidden=8',
  'startSteps=10',
  'learnAfter=100',
  'batch=32',
  'groups=8',
];
const SCORED = ['evaluations=2', 'evaluationDivisions=3'];
const sets = (...settings: string[]) => settings.flatMap((setting) => ['--set', setting]);
const tiny = sets(...TINY, ...SCORED);
/** Of algorithms without a hypernetwork. */
const plain = sets(...TINY.filter((setting) => !setting.startsWith('hyper')), ...SCORED);

const folder = temporaryFolder('train');
const at = (...names: string[]) => join(folder, ...names);
const bytes = (...names: string[]) => readFileSync(at(...names));
const json = (...names: string[]): unknown => JSON.parse(readFileSync(at(...names), 'utf8'));

async function call(args: readonly string[], options: Pick<Terminal, 'onInterrupt'> = {}) {
  const { terminal, written } = capture(options);
  const code = await psl(args, commands, terminal);
  return { code, ...written };
}

/** What a command prints with --json. */
async function result<T = RunResult>(...args: string[]): Promise<T> {
  const { code, out, error } = await call([...args, '--json']);
  expect({ code, error: code === 0 ? '' : error }).toEqual({ code: 0, error: '' });
  return JSON.parse(out) as T;
}

/** Where runs go that are given no folder. */
const defaultRuns = () => (existsSync('runs') ? readdirSync('runs') : []);

const train = (name: string, ...args: string[]) => result('train', ...args, '--out', at(name));

describe('psl', () => {
  let first: RunResult;
  beforeAll(async () => {
    first = await train('first', 'fruit-tree-d5', ...tiny);
  });

  it('train writes a complete run', () => {
    expect(readdirSync(at('first')).sort()).toEqual([
      'config.json',
      'front.png',
      'front.svg',
      'fronts',
      'hypervolume.png',
      'hypervolume.svg',
      'last',
      'learner.json',
      'learner.safetensors',
      'metrics.csv',
      'metrics.jsonl',
      'model.json',
      'model.safetensors',
      'result.json',
      'training.csv',
    ]);
    expect(readdirSync(at('first', 'fronts')).sort()).toEqual(['300.json', '600.json', 'final.json']);
    expect(json('first', 'config.json')).toMatchObject({
      format: 2,
      algorithm: 'psl-ddqn',
      env: 'fruit-tree-d5',
      envOptions: { encoding: 'path' },
      preset: 'quick',
      seed: 1,
      device: 'cpu',
      settings: { steps: 600, hidden: [16], tau: expect.any(Number) as number },
      protocol: { returnDiscount: 0.99, preferences: { divisions: 3, count: 56 }, lockstep: 1 },
    });
    const lines = bytes('first', 'metrics.jsonl').toString().trimEnd().split('\n');
    const metrics = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(metrics.map(({ envSteps }) => envSteps)).toEqual([300, 600]);
    expect(Object.keys(metrics[1])).toEqual(['envSteps', 'gradientSteps', 'evaluationSteps', 'score', 'diagnostics']);
    // Every episode is five steps long.
    expect(metrics.map(({ evaluationSteps }) => evaluationSteps)).toEqual([56 * 5, 2 * 56 * 5]);
    expect(metrics[1].score).toMatchObject({ hypervolume: first.hypervolume, sparsity: first.sparsity });
  });

  it('train returns the numbers with their protocol', () => {
    expect(first).toMatchObject({
      run: at('first'),
      envSteps: 600,
      gradientSteps: 100,
      evaluationSteps: 560,
      stopped: false,
    });
    expect(first.ceiling).toBeCloseTo(6920.582, 3);
    expect(first.hypervolume).toBeGreaterThan(0);
    expect(first.hypervolume).toBeLessThanOrEqual(first.ceiling!);
    expect(Object.keys(first)).toEqual(
      expect.arrayContaining(['sparsity', 'expectedUtility', 'seconds', 'protocol']) as string[],
    );
  });

  it('eval evaluates the saved model to the same numbers, exactly', async () => {
    const { seconds: _, ...again } = await result('eval', at('first'));
    const { seconds: __, keptAt, last, ...trained } = first;
    expect(again).toEqual(trained);
    expect({ keptAt, last }).toMatchObject({ keptAt: 600, last: { envSteps: 600, hypervolume: first.hypervolume } });
  });

  it('train says what the device auto is, and writes that down', async () => {
    const { devices } = await result<{ devices: { name: string; description: string }[] }>('devices');
    const { description } = devices.find(({ name }) => name === 'auto')!;
    const device = description.replace(/ here$/, '');
    expect(['cpu', 'gpu']).toContain(device);
    const few = sets('steps=20', 'evaluations=1', 'evaluationDivisions=1');
    const { code, out } = await call(['train', 'fruit-tree-d5', ...few, '--device', 'auto', '--out', at('auto')]);
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringContaining(`device auto: ${device}, `) as string,
    });
    expect(json('auto', 'config.json')).toMatchObject({ device });
  });

  it('eval refuses an option of the environment that the model cannot see', async () => {
    const { code, error } = await call(['eval', at('first'), '--env-set', 'encoding=row-column']);
    expect({ code, error }).toEqual({
      code: 2,
      error:
        'psl: options of fruit-tree-d5 are encoding=row-column, but must leave an observation its 5 numbers, which the ' +
        'model sees; with them it has 2.\n',
    });
    expect(await call(['eval', at('first'), '--env-set', 'encoding'])).toMatchObject({
      code: 2,
      error: 'psl: --env-set is "encoding", but must be NAME=VALUE.\n',
    });
  });

  it('eval evaluates on another grid, on another device, or at one preference', async () => {
    const coarse = await result('eval', at('first'), '--divisions', '1', '--episodes', '2', '--device', 'reference');
    expect(coarse.protocol).toMatchObject({ preferences: { divisions: 1, count: 6 }, episodes: 2 });

    const { preferences, returns } = json('first', 'fronts', 'final.json') as Record<string, number[][]>;
    const preference = preferences[20].map((weight) => String(weight)).join(',');
    const single = await result<{ return: number[] }>('eval', at('first'), '--preference', preference);
    expect(single.return).toEqual(returns[20]);
    const { out } = await call(['eval', at('first'), '--preference', preference]);
    expect(out).toMatch(/\n {2}Protein {3}\d/);
  });

  it('eval finds the preference to act with for a Chebyshev utility', async () => {
    const { returns } = json('first', 'fronts', 'final.json') as Record<string, number[][]>;
    const between = ['--ideal', '10,10,0,0,0,0', '--nadir', '0,0,0,0,0,0'];
    const args = ['eval', at('first'), '--utility', 'chebyshev', '--preference', '0.5,0.5,0,0,0,0', ...between];
    const best = await result<{ preference: number[]; return: number[]; utility: unknown }>(...args);
    const shortfall = ([protein, carbs]: number[]) => Math.max(10 - protein, 10 - carbs);
    expect(shortfall(best.return)).toBe(Math.min(...returns.map(shortfall)));
    expect(best.utility).toMatchObject({
      name: 'chebyshev',
      weights: [0.5, 0.5, 0, 0, 0, 0],
      nadir: [0, 0, 0, 0, 0, 0],
    });
    const followed = await result<{ return: number[] }>('eval', at('first'), '--preference', best.preference.join());
    expect(followed.return).toEqual(best.return);

    const { out } = await call(args);
    expect(out).toMatch(
      /\nbest of 56 preferences by the Chebyshev utility with weights 0.5,0.5,0,0,0,0:\npreference \d/,
    );
  });

  it('train writes its evaluations and what its updates report as tables', () => {
    const table = (name: string) => {
      const [header, ...rows] = bytes('first', name).toString().trimEnd().split('\n');
      return rows.map((row) => Object.fromEntries(row.split(',').map((cell, k) => [header.split(',')[k], cell])));
    };
    const evaluations = bytes('first', 'metrics.jsonl').toString().trimEnd().split('\n');
    expect(table('metrics.csv').map((row) => [row.envSteps, row['score/hypervolume']])).toEqual(
      evaluations.map((line) => {
        const { envSteps, score } = JSON.parse(line) as { envSteps: number; score: { hypervolume: number } };
        return [String(envSteps), String(score.hypervolume)];
      }),
    );
    const log = table('training.csv');
    const { logged } = json('first', 'result.json') as { logged: { envSteps: number[]; seconds: number[] } };
    expect(log.length).toBeGreaterThan(20);
    expect(log.map(({ envSteps }) => Number(envSteps))).toEqual(logged.envSteps);
    expect(log.at(-1)!.envSteps).toBe('600');
    expect(Number(log.at(-1)!['diagnostics/loss'])).toBeGreaterThan(0);
    expect(logged.seconds).toEqual([...logged.seconds].sort((a, b) => a - b));
    expect(logged.seconds).toHaveLength(log.length);
  });

  it('front prints the front', async () => {
    const { returns: points, preferences } = json('first', 'fronts', '600.json') as Record<string, number[][]>;
    const { out } = await call(['front', at('first')]);
    const [header, ...rows] = out.trimEnd().split('\n');
    expect(header).toMatch(
      /^Protein,Carbs,Fats,Vitamins,Minerals,Water,preference Protein,.*,preference Water,reference Protein,.*,reference Water$/,
    );
    const reference = [0, 0, 0, 0, 0, 0];
    expect(rows).toEqual(points.map((point, i) => [...point, ...preferences[i], ...reference].join(',')));
    expect(rows).toHaveLength((json('first', 'result.json') as { points: number }).points);

    expect(await result('front', at('first'))).toMatchObject({ points, preferences });
    expect((await call(['front', at('first'), '--format', 'svg'])).out).toBe(bytes('first', 'front.svg').toString());
    expect((await call(['front', at('first'), '--format', 'png'])).out).toMatch(/^.PNG\r\n/);
  });

  it('front prints a front that psl metrics scores like the run', async () => {
    for (const format of ['json', 'csv']) {
      const file = at(`front.${format}`);
      const { code } = await call(['front', at('first'), '--format', format, '--out', file]);
      expect(code).toBe(0);
      const scores = await result('metrics', file, '--ref', '0,0,0,0,0,0');
      expect(scores.hypervolume).toBe(first.hypervolume);
    }
  });

  it('train gives the same bytes for the same seed, and others for another', async () => {
    await train('again', 'fruit-tree-d5', ...tiny);
    await train('other', 'fruit-tree-d5', ...tiny, '--seed', '2');
    for (const name of ['config.json', 'metrics.jsonl', 'model.json', 'model.safetensors', 'front.svg']) {
      expect(bytes('again', name).equals(bytes('first', name))).toBe(true);
      expect(bytes('other', name).equals(bytes('first', name))).toBe(false);
    }
    expect(bytes('again', 'fronts', 'final.json').equals(bytes('first', 'fronts', 'final.json'))).toBe(true);
  });

  it('train trains replicas side by side, each as if it were alone', async () => {
    interface Several {
      runs: RunResult[];
      mean: { hypervolume: number };
    }
    const { runs, mean } = (await train('both', 'fruit-tree-d5', ...tiny, '--replicas', '2')) as unknown as Several;
    expect(runs.map(({ run }) => run)).toEqual([at('both', 'seed-1'), at('both', 'seed-2')]);
    expect(json('both', 'seed-2', 'config.json')).toMatchObject({ seed: 2, protocol: { lockstep: 2 } });
    expect(existsSync(at('both', 'hypervolume.png'))).toBe(true);
    for (const [alone, together] of [
      ['first', 'seed-1'],
      ['other', 'seed-2'],
    ]) {
      const one = decodeSafetensors(bytes(alone, 'model.safetensors'));
      for (const [name, { shape, values }] of decodeSafetensors(bytes('both', together, 'model.safetensors'))) {
        expect(shape).toEqual(one.get(name)!.shape);
        const apart = Math.max(...Array.from(values, (value, i) => Math.abs(value - one.get(name)!.values[i])));
        expect(apart).toBeLessThan(1e-4);
      }
      const { hypervolume } = json('both', together, 'result.json') as RunResult;
      expect(hypervolume / (json(alone, 'result.json') as RunResult).hypervolume).toBeCloseTo(1, 1);
      expect((await result('eval', at('both', together))).hypervolume).toBe(hypervolume);
    }
    expect(mean.hypervolume).toBeCloseTo((runs[0].hypervolume + runs[1].hypervolume) / 2, 9);
  });

  it.each([
    ['pd-ddqn', 'fruit-tree-d5', ['--algo', 'pd-ddqn', ...tiny]],
    ['envelope', 'fruit-tree-d5', ['--algo', 'envelope', ...plain]],
    ['generated', 'fruit-tree-d5', [...tiny, '--set', 'family=generated']],
    ['added', 'fruit-tree-d5', [...tiny, '--set', 'family=added']],
    ['paper', 'fruit-tree-d5', ['--preset', 'paper', ...tiny]],
    ['treasure', 'deep-sea-treasure', tiny],
    ['concave', 'deep-sea-treasure-concave', [...tiny, '--env-set', 'encoding=row-column']],
  ])('trains and evaluates %s', async (name, env, args) => {
    const trained = await train(name, env, ...args);
    expect(trained.gradientSteps).toBeGreaterThan(0);
    const again = await result('eval', at(name));
    expect(again.hypervolume).toBe(trained.hypervolume);
    expect(again.protocol).toEqual(trained.protocol);
  });

  it('train makes a new folder in runs/ for a run that is given none', async () => {
    const here = process.cwd();
    mkdirSync(at('elsewhere'));
    process.chdir(at('elsewhere'));
    try {
      const args = ['train', 'fruit-tree-d5', ...tiny, ...sets('steps=10', 'evaluations=1')];
      const name = join('runs', 'fruit-tree-d5-psl-ddqn-quick-seed1');
      expect((await result(...args)).run).toBe(name);
      expect((await result(...args)).run).toBe(`${name}-2`);
      const several = join('runs', 'fruit-tree-d5-psl-ddqn-quick-seeds3-4');
      expect((await result(...args, '--seed', '3', '--replicas', '2')).run).toBe(several);
      expect((await result('eval', join(several, 'seed-4'))).envSteps).toBe(10);
    } finally {
      process.chdir(here);
    }
  });

  it('train tells people what they need to know', async () => {
    const { code, out, error } = await call(['train', 'fruit-tree-d5', ...tiny, '--out', at('told')]);
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(out).toMatch(/^training psl-ddqn on fruit-tree-d5: quick preset, seed 1, cpu\n/);
    expect(out).toMatch(/\n50 %, 300 of 600 steps, .* steps\/s, .* left, hypervolume .* % of the ceiling\)\n/);
    expect(out).toMatch(/\n100 %, 600 of 600 steps, .*\ntrained in \d+ s\n/);
    expect(out).toContain(`run: ${at('told')}\n`);
    expect(out).toMatch(/hypervolume +\d.* % of the ceiling 6920\.58/);
    expect(out).toMatch(/trained for +600 environment steps, 100 gradient steps/);
    expect(out).toMatch(/evaluated for +560 environment steps more/);
    expect(out).toMatch(/reference point 0,0,0,0,0,0, returns discounted by 0\.99/);
    expect(out).toMatch(/56 preferences on the simplex grid with step 1\/3/);
    expect(out).toContain(`next: psl eval ${at('told')} --preference 0.5,0.1,0.1,0.1,0.1,0.1\n`);
    // The command it names works.
    expect((await call(['eval', at('told'), '--preference', '0.5,0.1,0.1,0.1,0.1,0.1'])).code).toBe(0);
  });

  it('train writes everything when it is stopped early, and says so', async () => {
    const args = ['train', 'fruit-tree-d5', ...tiny, '--out', at('stopped')];
    const { code, out } = await call(args, {
      onInterrupt: (stop) => {
        stop();
        return () => undefined;
      },
    });
    expect(code).toBe(0);
    expect(out).toContain(
      `\nstopped early, after 10 of 600 environment steps; go on with psl resume ${at('stopped')}\n`,
    );
    expect(json('stopped', 'result.json')).toMatchObject({ stopped: true, envSteps: 10 });
    expect(await result('eval', at('stopped'))).toMatchObject({ stopped: true, envSteps: 10 });

    expect(await result('resume', at('stopped'))).toMatchObject({ stopped: false, envSteps: 600 });
    for (const name of ['config.json', 'metrics.jsonl', 'model.safetensors', join('fronts', 'final.json')]) {
      expect(readFileSync(join(at('stopped'), name)).equals(readFileSync(join(at('first'), name)))).toBe(true);
    }
    const again = await call(['resume', at('stopped')]);
    expect(again.code).toBe(2);
    expect(again.error).toContain('must be the folder of a run that can be resumed (it is finished).');
  });

  it('train warns when nothing can be learned', async () => {
    const few = ['--set', 'steps=10', '--set', 'evaluations=1'];
    const { out } = await call(['train', 'fruit-tree-d5', ...tiny, ...few, '--out', at('few')]);
    expect(out).toContain('note: nothing will be learned, because learnAfter is 100 and steps is 10\n');
  });

  describe('refuses', () => {
    const cases: [line: string, message: string][] = [
      ['train', 'ENV is missing, but must be one of: fruit-tree-d5, '],
      ['train mo-swimmer-v2 --vary tau', '--vary is "tau", but must be NAME=V1,V2,...'],
      ['train mo-swimmer-v2 --vary tau=0.1,', '--vary is "tau=0.1,", but must be NAME=V1,V2,...'],
      [
        'train mo-swimmer-v2 --vary tau=0.1 --vary tau=0.2',
        '--vary is "tau=0.2", but must be given once with all values of tau.',
      ],
      ['train mo-swimmer-v2 --vary alpha=0.1,x', 'alpha is "x", but must be a number from 0 to 1.'],
      ['train mo-swimmer-v2 --variant alpha=abc', 'alpha is "abc", but must be a number from 0 to 1.'],
      ['train mo-swimmer-v2 --vary keep=best,last', 'vary is "keep", but must be one of: '],
      [
        'train mo-swimmer-v2 --vary alpha=0.1,0.2 --set alpha=0.3',
        '--set alpha is 0.3, but must be left out with --vary alpha.',
      ],
      [
        'train mo-swimmer-v2 --vary alpha=0.1,0.2 --variant alpha=0.3',
        '--variant alpha is 0.3, but must be left out with --vary alpha.',
      ],
      [
        'train mo-swimmer-v2 --set alpha=0.3 --variant alpha=0.1 --variant alpha=0.2,tau=0.1',
        '--set alpha is 0.3, but must be left out with alpha in every --variant.',
      ],
      ['train mo-swimmer-v2 --set steps=600 --steps 700', '--set steps is 600, but must be left out with --steps.'],
      [
        'train mo-swimmer-v2 --steps 600 --steps 700',
        '--steps is "700", but must be given once, and was given as 600 before.',
      ],
      [
        'train mo-swimmer-v2 --variant tau=0.1,alpha',
        '--variant is "tau=0.1,alpha", but must be NAME=VALUE,NAME=VALUE,... with each name once.',
      ],
      [
        'train mo-swimmer-v2 --variant tau=0.1,tau=0.2',
        '--variant is "tau=0.1,tau=0.2", but must be NAME=VALUE,NAME=VALUE,... with each name once.',
      ],
      ['train mo-swimmer-v2 --vary clip=1,2', 'vary is "clip", but must be one of: '],
      ['train fruit-tree-d4', 'ENV is "fruit-tree-d4" (did you mean "fruit-tree-d5"?), but must be one of: '],
      ['train fruit-tree-d5 --algo ddqn', '--algo is "ddqn" (did you mean "pd-ddqn"?), but must be one of: psl-ddqn, '],
      ['train fruit-tree-d5 --preset fast', '--preset is "fast", but must be one of: paper, best, quick.'],
      ['train fruit-tree-d5 --steps 0', '--steps is "0", but must be an integer of at least 1.'],
      ['train fruit-tree-d5 --replicas 0', '--replicas is "0", but must be an integer from 1 to 1000.'],
      ['train fruit-tree-d5 --seed -1', '--seed is "-1", but must be an integer from 0 to 4294967295.'],
      ['train fruit-tree-d5 --set alpha', 'setting is "alpha", but must be NAME=VALUE.'],
      ['train fruit-tree-d5 --set alpha=2', 'alpha is 2, but must be a number from 0 to 1.'],
      ['train fruit-tree-d5 --set alpah=0', 'setting is "alpah" (did you mean "alpha"?), but must be one of: steps, '],
      ['train fruit-tree-d5 --set batch=32 --set groups=5', 'groups is 5, but must divide batch, which is 32.'],
      [
        'train fruit-tree-d5 --set children=10 --set preferenceDivisions=1',
        'children is 10, but must be an integer from 1 to 6, ',
      ],
      ['train fruit-tree-d5 --env-set encoding', '--env-set is "encoding", but must be NAME=VALUE.'],
      ['train fruit-tree-d5 --env-set coding=x', 'option of fruit-tree-d5 is "coding" (did you mean "encoding"?), '],
      [
        'train fruit-tree-d5 --out first',
        '--out is "first", but must be a folder that is new or empty, and it holds a run.',
      ],
      [
        'train fruit-tree-d5 --out both',
        '--out is "both", but must be a folder that is new or empty, and it holds a run.',
      ],
      [
        'train fruit-tree-d5 --out front.csv',
        '--out is "front.csv", but must be a folder that is new or empty (not a directory).',
      ],
      [
        'eval none',
        'RUN is "none", but must be a folder that psl train has finished (config.json cannot be read (no such file or directory)).',
      ],
      [
        'eval both',
        'RUN is "both", but must be a folder that psl train has finished (config.json cannot be read (no such file or directory); it holds the runs seed-1, seed-2).',
      ],
      [
        'eval front.csv',
        'RUN is "front.csv", but must be a folder that psl train has finished (config.json cannot be read (not a directory)).',
      ],
      ['eval first --preference 0.5,0.5', '--preference is [0.5, 0.5], but must have 6 entries, one per objective.'],
      [
        'eval first --preference 1,0,0,0,0,1',
        '--preference is [1, 0, 0, 0, 0, 1], which sums to 2, but must sum to 1.',
      ],
      [
        'eval first --preference -1,2,0,0,0,0',
        '--preference is [-1, 2, 0, 0, 0, 0], but its entries must not be negative.',
      ],
      [
        'eval first --preference 1,0,0,0,0,0 --divisions 2',
        '--divisions is 2, but must be left out with --preference.',
      ],
      [
        'eval first --utility chebyshev',
        '--preference is missing, but must be the weights of --utility chebyshev, such as 0.5,0.5.',
      ],
      ['eval first --ideal 1,2', '--ideal is "1,2", but must be left out without --utility.'],
      [
        'eval first --utility chebyshev --preference 1,0,0,0,0,0 --nadir 1,2',
        '--nadir is "1,2", but must be 6 numbers, one per objective.',
      ],
      [
        'eval first --divisions 99',
        '--divisions is 99, but must be so small that 6 objectives have at most 1000000 preferences.',
      ],
      ['front first --format gif', '--format is "gif", but must be one of: csv, json, svg, png.'],
      [
        'front first --out none/front.csv',
        '--out is "none/front.csv", but must be a file that can be written (no such file or directory).',
      ],
      ['front none', 'RUN is "none", but must be a folder that psl train has finished (config.json cannot be read '],
    ];
    const places = /\b(?:first|both|none|front\.csv|none\/front\.csv)$/;

    it.each(cases)('%s', async (line, message) => {
      const before = readdirSync(folder);
      const runsBefore = defaultRuns();
      const args = line.split(' ').map((word, i, words) => {
        const isPath = ['--out', 'eval', 'front'].includes(words[i - 1]) && places.test(word);
        return isPath ? at(...word.split('/')) : word;
      });
      const { code, out, error } = await call(args);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(error.replaceAll(folder + sep, '').slice('psl: '.length)).toMatch(/^[^\n]*\.\n$/);
      expect(error.replaceAll(folder + sep, '')).toContain(`psl: ${message}`);
      expect(readdirSync(folder)).toEqual(before);
      expect(defaultRuns()).toEqual(runsBefore);
    });

    const edit = (name: string, change: (text: string) => string) => () =>
      writeFileSync(at('damaged', name), change(readFileSync(at('damaged', name), 'utf8')));
    const remove = (name: string) => () => rmSync(at('damaged', name));
    const damages: [what: string, damage: () => void, problem: string][] = [
      ['no config.json', remove('config.json'), 'config.json cannot be read (no such file or directory)'],
      ['half of config.json', edit('config.json', (text) => text.slice(0, 99)), 'config.json is not valid JSON'],
      ['a list as config.json', edit('config.json', () => '[]'), 'config.json is not an object'],
      [
        'a later format',
        edit('config.json', (text) => text.replace('2', '3')),
        'config.json has format 3, and this version reads 1 to 2',
      ],
      [
        'another environment',
        edit('config.json', (text) => text.replace('tree-d5', 'tree-d9')),
        'its environment is "fruit-tree-d9", which is not known here; add the module that it is in with --import',
      ],
      [
        'another algorithm',
        edit('config.json', (text) => text.replace('psl-ddqn', 'psl-dqn')),
        'config.json algorithm is "psl-dqn" (did you mean "psl-ddqn"?)',
      ],
      [
        'a bad setting',
        edit('config.json', (text) => text.replace('"steps": 600', '"steps": 0')),
        'config.json steps is 0, but must be',
      ],
      [
        'a missing setting',
        edit('config.json', (text) => text.replace('"steps": 600,', '')),
        'config.json setting steps is missing',
      ],
      [
        'a bad seed',
        edit('config.json', (text) => text.replace('"seed": 1', '"seed": null')),
        'config.json seed is null, but must be',
      ],
      ['no result.json', remove('result.json'), 'it is not finished; psl resume goes on with it'],
      [
        'no steps in result.json',
        edit('result.json', (text) => text.replace('"envSteps": 600', '"a": 1')),
        'result.json lacks a valid "envSteps"',
      ],
      ['no model.json', remove('model.json'), 'model.json cannot be read (no such file or directory)'],
      [
        'no model.safetensors',
        remove('model.safetensors'),
        'model.safetensors cannot be read (no such file or directory)',
      ],
      [
        'half of model.safetensors',
        () => writeFileSync(at('damaged', 'model.safetensors'), bytes('first', 'model.safetensors').subarray(0, 3000)),
        'model.safetensors is cut off: ',
      ],
      [
        'the model of another run',
        () => cpSync(at('other', 'model.safetensors'), at('damaged', 'model.safetensors')),
        'model.safetensors is not the file that model.json was written for',
      ],
      [
        'the model of another algorithm',
        () => cpSync(at('pd-ddqn', 'model.safetensors'), at('damaged', 'model.safetensors')),
        'model.safetensors lacks "online.hyper.',
      ],
    ];
    it.each(damages)('a run with %s', async (_, damage, problem) => {
      rmSync(at('damaged'), { recursive: true, force: true });
      cpSync(at('first'), at('damaged'), { recursive: true });
      damage();
      const { code, out, error } = await call(['eval', at('damaged')]);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      const sentence = `psl: RUN is "${at('damaged')}", but must be a folder that psl train has finished (${problem}`;
      expect(error.slice(0, sentence.length)).toBe(sentence);
      expect(error).toMatch(/^[^\n]*\)\.\n$/);
    });

    it('no run that had fewer settings, and of the first format, which has no checksums', async () => {
      cpSync(at('first'), at('older'), { recursive: true });
      for (const name of ['config.json', 'result.json']) {
        const text = readFileSync(at('older', name), 'utf8')
          .replace('"format": 2', '"format": 1')
          .replace(/"truncationIsTerminal": \w+,/, '')
          .replace(/,\s*"sha256": "\w+"\s*\}\s*$/, '}');
        writeFileSync(at('older', name), text);
      }
      expect((await result('eval', at('older'))).hypervolume).toBe(first.hypervolume);
    });

    it('a front whose file is damaged', async () => {
      cpSync(at('first'), at('no-front'), { recursive: true });
      writeFileSync(at('no-front', 'fronts', 'final.json'), '{"format": 1, "preferences": [[1, 0]]}');
      const { code, error } = await call(['front', at('no-front')]);
      expect(code).toBe(2);
      expect(error).toContain('final.json lacks a valid "preferences"');
    });

    it.runIf(process.platform === 'linux')('a folder on a file system that accepts none', async () => {
      const { code, error } = await call(['train', 'fruit-tree-d5', ...tiny, '--out', '/proc/psl']);
      expect(code).toBe(2);
      expect(error).toBe(
        'psl: --out is "/proc/psl", but must be a folder that can be written (no such file or directory).\n',
      );
    });

    it('a folder that holds something else', async () => {
      mkdirSync(at('full'));
      writeFileSync(at('full', 'notes.txt'), 'mine');
      const { code, error } = await call(['train', 'fruit-tree-d5', ...tiny, '--out', at('full')]);
      expect(code).toBe(2);
      expect(error).toContain('but must be a folder that is new or empty, and it holds other files.\n');
      expect(readdirSync(at('full'))).toEqual(['notes.txt']);
    });
  });
});
