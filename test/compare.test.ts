import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { callsOf } from './support/calls.js';
import { temporaryFolder } from './support/temporary-folder.js';
import { toyEnv } from './support/toy.mjs';
import { environmentOf, register } from '../src/envs/index.js';
import type { ComparedEntry, ComparedPair, FrontUnion } from '../src/fronts/index.js';
import { trainRun, type RunResult } from '../src/runs/index.js';
import { planTraining, type Protocol, type TrainingRequest } from '../src/training/index.js';
import { commands } from '../src/cli/commands.js';
import type { ComparisonProtocol } from '../src/cli/comparison-lines.js';
import { psl } from '../src/cli/psl.js';
import { capture } from '../src/cli/terminal.js';

/** A walk whose episodes have five steps, in a wind that is only said to blow. */
const SLOPE = 'test-compared-slope';
register({
  ...toyEnv(environmentOf, SLOPE, { horizon: 5, noise: 0 }),
  options: { wind: { summary: 'Whether there is any.', values: ['no', 'yes'], default: 'no' } },
  discountedReturns: true,
  referencePoint: [-1, 0],
});

/** Three tasks of 16 steps an iteration, and seven iterations. */
const POPULATION = {
  taskDivisions: 2,
  children: 2,
  horizon: 8,
  batch: 8,
  epochs: 2,
  steps: 7 * 48,
  warmup: 4,
  generation: 2,
  hidden: [8],
  criticHidden: [8],
};
const REPLAYED = {
  steps: 120,
  children: 2,
  updatesPerStep: 0.2,
  startSteps: 10,
  learnAfter: 20,
  batch: 8,
  groups: 2,
  hidden: [8],
  hyperHidden: [8],
  criticHidden: [8],
  criticAngle: 0,
  actorAngle: 0,
  keyUpdates: null,
};

const folder = temporaryFolder('compare');
const at = (...names: string[]) => join(folder, ...names);
const text = (...names: string[]) => readFileSync(at(...names), 'utf8');
const resultOf = (...names: string[]) => JSON.parse(text(...names, 'result.json')) as RunResult;

const { call } = callsOf({ psl, commands, capture });

interface Compared {
  readonly each: boolean;
  readonly entries: readonly (ComparedEntry & { runs: { name: string; protocol: Protocol | null }[] })[];
  readonly best: Readonly<Record<string, readonly string[]>>;
  readonly pairs: readonly ComparedPair[];
  readonly union: FrontUnion;
  readonly protocol: ComparisonProtocol;
  readonly notes: readonly string[];
  readonly picture: string | null;
}

/** What `psl compare` prints with --json. */
async function compared(...args: string[]): Promise<Compared> {
  const { code, out, error } = await call('compare', ...args, '--json');
  expect({ code, error }).toEqual({ code: 0, error: '' });
  return JSON.parse(out) as Compared;
}

/** A tiny run on the slope, into a folder of its own. */
async function train(name: string, algorithm: string, { settings, ...request }: Partial<TrainingRequest> = {}) {
  const own = algorithm === 'psl-td3' ? REPLAYED : POPULATION;
  const scored = { evaluations: 1, evaluationDivisions: 4 };
  const plan = planTraining({
    env: SLOPE,
    algorithm,
    device: 'cpu:1',
    workers: 0,
    ...request,
    settings: { ...own, ...scored, ...settings },
  });
  await trainRun(plan, { out: at(name) });
}

beforeAll(async () => {
  await train('td3', 'psl-td3');
  await train('pg-morl', 'pg-morl');
  await train('several', 'psl-td3', { replicas: 2 });
  await train('coarse', 'psl-td3', {
    settings: { evaluationDivisions: 2, episodes: 2 },
    envOptions: { wind: 'yes' },
  });
  const discrete = { hidden: [8], hyperHidden: [8], steps: 200, children: 2, evaluations: 1, evaluationDivisions: 4 };
  const treasure = { env: 'deep-sea-treasure', device: 'cpu:1', settings: discrete };
  await trainRun(planTraining(treasure), { out: at('treasure') });
  await trainRun(planTraining({ ...treasure, settings: { ...discrete, discount: 0.9 } }), { out: at('impatient') });
  await trainRun(planTraining({ ...treasure, env: 'fruit-tree-d5' }), { out: at('tree') });
  await trainRun(planTraining({ ...treasure, env: 'fruit-tree-d5', algorithm: 'pd-ddqn' }), { out: at('tree-pd') });
  writeFileSync(at('wide.csv'), 'Up,Calm\n1,3\n3,1\n3,1\n');
  writeFileSync(at('single.json'), '{"objectives": ["Speed", "Calm"], "points": [[2, 2]]}');
  writeFileSync(at('three.csv'), '1,2,3\n');
}, 120_000);

