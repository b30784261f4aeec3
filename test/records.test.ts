import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Report, SeedResult } from '../src/experiments/experiment.js';
import { scoreProtocolOf } from '../src/experiments/final-score.js';
import { mujoco, tables } from '../src/experiments/index.js';
import { runsOf } from '../src/experiments/job.js';
import { planMerge, writeMerge } from '../src/experiments/merge.js';
import { planReproduction } from '../src/experiments/plan.js';
import { storedRecords } from '../src/experiments/records.js';
import { reportOf } from '../src/experiments/report.js';
import { checkReproductionOut, finishedOutcomes } from '../src/experiments/run.js';
import { Random } from '../src/random/index.js';
import { mutatedData } from './support/mutate.js';
import { outcomeOf } from './support/outcome.js';
import { temporaryFolder } from './support/temporary-folder.js';

const folder = temporaryFolder('records');
const at = (...names: string[]) => join(folder, ...names);
let files = 0;

/** Writes a report where it can be merged from. */
function stored(report: unknown): string {
  const path = at(`report-${files++}.json`);
  writeFileSync(path, JSON.stringify(report));
  return path;
}

const { final } = mujoco.budgets.million;
const planned = planReproduction(mujoco, {
  budget: 'million',
  cases: ['mo-swimmer-v2', 'mo-hopper-v2'],
  methods: ['ra', 'psl-td3'],
});

/** The report of runs that nobody made, all different. */
function reported(reproduction = planned): Report {
  const outcomes = reproduction.jobs.flatMap(runsOf).map((run, i) => {
    const { plan } = run;
    return outcomeOf(run, 20_000 + 100 * i, 5 + i, {
      run: `elsewhere/${i}`,
      chosenBy: 21_000 + i,
      // Other numbers of replicas for other seeds.
      protocol: scoreProtocolOf(plan, plan.seed, final),
      device: i % 2 === 0 ? 'gpu' : 'cpu:1',
      machine: { cpu: 'any', cores: 2, gpu: i % 2 === 0 ? 'some' : null },
      versions: { psl: '0.1.0', node: `${20 + 2 * (i % 2)}.0.0` },
      coverageF1: i / 8,
      regret: { mean: 0.1, worst: 0.5, below80: 0.01 },
      front: [
        [1, 0],
        [0, i],
      ],
      curve: [{ envSteps: 1000, seconds: i, hypervolume: 7000 + i }],
    });
  });
  return JSON.parse(JSON.stringify(reportOf(reproduction, outcomes, 'elsewhere'))) as Report;
}

/** A copy in which every seed has changed. */
function changed(report: Report, change: (seed: SeedResult) => Partial<SeedResult>): Report {
  const entries = report.entries.map((entry) => ({
    ...entry,
    seeds: entry.seeds.map((seed) => ({ ...seed, ...change(seed) })),
  }));
  return { ...report, entries };
}

/** The same without what a merge does not keep: where the runs were. */
const withoutFolders = (report: Report): Report => ({ ...changed(report, () => ({ run: null })), folder: '' });

const merged = (...sources: string[]) => planMerge(sources, { experiments: tables });

async function mergedReport(out: string, ...sources: string[]): Promise<Report> {
  const merge = merged(...sources);
  writeMerge(merge, at(out));
  const { reproduction } = merge;
  return reportOf(reproduction, await finishedOutcomes(reproduction, at(out)), at(out));
}

