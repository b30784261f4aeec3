import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { algorithmNames } from '../algorithms/index.js';
import { envIds, envInfo } from '../envs/index.js';
import { deviceNames } from '../tensor/index.js';
import { commands } from './commands.js';
import { psl } from './psl.js';
import { capture } from './terminal.js';

async function call(...args: string[]) {
  const { terminal, written } = capture();
  const code = await psl(args, commands, terminal);
  return { code, ...written };
}

/** What a command prints with --json. */
async function result<T>(...args: string[]): Promise<T> {
  const { code, out, error } = await call(...args, '--json');
  expect({ code, error }).toEqual({ code: 0, error: '' });
  expect(out).toMatch(/^\{.*\}\n$/);
  return JSON.parse(out) as T;
}

describe.each([...commands.keys()])('psl %s --help', (name) => {
  it('shows usage, summary and flags', async () => {
    const { code, out, error } = await call(name, '--help');
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(out).toContain(`usage: psl ${name} `);
    expect(out).toContain(commands.get(name)!.summary);
    expect(out).toMatch(/^ {2}--json /m);
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it('is complete: a flag that it does not show is refused', async () => {
    const { code, out, error } = await call(name, '--nonsense');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error).toMatch(/^psl: option is "--nonsense".*, but must be one of: .*--json, --import, --help\.\n$/);
  });
});

describe('psl train --help', () => {
  it('is one screen, and has the settings as a topic', async () => {
    const { out } = await call('train', '--help');
    expect(out.split('\n').length).toBeLessThanOrEqual(45);
    expect(out).toMatch(/\npsl train --help settings lists all settings; .*\n$/);
    const settings = (await call('train', '--help', 'settings')).out;
    expect(settings).toContain('Settings of every training with replay:\n  steps=INTEGER ');
    expect(settings).toContain('\nSettings of psl-td3 and pd-td3:\n');
  });
});

describe('psl envs', () => {
  it('shows every environment', async () => {
    const { code, out } = await call('envs');
    expect(code).toBe(0);
    for (const id of envIds()) expect(out).toContain(`${id}: ${envInfo(id).summary}\n`);
    expect(out).toContain(
      [
        '    2 objectives: Treasure, Time',
        '    4 actions, 30 steps, front known, hypervolume 241.7331',
        '    Yang, Sun and Narasimhan, NeurIPS 2019',
      ].join('\n'),
    );
    expect(out).toContain('    3 continuous actions, 500 steps, front unknown\n');
    expect(out).toContain('    1 continuous action, 100 steps, front unknown\n');
  });

  it('gives the ceilings with their protocol as JSON', async () => {
    interface Listed {
      id: string;
      ceiling: number | null;
      protocol: unknown;
    }
    const { environments } = await result<{ environments: Listed[] }>('envs');
    expect(environments.map(({ id }) => id)).toEqual(envIds());
    const tree = environments.find(({ id }) => id === 'fruit-tree-d6');
    expect(tree).toMatchObject({
      horizon: 6,
      actionSpace: { kind: 'discrete', n: 2 },
      options: { encoding: { values: ['row-column', 'scaled', 'path', 'one-hot'], default: 'row-column' } },
      protocol: { returnDiscount: 0.99, referencePoint: [0, 0, 0, 0, 0, 0], coverageTolerance: 0.5 },
    });
    expect(tree!.ceiling).toBeCloseTo(9302.378, 3);
  });

  it('groups them by family, and shows those alone that are asked for', async () => {
    const { out } = await call('envs', '--family', 'pg-morl', '--objectives', '3');
    expect(out).toMatch(/^== pg-morl: 1 environment ==\n\nmo-hopper-v3: .*\n/);
    expect(out).toContain('\n    Xu et al., ICML 2020\n\npsl envs NAME ');
    const { environments } = await result<{ environments: { id: string }[] }>('envs', '--actions', 'discrete');
    const discrete = envIds().filter((id) => envInfo(id).actionSpace.kind === 'discrete');
    expect(environments.map(({ id }) => id)).toEqual(discrete);
    for (const none of [
      ['--objectives', '99'],
      ['minecart-v0', '--actions', 'continuous'],
    ]) {
      expect(await call('envs', ...none)).toMatchObject({ code: 0, out: 'no environment is like that\n' });
    }
    expect((await call('envs', '--family', 'pg-mor')).error).toBe(
      'psl: --family is "pg-mor" (did you mean "pg-morl"?), but must be one of: pd-morl, pg-morl, mo-gymnasium, psl-morl.\n',
    );
  });

  it('shows one environment, and refuses a name that is none', async () => {
    const { out } = await call('envs', 'mo-swimmer-v2');
    expect(out).toMatch(/^mo-swimmer-v2: .*\n {2}objectives .*\n {2}observations {2}8 numbers\n/);
    expect(out).not.toContain('\n\n');
    expect((await call('envs', 'deep-sea-treasure')).out).toBe(
      [
        `deep-sea-treasure: ${envInfo('deep-sea-treasure').summary}`,
        '  objectives    2: Treasure, Time (steps)',
        '  observations  2 numbers, 121 with encoding=one-hot',
        '  actions       4 choices',
        '  horizon       30 steps',
        '  encoding      row-column (default), one-hot. What is observed of the position: row and column as',
        '                published, or one entry per cell (1 at it, else 0).',
        '  discount      0.99 while learning',
        '  scored        by the hypervolume of returns discounted by 0.99 above 0,-19',
        '  known front   hypervolume 241.7331',
        '  source        Yang, Sun and Narasimhan, NeurIPS 2019',
        '  family        pd-morl',
        '',
      ].join('\n'),
    );
    expect((await call('envs', 'mo-hopper-v2')).out).toContain(
      '  actions       3 numbers: from -2 to 2, -2 to 2, -4 to 4\n',
    );
    const lines = (await call('envs', 'water-reservoir-v0')).out.split('\n');
    expect(lines).toContain('  observations  1 number');
    expect(lines).toContain('  actions       1 number from -1 to 1');
    // Where no front is known too.
    expect(lines).toContain('  scored        by the hypervolume of plain returns above -6500,-1200');
    expect(lines).toContain('  known front   unknown');
    const { environments } = await result<{ environments: object[] }>('envs', 'fruit-tree-d6');
    expect(environments).toHaveLength(1);
    expect(environments[0]).toMatchObject({ observations: { size: 2, with: { 'encoding=path': 6 } } });
    const { code, error } = await call('envs', 'mo-swimer-v2');
    expect(code).toBe(2);
    expect(error).toMatch(/^psl: NAME is "mo-swimer-v2" \(did you mean "mo-swimmer-v2"\?\)/);
  });
});

describe('psl devices', () => {
  it('shows every device with what it runs on', async () => {
    const { code, out } = await call('devices');
    expect(code).toBe(0);
    for (const name of deviceNames()) expect(out).toMatch(new RegExp(`^ {2}${name} +\\w+`, 'm'));
  });

  it('gives the same as JSON', async () => {
    const { devices } = await result<{ devices: { name: string }[] }>('devices');
    expect(devices.map(({ name }) => name)).toEqual(deviceNames());
    expect(devices.find(({ name }) => name === 'reference')).toMatchObject({ available: true, problem: null });
  });
});

describe('psl metrics', () => {
  let folder: string;
  let tree: string;
  const file = async (name: string, text: string) => {
    const path = join(folder, name);
    await writeFile(path, text);
    return path;
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'psl-metrics-'));
    const info = envInfo('fruit-tree-d5');
    tree = await file('tree.json', JSON.stringify({ points: info.knownFront!(0.99) }));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('scores a front with its protocol', async () => {
    const path = await file('front.csv', 'speed,energy\n1,3\n3,1\n3,1\n1,1\n');
    expect(await result('metrics', path, '--ref', '0,0', '--divisions', '2')).toEqual({
      hypervolume: 5,
      ceiling: null,
      sparsity: { distinct: 8, published: 4 },
      cardinality: 2,
      // The best of w = [0, 1], [0.5, 0.5], [1, 0].
      expectedUtility: (3 + 2 + 3) / 3,
      igd: null,
      igdPlus: null,
      coverage: null,
      maximumUtilityLoss: null,
      protocol: {
        file: path,
        points: 4,
        objectives: 2,
        referencePoint: [0, 0],
        outside: 0,
        leftOut: [],
        preferences: { kind: 'simplex grid', divisions: 2, count: 3 },
        front: null,
        coverageTolerance: null,
      },
    });
  });

  it('compares with the best front that is known', async () => {
    const points = await file('found.csv', '1;3\n0;0\n');
    const front = await file('best.csv', '1 3\n3 1\n');
    const args = ['metrics', points, '--ref', '-1,-1', '--front', front, '--divisions', '1'];
    expect(await result(...args)).toMatchObject({
      hypervolume: 8,
      ceiling: 12,
      igd: Math.sqrt(8) / 2,
      igdPlus: 1,
      coverage: { precision: 0.5, recall: 0.5, f1: 0.5 },
      maximumUtilityLoss: 2,
      protocol: { front, coverageTolerance: 0.5 },
    });
    expect(await result(...args, '--tolerance', '4.5')).toMatchObject({
      coverage: { precision: 1, recall: 1, f1: 1 },
      protocol: { coverageTolerance: 4.5 },
    });
    const { out } = await call(...args);
    const lines = out.split('\n');
    expect(lines.slice(0, 12)).toEqual([
      `${points}: 2 points, 2 objectives`,
      '  hypervolume           8, 66.66667 % of the ceiling 12',
      '  sparsity              - over distinct points, 0 with every copy, as published',
      '  cardinality           1 (distinct non-dominated points, of 2)',
      '  expected utility      2',
      '  IGD                   1.414214',
      '  IGD+                  1',
      '  coverage F1           0.5 (precision 0.5, recall 0.5)',
      '  maximum utility loss  2',
      '  protocol              reference point -1,-1',
      '                        utility over the 2 preferences of the simplex grid with step 1/1',
      '                        coverage within an L1 distance of 0.5',
    ]);
    // Where this line breaks depends on the length of the path.
    expect(lines.slice(12).join(' ').trim().split(/\s+/)).toEqual(['ceiling', 'from', front]);
  });

  const TREASURES =
    'Treasure,Time,preference Treasure,preference Time,reference Treasure,reference Time\n' +
    '1,-1,0,1,0,-19\n124,-19,1,0,0,-19\n74,-17,0.5,0.5,0,-19\n';

  it('takes the reference point of a file, and says which points are not above it', async () => {
    const path = await file('treasures.csv', TREASURES);
    // (1 - 0) * (-1 + 19) and of 74 what that leaves, (74 - 1) * (-17 + 19).
    expect(await call('metrics', path)).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^warning: 1 of 3 points are not above 0,-19 in every objective and do not count in the hypervolume: \(124, -19\)\n.*: 3 points, 2 objectives\n {2}hypervolume +164\n/,
      ) as string,
    });
    expect(await call('metrics', path, '--ref', '0,0')).toMatchObject({
      out: expect.stringContaining(
        'warning: no point is above 0,0 in every objective (Time is -1 at most), so the hypervolume is 0; ' +
          'FILE names the reference point 0,-19\n',
      ) as string,
    });
    const { code, out, error } = await call('metrics', path, '--ref', '0,0', '--json');
    expect({ code, error }).toEqual({ code: 0, error: expect.stringMatching(/^warning: no point .*\n$/) as string });
    expect(JSON.parse(out)).toMatchObject({ hypervolume: 0, protocol: { outside: 3, referencePoint: [0, 0] } });
  });

  it('leaves out row numbers and labels, and says so', async () => {
    const path = await file('pandas.csv', ',method,speed,energy\n0,psl,1,3\n1,"psl, too",3,1\n');
    const { out } = await call('metrics', path, '--ref', '0,0');
    expect(out).toMatch(/^.*: 2 points, 2 objectives\n {2}hypervolume +5\n/);
    expect(out).toMatch(/\n +left out: the row numbers, method\n/);
  });

  it('knows the hypervolume of the fruit tree', async () => {
    const scores = await result<Record<string, number>>('metrics', tree, '--ref', '0,0,0,0,0,0', '--front', tree);
    expect(scores.hypervolume).toBeCloseTo(6920.582, 3);
    expect(scores.ceiling).toBe(scores.hypervolume);
    expect(scores).toMatchObject({
      cardinality: 32,
      maximumUtilityLoss: 0,
      protocol: { preferences: { divisions: 10, count: 3003 } },
    });
  });

  it.each([
    [[], '--ref is missing, but must be 2 numbers, one per objective of FILE, which has no reference point.'],
    [['--ref', '0'], '--ref is "0", but must be 2 numbers, one per objective of FILE.'],
    [['--ref', '0,nan'], '--ref is "0,nan", but must be a list of finite numbers.'],
    [['--ref', '0,0', '--tolerance', '1'], '--tolerance is 1, but must be left out without --front.'],
    [['--ref', '0,0', '--divisions', '0'], '--divisions is "0", but must be an integer of at least 1.'],
    [
      ['--ref', '0,0', '--divisions', '1e7'],
      '--divisions is 10000000, but must be so small that 2 objectives have at most 1000000 preferences.',
    ],
    [
      ['--ref', '0,0', '--front', 'TREE'],
      '--front is "TREE", but must be a front of 2 objectives like FILE, not of 6.',
    ],
  ])('refuses %j', async (flags, message) => {
    const path = await file('two.csv', '1,2\n');
    const { code, out, error } = await call('metrics', path, ...flags.map((flag) => flag.replace('TREE', tree)));
    expect({ code, out, error: error.replace(tree, 'TREE') }).toEqual({ code: 2, out: '', error: `psl: ${message}\n` });
  });

  it.each([
    ['1,2\n3\n', /^psl: line 2 in FILE .* is "3", but must be 2 numbers, like the first one\.\n$/],
    ['1,2\n3,nan\n', /^psl: number 2 of line 2 in FILE .* is "nan", but must be a finite number\.\n$/],
    ['1e200,1e200\n', /^psl: points has a hypervolume beyond the largest number, .*\.\n$/],
    ['-1e200,0\n-1,-1\n', /^psl: FILE has numbers too large to be squared, .*\.\n$/],
  ])('refuses a file with %j and writes nothing', async (text, message) => {
    const path = await file('bad.csv', text);
    const before = await readdir(folder);
    const { code, out, error } = await call('metrics', path, '--ref', '0,0', '--json');
    expect(code).toBe(2);
    expect(error).toMatch(message);
    expect(JSON.parse(out)).toEqual({ error: { message: error.slice('psl: '.length, -1), exitCode: 2 } });
    expect(await readdir(folder)).toEqual(before);
  });

  it('refuses a file that is not there', async () => {
    const path = join(folder, 'none.csv');
    expect(await call('metrics', path, '--ref', '0,0')).toEqual({
      code: 2,
      out: '',
      error: `psl: FILE is "${path}", but must be a file that can be read (no such file or directory).\n`,
    });
  });
});