describe('psl compare', () => {
  it('measures a population and a hypernetwork alike, as their own results have it', async () => {
    const { each, entries, protocol, union, pairs, notes } = await compared(at('td3'), at('pg-morl'));
    expect(each).toBe(true);
    expect(entries.map(({ label, algorithm, preset }) => [label, algorithm, preset])).toEqual([
      ['td3', 'psl-td3', 'quick'],
      ['pg-morl', 'pg-morl', 'quick'],
    ]);
    for (const { label, runs } of entries) {
      const { hypervolume, sparsity, expectedUtility, regret, points, envSteps, gradientSteps } = resultOf(label);
      const own = { hypervolume, sparsity, expectedUtility, regret, points, envSteps, gradientSteps };
      expect(runs).toMatchObject([{ name: label, seed: 1, stopped: false, ...own }]);
    }
    expect(entries.map(({ regret }) => regret === null)).toEqual([false, true]);
    expect(entries.map(({ runs: [{ protocol: own }] }) => own!.preferences.kind)).toEqual(['simplex grid', 'members']);
    expect(protocol).toEqual({
      env: SLOPE,
      returnDiscount: 0.9,
      referencePoint: [-1, 0],
      preferences: { kind: 'simplex grid', divisions: 4, floatExact: false, count: 5 },
      ceiling: null,
    });
    expect(pairs).toMatchObject([
      { of: 'td3', by: 'pg-morl', pairs: 1, points: resultOf('td3').points },
      { of: 'pg-morl', by: 'td3', pairs: 1, points: resultOf('pg-morl').points },
    ]);
    const volumes = [resultOf('td3'), resultOf('pg-morl')].map(({ hypervolume }) => hypervolume);
    expect(union.hypervolume).toBeGreaterThanOrEqual(Math.max(...volumes));
    union.entries.forEach(({ share, alone }, i) => {
      expect(share).toBeCloseTo(volumes[i] / union.hypervolume, 12);
      expect(alone).toBeCloseTo(1 - volumes[1 - i] / union.hypervolume, 12);
    });
    expect(notes).toEqual([
      'sparsity with copies compares only what was played at the same preferences: take that over distinct points',
    ]);
  });

  it('prints one table, who dominates whom, what all reach together, and the protocol', async () => {
    const { code, out, error } = await call('compare', at('td3'), at('pg-morl'), at('wide.csv'));
    expect({ code, error }).toEqual({ code: 0, error: '' });
    const [title, , head, ...rest] = out.split('\n');
    expect(title).toBe(`${SLOPE}: 3 fronts`);
    expect(head).toMatch(
      /^ +run +algorithm +preset +seed +hypervolume +sparsity +with copies +utility +regret % +points +steps$/,
    );
    expect(rest[0]).toMatch(/^A {2}td3 +psl-td3 +quick +1 +\d/);
    expect(rest[0].split(/[ *]+/).slice(5)).toContain(String(Number(resultOf('td3').hypervolume.toPrecision(7))));
    const { regret } = resultOf('td3');
    expect(rest[0]).toMatch(new RegExp(` ${(100 * regret!.mean).toFixed(1)}  +\\d+[ *] +120$`));
    expect(rest[1]).toMatch(/^B {2}pg-morl +pg-morl +quick +1 .* 336$/);
    expect(rest[2]).toMatch(/^C {2}wide\.csv +- +- +- .* 2 .* -$/);
    expect(out).toMatch(/^[ABC] .*\d\*/m);
    expect(out).toContain('\npoints of the row that the front of the column dominates:\n');
    expect(out).toMatch(/^ {2}C +\d of 2 +\d of 2 +-$/m);
    expect(out).toMatch(/^all fronts together: hypervolume [\d.]+, \d+ points? that none dominates$/m);
    expect(out).toMatch(/^ {2}B +\d+\.\d\d % +\d+\.\d\d % {2}pg-morl$/m);
    expect(out).toContain('reference point -1,0, returns discounted by 0.9\n');
    expect(out).toContain('A: played at 5 preferences on the simplex grid with step 1/4, 1 episode each; ');
    expect(out).toContain('B: every policy of a finite set, 1 episode each; all policies are kept');
    expect(out).toContain('C: points as they are in the file\n');
  });

  it('takes seeds together, and lists them where that is asked for', async () => {
    const [first, second] = ['seed-1', 'seed-2'].map((seed) => resultOf('several', seed).hypervolume);
    const { each, entries, pairs } = await compared(at('several'), at('pg-morl'));
    expect(each).toBe(false);
    expect(entries.map(({ label }) => label)).toEqual(['psl-td3 quick', 'pg-morl quick']);
    expect(entries[0].runs.map(({ name, seed }) => [name, seed])).toEqual([
      ['several/seed-1', 1],
      ['several/seed-2', 2],
    ]);
    expect(entries[0].hypervolume.count).toBe(2);
    expect(entries[0].hypervolume.mean).toBeCloseTo((first + second) / 2, 9);
    expect(entries[0].hypervolume.standardDeviation).toBeCloseTo(Math.abs(first - second) / Math.SQRT2, 9);
    expect(pairs[0].pairs).toBe(2);

    const { out } = await call('compare', at('several'), at('pg-morl'));
    expect(out).toMatch(new RegExp(`^${SLOPE}: 2 methods, 3 runs\n`));
    expect(out).toMatch(/^A {2}psl-td3 +quick +2 +[\d.]+±[\d.e-]+\*? /m);
    expect(out).toMatch(/^B {2}pg-morl +quick +1 +[\d.]+\*? /m);
    expect(out).toMatch(/^ {2}A +- +\d+\.\d %$/m);
    expect(out).toMatch(/means\s+±\s+standard\s+deviations\s+of\s+the\s+sample/);

    const all = await compared(at('several'), at('pg-morl'), '--each');
    expect(all.entries.map(({ label }) => label)).toEqual(['several/seed-1', 'several/seed-2', 'pg-morl']);
    expect(all.pairs).toHaveLength(6);
    // A folder with one method is worth a look too, and the same run twice is one.
    expect((await compared(at('several'), at('several', 'seed-1'))).entries).toHaveLength(1);
  });

  it('says what runs differ in besides their seeds', async () => {
    const { entries, protocol, notes } = await compared(at('td3'), at('several'), at('coarse'));
    expect(entries.map(({ label, runs }) => [label, runs.length])).toEqual([
      // Of td3 and several/seed-1, which are the same seed, one.
      ['psl-td3 quick evaluationDivisions=4 episodes=1 wind=no', 2],
      ['psl-td3 quick evaluationDivisions=2 episodes=2 wind=yes', 1],
    ]);
    // The finest of all, for all.
    expect(protocol.preferences).toMatchObject({ divisions: 4, count: 5 });
    const grids =
      'A 5 preferences on the simplex grid with step 1/4; B 3 preferences on the simplex grid with step 1/2';
    expect(notes).toEqual([
      `not played at the same preferences (${grids}): more of them can show more points of the same set`,
      'sparsity with copies compares only what was played at the same preferences: take that over distinct points',
      'not played for the same number of episodes (A 1; B 2)',
      'not the same options of the environment (A wind=no; B wind=yes)',
      'several/seed-1 is seed 1 of A once more, not another seed',
    ]);
    const { out } = await call('compare', at('td3'), at('coarse'));
    expect(out).toContain('note: not played at the same preferences (A 5 preferences');
    expect((await compared(at('td3'), at('coarse'), '--divisions', '10')).protocol.preferences.count).toBe(11);
  });

  it('measures the file of a front as it does the run', async () => {
    for (const format of ['csv', 'json']) {
      expect((await call('front', at('pg-morl'), '--format', format, '--out', at(`pg.${format}`))).code).toBe(0);
      const { entries, pairs, notes } = await compared(at('pg-morl'), at(`pg.${format}`));
      expect(entries[1].hypervolume.mean).toBe(entries[0].hypervolume.mean);
      expect(entries[1].expectedUtility.mean).toBe(entries[0].expectedUtility.mean);
      expect(pairs).toMatchObject([
        { dominated: 0, coveredShare: 1 },
        { dominated: 0, coveredShare: 1 },
      ]);
      expect(notes).toHaveLength(1);
    }
  });

  it('compares files alone over a reference point of their own', async () => {
    const args = [at('wide.csv'), at('single.json'), '--ref', '0,0', '--divisions', '2'];
    const { entries, best, union, protocol, notes } = await compared(...args);
    expect(entries.map(({ hypervolume }) => hypervolume.mean)).toEqual([5, 4]);
    expect(entries.map(({ expectedUtility }) => expectedUtility.mean)).toEqual([(3 + 2 + 3) / 3, 2]);
    expect(best).toMatchObject({ hypervolume: ['wide.csv'], points: ['wide.csv'], sparsity: [] });
    expect(union).toMatchObject({ hypervolume: 6, points: 3 });
    expect(protocol).toMatchObject({ env: null, referencePoint: [0, 0], preferences: { count: 3, floatExact: false } });
    expect(notes).toEqual(['single.json calls its objectives Speed, Calm, not Up, Calm']);
    const { out } = await call('compare', ...args);
    expect(out).toMatch(/^fronts: 2 fronts\n/);
    expect(out).toMatch(/^A {2}wide\.csv +- +- +- +5\* +8 +4 +2\.666667\* +- +2\* +-$/m);
    expect(out).toMatch(/^B {2}single\.json +- +- +- +4 +- +0 +2 +- +1 +-$/m);
  });

  it('counts a reference point that is given in the units of the returns', async () => {
    const { entries } = await compared(at('wide.csv'), at('single.json'), at('td3'), '--ref', '0,0');
    expect(entries.slice(0, 2).map(({ hypervolume }) => hypervolume.mean)).toEqual([5, 4]);
  });

  it('knows the ceiling, and takes the runs of one environment out of many', async () => {
    mkdirSync(at('mixed'));
    for (const name of ['treasure', 'tree', 'tree-pd']) cpSync(at(name), at('mixed', name), { recursive: true });
    const { entries, protocol } = await compared(at('mixed'), '--env', 'fruit-tree-d5');
    expect(entries.map(({ label }) => label)).toEqual(['tree', 'tree-pd']);
    expect(protocol.ceiling).toBeCloseTo(6920.582, 3);
    expect(protocol.preferences.count).toBe(entries[0].runs[0].protocol!.preferences.count);
    expect((await call('compare', at('mixed'), '--env', 'fruit-tree-d5')).out).toContain(
      'hypervolume of the known front 6920.58',
    );
  });

  it('leaves out what is not finished in a folder, and says so', async () => {
    mkdirSync(at('table'));
    for (const name of ['td3', 'pg-morl']) cpSync(at(name), at('table', name), { recursive: true });
    cpSync(at('td3'), at('table', 'begun'), { recursive: true });
    rmSync(at('table', 'begun', 'result.json'));
    const { entries, notes } = await compared(at('table'));
    expect(entries.map(({ label }) => label)).toEqual(['pg-morl', 'td3']);
    expect(notes[0]).toBe(`${at('table', 'begun')} is left out: it is not finished; psl resume goes on with it`);
  });

  it('tells of runs that were stopped, and leaves them out where their like was finished', async () => {
    let steps = 0;
    const stopAt = (name: string) =>
      trainRun(planTraining({ env: SLOPE, algorithm: 'psl-td3', device: 'cpu:1', workers: 0, settings: REPLAYED }), {
        out: at('tries', name),
        events: { progress: (progress) => (steps = progress.envSteps), shouldStop: () => steps >= 40 },
      });
    await stopAt('first');
    const { notes } = await compared(at('tries'), at('pg-morl'));
    expect(notes).toContainEqual(expect.stringMatching(/^tries\/first was stopped early, after \d+ steps$/));
    steps = 0;
    const plan = planTraining({ env: SLOPE, algorithm: 'psl-td3', device: 'cpu:1', workers: 0, settings: REPLAYED });
    await trainRun(plan, { out: at('tries', 'first-2') });
    const again = await compared(at('tries'), at('pg-morl'));
    expect(again.entries.map(({ label }) => label)).toEqual(['tries/first-2', 'pg-morl']);
    const [left] = again.notes;
    expect(left).toBe(`${at('tries', 'first')} is left out: it was stopped, and ${at('tries', 'first-2')} is its like`);
  });
});