describe('a report that is merged', () => {
  const report = reported();

  it('gives the same report again, but for the folders of its runs', async () => {
    const again = await mergedReport('same', stored(report));
    expect(JSON.parse(JSON.stringify(withoutFolders(again)))).toEqual(withoutFolders(report));
    expect(readdirSync(at('same')).sort()).toEqual(['records.json', 'reproduction.json']);
  });

  it('can be merged again from the folder that keeps it, and beside the report that it came from', async () => {
    await mergedReport('first', stored(report));
    const { merged: all, duplicates } = merged(at('first'), stored(report), at('first', 'records.json'));
    expect([all.length, duplicates]).toEqual([12, 24]);
    const again = await mergedReport('second', at('first'));
    expect(readFileSync(at('second', 'records.json'), 'utf8')).toBe(readFileSync(at('first', 'records.json'), 'utf8'));
    expect(again.runs).toEqual({ planned: 12, finished: 12, additional: 0 });
  });

  it('joins others with other seeds, methods and robots', async () => {
    const request = { budget: 'million', cases: ['mo-swimmer-v2'], methods: ['psl-td3'] };
    const parts = [
      planReproduction(mujoco, { ...request, seeds: 2 }),
      planReproduction(mujoco, { ...request, firstSeed: 3, seeds: 1 }),
      planReproduction(mujoco, { ...request, methods: ['pfa'], seeds: 1 }),
    ];
    const all = await mergedReport('joined', ...parts.map((part) => stored(reported(part))));
    expect(all.runs).toEqual({ planned: 6, finished: 4, additional: 0 });
    expect(all.entries.map(({ key, seeds }) => [key, seeds.map(({ seed }) => seed)])).toEqual([
      ['pfa', [1]],
      ['psl-td3', [1, 2, 3]],
    ]);
  });

  it('plans the seeds of the budget, and counts further ones besides', async () => {
    const request = { budget: 'million', cases: ['mo-swimmer-v2'] };
    const parts = [
      planReproduction(mujoco, { ...request, methods: ['psl-td3'], seeds: 6 }),
      planReproduction(mujoco, { ...request, methods: ['ra'], seeds: 2 }),
    ].map((part) => stored(reported(part)));
    const all = await mergedReport('further', ...parts);
    expect(all).toMatchObject({ runs: { planned: 6, finished: 5, additional: 3 }, stopped: true });
    expect(all.entries.map(({ seeds }) => seeds.length)).toEqual([2, 6]);
    expect(all.notes).toEqual(
      expect.arrayContaining([
        'Command: psl reproduce mujoco --budget million --envs mo-swimmer-v2 --methods ra,psl-td3 --seeds 3',
        'Seeds 1 to 3 of every method on every robot of this report are planned. There are 2 to 6 seeds of each; every finished run is counted, also the bad ones.',
        "Our ranks are of the seeds that all ranked methods have, and the table's other numbers of all seeds: seeds 1, 2 on MO-Swimmer-v2.",
      ]),
    );
    // As many as all of them have are planned.
    expect((await mergedReport('alike', parts[0])).runs).toEqual({ planned: 6, finished: 6, additional: 0 });
  });

  it('of an earlier version has for each seed what it has for all of them', async () => {
    const older = {
      ...report,
      entries: report.entries.map(({ settings: { nStep: _newer, ...settings }, seeds, ...entry }) => ({
        ...entry,
        settings,
        seeds: seeds.map(
          ({ versions: _versions, lockstep: _lockstep, coverageF1: _coverage, machine: _machine, ...seed }) => seed,
        ),
      })),
    };
    const { entries, versions } = await mergedReport('older', stored(older));
    expect(versions).toEqual({ psl: ['0.1.0'], node: ['20.0.0 or 22.0.0'] });
    for (const { seeds } of entries) {
      for (const { lockstep, coverageF1, machine } of seeds) {
        expect([lockstep, coverageF1, machine]).toEqual([1, null, null]);
      }
    }
    const one = { ...older, versions: { psl: ['0.1.0'], node: ['24.0.0'] } };
    expect((await mergedReport('one', stored(one))).versions).toEqual({ psl: ['0.1.0'], node: ['24.0.0'] });
  });

  it('counts where another one has the same, whatever time that took', () => {
    const slower = changed(report, ({ seconds }) => ({ seconds: 2 * seconds, device: 'cpu' }));
    expect(merged(stored(report), stored(slower))).toMatchObject({ duplicates: 12 });
  });

  it.each(['hypervolume', 'chosenBy', 'gradientSteps', 'last', 'front'] as const)(
    'is refused where another has other %s',
    (name) => {
      const otherThan = (value: unknown) => (typeof value === 'number' ? value + 1 : [[1, 1]]);
      const others = changed(report, (seed) => (seed.seed === 2 ? { [name]: otherThan(seed[name]) } : {}));
      const [path, other] = [stored(report), stored(others)];
      expect(() => merged(path, other)).toThrow(
        new RangeError(
          `source is "${other}", but must hold mujoco with the budget million as this version has it, and its record in ` +
            `${other} is not the same as its record in ${path}, and both are ra on mo-swimmer-v2 with seed 2.`,
        ),
      );
    },
  );

  const ofFirst = 'its record of ra on mo-swimmer-v2 with seed 1';
  const withEntries = (change: (entry: Report['entries'][number]) => object): unknown => ({
    ...report,
    entries: report.entries.map((entry) => ({ ...entry, ...change(entry) })),
  });
  it.each<[string, unknown, string]>([
    [
      'another version',
      changed(report, () => ({ versions: { psl: '0.0.9' } })),
      `${ofFirst} is of another version of psl`,
    ],
    [
      'another setting',
      withEntries(({ settings }) => ({ settings: { ...settings, warmup: 13 } })),
      `${ofFirst} has 13 as warmup instead of 12`,
    ],
    [
      'a setting that nobody knows',
      withEntries(({ settings }) => ({ settings: { ...settings, warmpu: 13 } })),
      `${ofFirst} is not of this version: setting is "warmpu" (did you mean "warmup"?), but must be one of: `,
    ],
    [
      'another option of the robot',
      withEntries(({ envOptions }) => ({ envOptions: { ...envOptions, inertials: 'exact' } })),
      `${ofFirst} has "exact" as inertials instead of "legacy"`,
    ],
    [
      'other start states',
      withEntries(({ protocol }) => ({ protocol: { ...protocol, evaluationSeed: 0 } })),
      `${ofFirst} has 0 as evaluationSeed of its protocol instead of 1000`,
    ],
    [
      'a protocol with more in it',
      withEntries(({ protocol }) => ({ protocol: { ...protocol, returnShift: [0, 0] } })),
      `${ofFirst} has [0,0] as returnShift of its protocol instead of nothing`,
    ],
    ['no protocol', withEntries(() => ({ protocol: null })), `${ofFirst} has no protocol`],
    [
      'a method that nobody knows',
      withEntries(() => ({ key: 'rar' })),
      'its record of rar on mo-swimmer-v2 with seed 1 is of no method of it',
    ],
    ['no numbers', changed(report, () => ({ hypervolume: Number.NaN })), `${ofFirst} lacks a valid hypervolume`],
    ['points of other objectives', changed(report, () => ({ front: [[1]] })), `${ofFirst} lacks a valid front`],
    [
      'a device that nobody knows',
      changed(report, () => ({ device: 'abacus' })),
      `${ofFirst} is not of this version: device is "abacus", but must be `,
    ],
    ['entries without seeds', withEntries(() => ({ seeds: null })), 'an entry of it has no seeds'],
  ])('is refused with %s', (_, other, problem) => {
    const path = stored(other);
    const start = `source is "${path}", but must hold mujoco with the budget million as this version has it, and ${problem}`;
    expect(() => merged(path)).toThrow(RangeError);
    expect(() => merged(path)).toThrow(start);
  });

  it.each<[string, (path: string) => void, string]>([
    ['is missing', () => undefined, 'cannot be read (no such file or directory)'],
    ['ends early', (path) => writeFileSync(path, JSON.stringify(report).slice(0, -9)), 'is not valid JSON'],
    ['is of something else', (path) => writeFileSync(path, '{"runs":[]}'), 'is no report of a table'],
    [
      'is of a later format',
      (path) => writeFileSync(path, JSON.stringify({ ...report, format: 2 })),
      'has another format than 1, which this version reads',
    ],
    [
      'is of a budget that nobody knows',
      (path) => writeFileSync(path, JSON.stringify({ ...report, budget: 'huge' })),
      'holds mujoco with the budget huge, which this version does not have',
    ],
  ])('is refused where it %s', (name, write, problem) => {
    const path = at(`${name.replaceAll(' ', '-')}.json`);
    write(path);
    expect(() => merged(path)).toThrow(
      new RangeError(
        `source is "${path}", but must be the folder of one of the tables ftn, mujoco, ablation, alpha, as psl reproduce ` +
          `writes it, or a report.json of one, and it ${problem}.`,
      ),
    );
  });

  it('is read or refused in a sentence, however it is broken', () => {
    const random = new Random(7);
    const { format, experiment, budget, versions, entries } = report;
    const small = { format, experiment, budget, versions, entries: entries.slice(0, 1) };
    let accepted = 0;
    for (let i = 0; i < 1000; i++) {
      try {
        merged(stored(mutatedData(small, random)));
        accepted++;
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        expect(error.message.length).toBeLessThan(1500);
      }
    }
    // What is worked out of the seeds is not read, and numbers may be other numbers.
    expect(accepted).toBeGreaterThan(100);
    expect(accepted).toBeLessThan(900);
  });
});