describe('psl algos', () => {
  it('shows every algorithm', async () => {
    const { code, out } = await call('algos');
    expect(code).toBe(0);
    for (const name of algorithmNames()) expect(out).toMatch(new RegExp(`^${name}: `, 'm'));
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
  });

  it.each([
    ['psl-ddqn', ['steps=', 'alpha=', 'epsilonStart=']],
    ['envelope', ['steps=', 'homotopy=']],
    ['pg-morl', ['steps=', 'horizon=', 'taskDivisions=']],
  ])('shows every setting of %s', async (name, settings) => {
    const { code, out } = await call('algos', name);
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^${name}: `));
    for (const setting of settings) expect(out).toMatch(new RegExp(`^ {2}${setting}`, 'm'));
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
  });

  it('shows the defaults that an algorithm has of its own', async () => {
    expect((await call('algos', 'pd-ddqn')).out).toMatch(/^ {2}family=NAME [^=]*default:\s+conditioned/m);
    const { algorithms, training } = await result<{ algorithms: object[]; training: object }>('algos', 'pd-ddqn');
    expect(algorithms).toHaveLength(1);
    expect(Object.keys(training)).toEqual(['off-policy']);
  });

  it('gives the same as JSON', async () => {
    interface Listed {
      name: string;
      actions: string;
      settings: { name: string; default: unknown }[];
    }
    const { algorithms } = await result<{ algorithms: Listed[] }>('algos');
    expect(algorithms.map(({ name }) => name)).toEqual(algorithmNames());
    const family = (name: string) =>
      algorithms.find((one) => one.name === name)!.settings.find((setting) => setting.name === 'family')!.default;
    expect([family('psl-ddqn'), family('pd-ddqn')]).toEqual(['fused', 'conditioned']);
  });
});