describe('psl compare --picture', () => {
  it('draws all fronts, seeds of a method alike, and never over a file unless it is asked to', async () => {
    const args = [at('several'), at('pg-morl'), '--picture', at('fronts.svg')];
    const { picture } = await compared(...args);
    expect(picture).toBe(at('fronts.svg'));
    const svg = text('fronts.svg');
    expect(svg).toMatch(/^<svg /);
    expect(svg).toMatch(/>A psl-td3 quick, hypervolume [\d.]+±[\d.e-]+ \(2 fronts\)</);
    expect(svg).toMatch(/>B pg-morl quick, hypervolume [\d.]+ \(\d+\)</);
    expect(svg).toContain('>Up (m) →<');

    writeFileSync(at('fronts.svg'), 'mine');
    const refused = await call('compare', ...args);
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.error).toMatch(
      /fronts\.svg", but must be a file that is not there yet, unless --replace is given\.\n$/,
    );
    expect(text('fronts.svg')).toBe('mine');
    const { code, out } = await call('compare', ...args, '--replace');
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`\npicture: .*fronts\\.svg"?\n$`));
    expect(text('fronts.svg')).toBe(svg);
  });

  it('shows six objectives as lines, each front in a colour of its own', async () => {
    expect((await call('compare', at('tree'), at('tree-pd'), '--picture', at('trees.svg'))).code).toBe(0);
    for (const name of ['Protein', 'Water', 'A tree', 'B tree-pd']) expect(text('trees.svg')).toContain(`>${name}`);
  });

  it('is a PNG where the name says so', async () => {
    expect((await call('compare', at('td3'), at('pg-morl'), '--picture', at('fronts.png'))).code).toBe(0);
    expect(readFileSync(at('fronts.png')).subarray(1, 4).toString()).toBe('PNG');
  });
});