describe('records.json', () => {
  it('is refused where it is not what was written', async () => {
    await mergedReport('whole', stored(reported()));
    const path = at('whole', 'records.json');
    const text = readFileSync(path, 'utf8');
    for (const damaged of [text.replace('20100', '20101'), text.replace(/,\n {2}"sha256".*\n/, '\n'), text.slice(9)]) {
      writeFileSync(path, damaged);
      expect(damaged).not.toBe(text);
      const problem = /its records\.json is not (?:what was written|valid JSON)\.$/;
      expect(() => merged(at('whole'))).toThrow(problem);
      expect(() => checkReproductionOut(planned, at('whole'), '--out')).toThrow(problem);
    }
    writeFileSync(path, text);
    expect(() => checkReproductionOut(planned, at('whole'), '--out')).not.toThrow();
  });

  it('is refused in the folder of another table', async () => {
    await mergedReport('moved', stored(reported()));
    writeFileSync(at('moved', 'reproduction.json'), '{"format":1,"experiment":"mujoco","budget":"small"}');
    expect(() => merged(at('moved'))).toThrow(/and its records\.json is of mujoco with the budget million\.$/);
  });

  it('is not there where nothing is known from reports alone', () => {
    expect(storedRecords(at('none'), planned, () => expect.fail())).toEqual([]);
  });
});

describe('the reports in results/', () => {
  const names = readdirSync('results').filter((name) => name.endsWith('.json'));

  it.each(names)('%s is merged, or refused in a sentence', (name) => {
    const path = join('results', name);
    try {
      expect(merged(path).merged.length).toBeGreaterThan(0);
    } catch (error) {
      expect(error).toBeInstanceOf(RangeError);
      expect((error as Error).message).toContain(`source is "${path}", but must`);
    }
  });
});