describe('psl compare refuses', () => {
  it.each([
    ['', 'RUN is missing, but must be a finished run, a folder that holds some, or a file with a front.'],
    ['@td3', 'RUN is "@td3", but must be at least 2 fronts, or a folder that holds as many runs.'],
    ['@td3 @td3', 'RUN is "@td3 @td3", but must be at least 2 fronts, or a folder that holds as many runs.'],
    [
      '@td3 @none',
      'RUN is "@none", but must be a finished run, a folder that holds some, or a file with a front (no such file or directory).',
    ],
    [
      '@td3 @empty',
      'RUN is "@empty", but must be a finished run, a folder that holds some, or a file with a front (config.json cannot be read (no such file or directory)).',
    ],
    [
      '@td3 @unfinished',
      'RUN is "@unfinished", but must be a finished run, a folder that holds some, or a file with a front (@unfinished/run is left out: it is not finished; psl resume goes on with it).',
    ],
    [
      '@td3 @treasure',
      `RUN is "@treasure", but must be on ${SLOPE} like @td3, not on deep-sea-treasure; --env NAME leaves other ones out.`,
    ],
    [
      '@treasure @impatient',
      'RUN is "@impatient", but must be a run whose returns are discounted by 0.99 like those of @treasure, not by 0.9.',
    ],
    ['@three.csv @td3', 'RUN is "@three.csv", but must be a front of 2 objectives like @td3, not of 3.'],
    ['@wide.csv @three.csv', 'RUN is "@three.csv", but must be a front of 2 objectives like @wide.csv, not of 3.'],
    ['@wide.csv @single.json', '--ref is missing, but must be 2 numbers, one per objective.'],
    ['@td3 @pg-morl --ref 0', '--ref is "0", but must be 2 numbers, one per objective.'],
    ['@td3 @pg-morl --env mo-ant-v2', `--env is "mo-ant-v2", but must be one of: ${SLOPE}.`],
    ['@wide.csv @single.json --ref 0,0 --env x', '--env is "x", but must be left out without a run.'],
    [
      '@td3 @pg-morl --divisions 9999999',
      '--divisions is 9999999, but must be so small that 2 objectives have at most 1000000 preferences.',
    ],
    ['@td3 @pg-morl --picture @a.gif', '--picture is "@a.gif", but must be a file whose name ends with .svg or .png.'],
    [
      '@td3 @pg-morl --picture @none/a.svg',
      '--picture is "@none/a.svg", but must be a file that can be written (no such file or directory).',
    ],
    ['@td3 @pg-morl --replace', '--replace is true, but must be left out without --picture.'],
  ])('%s', async (line, message) => {
    mkdirSync(at('empty'), { recursive: true });
    if (!existsSync(at('unfinished'))) {
      cpSync(at('td3'), at('unfinished', 'run'), { recursive: true });
      rmSync(at('unfinished', 'run', 'result.json'));
    }
    const before = readdirSync(folder);
    const args = line.split(' ').filter((word) => word !== '');
    const { code, out, error } = await call('compare', ...args.map((word) => word.replace('@', folder + sep)));
    const short = error.replaceAll(folder + sep, '@');
    expect({ code, out, error: short }).toEqual({ code: 2, out: '', error: `psl: ${message}\n` });
    expect(readdirSync(folder)).toEqual(before);
  });
});
