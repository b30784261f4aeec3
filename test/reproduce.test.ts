import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../src/experiments/index.js';
import { commands } from '../src/cli/commands.js';
import { psl } from '../src/cli/psl.js';
import { capture, type Terminal } from '../src/cli/terminal.js';
import { checksum, checksummed } from '../src/files/index.js';
import { temporaryFolder } from './support/temporary-folder.js';

const folder = temporaryFolder('reproduce');
const at = (...names: string[]) => join(folder, ...names);

async function call(args: readonly string[], options: Pick<Terminal, 'onInterrupt'> = {}, command = 'reproduce') {
  const { terminal, written } = capture(options);
  const code = await psl([command, ...args], commands, terminal);
  return { code, ...written };
}

const tiny = (out: string, ...args: string[]) => {
  const seeds = args.includes('--seeds') ? [] : ['--seeds', '2'];
  return ['ftn', '--budget', 'tiny', ...seeds, '--out', at(out), ...args];
};
const TUNED = ['--methods', 'envelope,pd-ddqn,psl-ddqn'];

describe('psl reproduce ftn', () => {
  let report: Report;
  beforeAll(async () => {
    const { code, out, error } = await call(tiny('whole', ...TUNED, '--json'));
    expect({ code, error: code === 0 ? '' : error }).toEqual({ code: 0, error: '' });
    expect(out).toMatch(/^\{.*\}\n$/);
    expect(error).toMatch(/run 6 of 6, psl-ddqn on fruit-tree-d5, seed 2 trained in /);
    report = JSON.parse(out) as Report;
  });

  it('trains everything under the same budget', () => {
    expect(report).toMatchObject({ experiment: 'ftn', budget: 'tiny', runs: { planned: 6, finished: 6 } });
    expect(report.stopped).toBe(false);
    expect(report.entries.map(({ method }) => method)).toEqual(['Envelope', 'PD-MORL, tuned', 'PSL-MORL, tuned']);
    for (const { seeds, hypervolume, protocol } of report.entries) {
      const values = seeds.map((result) => result.hypervolume);
      expect(seeds.map(({ seed }) => seed)).toEqual([1, 2]);
      expect(hypervolume).toMatchObject({ count: 2, min: Math.min(...values), max: Math.max(...values) });
      expect(hypervolume!.mean).toBeCloseTo((values[0] + values[1]) / 2, 9);
      for (const result of seeds) expect(result).toMatchObject({ envSteps: 400, gradientSteps: 60 });
      for (const { front, points, curve, seconds } of seeds) {
        expect(front).toHaveLength(points);
        expect(curve.map(({ envSteps }) => envSteps)).toEqual([200, 400]);
        expect(curve[0].seconds).toBeGreaterThan(0);
        expect(curve[1].seconds).toBeLessThanOrEqual(seconds);
      }
      expect(protocol).toMatchObject({ envOptions: { encoding: 'path' }, returnDiscount: 0.99 });
    }
  });

  it('says how many gradient steps the budget is', () => {
    expect(report.notes.join('\n')).toContain(
      'same budget in every run (fruit-tree-d5: 400 environment steps, 60 gradient steps of batch 32',
    );
  });

  it("has the paper's numbers beside ours, in JSON and Markdown", () => {
    expect(report.entries[2].published).toEqual({ hypervolume: 6920.58, sparsity: 0.01 });
    const markdown = readFileSync(at('whole', 'report.md'), 'utf8');
    const { mean } = report.entries[2].hypervolume!;
    expect(markdown).toContain(`| 5 | PSL-MORL, tuned | 6920.58 | ${mean.toFixed(2)} ± `);
    for (const { run } of report.entries.flatMap(({ seeds }) => seeds)) {
      expect(existsSync(join(run!, 'model.safetensors'))).toBe(true);
    }
    for (const said of [
      'not the published encoding',
      'fitted to the known front',
      '(0,0,0,0,0,0)',
      'discounted by 0.99',
    ])
      expect(markdown).toContain(said);
    expect(JSON.parse(readFileSync(at('whole', 'report.json'), 'utf8'))).toEqual(report);
  });

  const valuesOf = (file: string) => {
    const { entries } = JSON.parse(readFileSync(file, 'utf8')) as Report;
    return entries.map(({ seeds }) => seeds.map(({ hypervolume }) => hypervolume));
  };

  it('keeps what is finished, and trains anew what is damaged, in a folder of its own', async () => {
    const [kept, lost] = ['fruit-tree-d5-psl-ddqn-seed1', 'fruit-tree-d5-psl-ddqn-seed2'];
    const before = statSync(at('whole', kept, 'result.json')).mtimeMs;
    writeFileSync(at('whole', lost, 'config.json'), '{');
    const { code, out } = await call(tiny('whole', '--depths', '5', '--methods', 'psl-ddqn'));
    expect(code).toBe(0);
    expect(out).toMatch(/run 1 of 2, psl-ddqn on fruit-tree-d5, seed 1 was there already/);
    expect(out).toMatch(/run 2 of 2, psl-ddqn on fruit-tree-d5, seed 2 trained in/);
    expect(out).toMatch(/\nPSL-MORL, tuned +6920\.58 \/ \d/);
    expect(statSync(at('whole', kept, 'result.json')).mtimeMs).toBe(before);
    expect(readFileSync(at('whole', lost, 'config.json'), 'utf8')).toBe('{');
    expect(existsSync(at('whole', `${lost}-2`, 'result.json'))).toBe(true);
    expect(valuesOf(at('whole', 'report.json'))[0]).toEqual(report.entries[2].seeds.map((seed) => seed.hypervolume));
  });

  it('trains the seeds of a method in one program, to the same result', async () => {
    const { code, out } = await call(tiny('together', '--depths', '5', '--methods', 'psl-ddqn', '--lockstep'));
    expect(code).toBe(0);
    expect(out).toContain('2 seeds each, 2 runs in');
    expect(out).toMatch(
      /run 1 of 1, psl-ddqn on fruit-tree-d5, seeds 1 to 2 trained in .*: hypervolume [\d.]+ .*, [\d.]+ /,
    );
    const group = at('together', 'fruit-tree-d5-psl-ddqn-seeds1-2');
    expect(readdirSync(group)).toEqual(expect.arrayContaining(['seed-1', 'seed-2']));
    const [values] = valuesOf(at('together', 'report.json'));
    values.forEach((value, i) => expect(value).toBeCloseTo(report.entries[2].seeds[i].hypervolume, 2));
    const again = await call(tiny('together', '--depths', '5', '--methods', 'psl-ddqn', '--lockstep'));
    expect(again.out).toMatch(/seeds 1 to 2 was there already/);
    // Also where they were trained one by one.
    const alone = await call(tiny('whole', '--depths', '5', '--methods', 'psl-ddqn', '--lockstep'));
    expect(alone.out).toMatch(/seeds 1 to 2 was there already/);
  });

  it('stops when it is asked to, and then goes on from there', async () => {
    const args = tiny('stopped', '--depths', '5', '--methods', 'pd-ddqn');
    let interrupt: (() => void) | undefined;
    const { terminal, written } = capture({
      onInterrupt: (stop) => {
        interrupt = stop;
        return () => undefined;
      },
    });
    const write = terminal.stdout.write.bind(terminal.stdout);
    terminal.stdout.write = (data) => {
      if (String(data).startsWith('run 2 of 2') && String(data).includes('begins')) interrupt?.();
      return write(data);
    };
    expect(await psl(['reproduce', ...args], commands, terminal)).toBe(0);
    expect(written.out).toContain('stopped: 1 of 2 runs are finished; the same command goes on');
    expect(readFileSync(at('stopped', 'report.md'), 'utf8')).toContain('Not complete: 1 of 2 runs are missing.');
    const { out } = await call([...args, '--json']);
    expect(JSON.parse(out)).toMatchObject({ stopped: false, runs: { planned: 2, finished: 2 } });
    expect(readdirSync(at('stopped')).filter((name) => name.endsWith('-2'))).toEqual([]);
    expect(valuesOf(at('stopped', 'report.json'))[0]).toEqual(report.entries[1].seeds.map((seed) => seed.hypervolume));
  });

  describe('psl results merge', () => {
    const merge = (folders: readonly string[], out: string) =>
      call(['merge', ...folders.map((name) => at(name)), '--out', at(out)], {}, 'results');

    it('joins what was run in several folders, and reports all of it', async () => {
      const { code, out } = await merge(['whole', 'stopped'], 'merged/');
      expect(code).toBe(0);
      expect(out).toMatch(/^ftn, budget tiny: 6 runs of 2 folders in /);
      expect(out).toContain('in several of them, and kept once: 2 runs');
      const seeds = ['envelope', 'pd-ddqn', 'psl-ddqn'].flatMap((method) =>
        [1, 2].map((seed) => `${method}-seed${seed}`),
      );
      const names = [...seeds.map((name) => `fruit-tree-d5-${name}`), 'reproduction.json'];
      expect(readdirSync(at('merged'))).toEqual(expect.arrayContaining(names));
      expect(valuesOf(at('merged', 'report.json'))).toEqual(
        report.entries.map((entry) => entry.seeds.map(({ hypervolume }) => hypervolume)),
      );
      expect(existsSync(at('merged.partial'))).toBe(false);
    });

    it('leaves only what is missing to be trained, the seeds of it together where that is asked for', async () => {
      const part = await call(['merge', at('together'), '--out', at('part')], {}, 'results');
      expect(part.out).not.toContain('missing');
      const { out } = await call(tiny('part', '--methods', 'psl-ddqn', '--seeds', '4', '--lockstep'));
      expect(out.match(/^run .* (?:already|begins)/gm)).toEqual([
        'run 1 of 3, psl-ddqn on fruit-tree-d5, seed 1 was there already',
        'run 2 of 3, psl-ddqn on fruit-tree-d5, seed 2 was there already',
        'run 3 of 3, psl-ddqn on fruit-tree-d5, seeds 3 to 4 begins',
      ]);
      expect(existsSync(at('part', 'fruit-tree-d5-psl-ddqn-seeds3-4', 'seed-3', 'result.json'))).toBe(true);
    });

    /** A copy of a folder whose runs of a method have another return than they had, with all that goes with it. */
    function copyWithOtherReturns(from: string, to: string, run: string): void {
      cpSync(at(from), at(to), { recursive: true });
      const write = (name: string, change: (value: Record<string, unknown>) => Record<string, unknown>) => {
        const { sha256: _, ...value } = JSON.parse(readFileSync(at(to, run, name), 'utf8')) as Record<string, unknown>;
        writeFileSync(at(to, run, name), checksummed(JSON.stringify(change(value), null, 2)));
      };
      write('fronts/final.json', (value) => {
        const [first, ...others] = value.returns as number[][];
        return { ...value, returns: [first.map((entry) => entry + 1), ...others] };
      });
      write('result.json', (value) => ({
        ...value,
        files: {
          ...(value.files as object),
          'fronts/final.json': checksum(readFileSync(at(to, run, 'fronts/final.json'))),
        },
      }));
    }

    it('refuses what contradicts each other, in a sentence', async () => {
      copyWithOtherReturns('stopped', 'differs', 'fruit-tree-d5-pd-ddqn-seed1');
      const differs = await merge(['whole', 'differs'], 'refused');
      expect(differs).toMatchObject({ code: 2, out: '' });
      expect(differs.error).toMatch(
        /^psl: SOURCE is ".*differs", but must hold ftn with the budget tiny .*, and .*seed1 is not the same as .*seed1, and both are pd-ddqn on fruit-tree-d5 with seed 1\.\n$/,
      );

      cpSync(at('stopped'), at('changed'), { recursive: true });
      const marker = { format: 1, experiment: 'ftn', budget: 'small' };
      writeFileSync(at('changed', 'reproduction.json'), JSON.stringify(marker));
      expect((await merge(['whole', 'changed'], 'refused')).error).toMatch(
        /changed", but must hold ftn with the budget tiny as ".*whole" does, and it holds ftn with the budget small\.\n$/,
      );
      expect((await merge(['changed'], 'refused')).error).toMatch(
        /changed", but must hold ftn with the budget small as this version has it, and .*seed\d has 400 as steps instead of 8000\.\n$/,
      );
      const none =
        'but must be the folder of one of the tables ftn, mujoco, ablation, alpha, as psl reproduce writes it, or a report.json of one';
      expect((await merge(['whole', 'nothing'], 'refused')).error).toBe(
        `psl: SOURCE is "${at('nothing')}", ${none}.\n`,
      );
      expect((await merge([], 'refused')).error).toBe('psl: SOURCE is missing, but must be given at least once.\n');
      expect(existsSync(at('refused'))).toBe(false);
      expect((await merge(['whole'], 'merged')).error).toMatch(
        /but must be a folder that is new or empty, and it holds/,
      );
    });

    const reportIn = (name: string) => JSON.parse(readFileSync(at(name, 'report.json'), 'utf8')) as Report;
    /** A report without where its runs are. */
    const numbersOf = ({ entries, notes, averageRanks, duels, seconds, versions }: Report) => ({
      ...{ notes, averageRanks, duels, versions, seconds: expect.closeTo(seconds, 9) as number },
      entries: entries.map((entry) => ({ ...entry, seeds: entry.seeds.map((seed) => ({ ...seed, run: null })) })),
    });

    it('takes a report for the folder that it is of, and makes the same report of it', async () => {
      const { code, out } = await merge(['merged/report.json'], 'recorded');
      expect(code).toBe(0);
      expect(out).toMatch(/^ftn, budget tiny: 6 runs of 1 report in /);
      expect(out).toContain('known from reports alone, without a model: 6 runs');
      expect(readdirSync(at('recorded')).sort()).toEqual([
        ...['records.json', 'report.html', 'report.json', 'report.md', 'reproduction.json'],
      ]);
      const recorded = reportIn('recorded');
      expect(recorded).toMatchObject({ runs: { planned: 6, finished: 6 }, stopped: false });
      expect(numbersOf(recorded)).toEqual(numbersOf(reportIn('merged')));
      const [seed] = recorded.entries[0].seeds;
      expect(readFileSync(at('recorded', 'report.md'), 'utf8')).toContain(` | ${seed.seconds.toFixed(0)} | - |\n`);
    });

    it('prefers runs to what a report says of them', async () => {
      const { code, out } = await merge(['recorded', 'stopped', 'merged/report.json'], 'mixed');
      expect(code).toBe(0);
      expect(out).toMatch(/^ftn, budget tiny: 6 runs of 2 folders and 1 report in /);
      expect(out).toContain('known from reports alone, without a model: 4 runs');
      expect(out).toContain('in several of them, and kept once: 8 runs');
      const runs = readdirSync(at('mixed')).filter((name) => name.startsWith('fruit-tree'));
      expect(runs).toEqual(['fruit-tree-d5-pd-ddqn-seed1', 'fruit-tree-d5-pd-ddqn-seed2']);
      expect(valuesOf(at('mixed', 'report.json'))).toEqual(valuesOf(at('merged', 'report.json')));
      expect(reportIn('mixed').entries.map(({ seeds }) => seeds.map(({ run }) => run))).toEqual([
        [null, null],
        runs.map((name) => at('mixed', name)),
        [null, null],
      ]);
    });

    it('leaves only what no report knows to be trained', async () => {
      const { code, out } = await call(tiny('recorded', '--methods', 'psl-ddqn', '--seeds', '3', '--lockstep'));
      expect(code).toBe(0);
      expect(out.match(/^run .* (?:already|begins)/gm)).toEqual([
        'run 1 of 3, psl-ddqn on fruit-tree-d5, seed 1 was there already',
        'run 2 of 3, psl-ddqn on fruit-tree-d5, seed 2 was there already',
        'run 3 of 3, psl-ddqn on fruit-tree-d5, seed 3 begins',
      ]);
      const trained = readdirSync(at('recorded')).filter((name) => name.startsWith('fruit-tree'));
      expect(trained).toEqual(['fruit-tree-d5-psl-ddqn-seed3']);
      const [{ seeds }] = reportIn('recorded').entries;
      expect(seeds.slice(0, 2)).toEqual(numbersOf(reportIn('merged')).entries[2].seeds);
      expect(seeds[2].run).toBe(at('recorded', trained[0]));
      // The report is of what was asked for, and the folder still knows the rest.
      const again = await merge(['recorded'], 'again');
      expect(again.out).toMatch(/^ftn, budget tiny: 7 runs of 1 folder in /);
      expect(again.out).toContain('known from reports alone, without a model: 6 runs');
    });

    it('refuses reports by the same rules as runs, in a sentence', async () => {
      const changed = (name: string, change: (report: Report) => object) => {
        writeFileSync(at(name), JSON.stringify({ ...reportIn('merged'), ...change(reportIn('merged')) }));
      };
      changed('small.json', () => ({ budget: 'small' }));
      expect((await merge(['whole', 'small.json'], 'refused')).error).toMatch(
        /^psl: SOURCE is ".*small\.json", but must hold ftn with the budget tiny as ".*whole" does, and it holds ftn with the budget small\.\n$/,
      );
      expect((await merge(['small.json'], 'refused')).error).toMatch(
        /as this version has it, and its record of envelope on fruit-tree-d5 with seed 1 has 400 as steps instead of 8000\.\n$/,
      );
      changed('other.json', ({ entries }) => ({
        entries: entries.map((entry) => ({
          ...entry,
          seeds: entry.seeds.map((seed) => ({ ...seed, chosenBy: seed.chosenBy + 1 })),
        })),
      }));
      expect((await merge(['other.json', 'stopped'], 'refused')).error).toMatch(
        /stopped", but must hold .*, and .*seed(\d) is not the same as its record in .*other\.json, and both are pd-ddqn on fruit-tree-d5 with seed \1\.\n$/,
      );
      writeFileSync(at('damaged.json'), readFileSync(at('merged', 'report.json'), 'utf8').slice(0, 5000));
      expect((await merge(['damaged.json'], 'refused')).error).toMatch(/and it is not valid JSON\.\n$/);
      cpSync(at('recorded'), at('broken'), { recursive: true });
      writeFileSync(
        at('broken', 'records.json'),
        readFileSync(at('broken', 'records.json'), 'utf8').replace('"seed": 1', '"seed": 4'),
      );
      const problem = /, and its records\.json is not what was written\.\n$/;
      expect((await merge(['broken'], 'refused')).error).toMatch(problem);
      const goesOn = await call(tiny('broken', '--methods', 'psl-ddqn'));
      expect(goesOn).toMatchObject({ code: 2, out: '' });
      expect(goesOn.error).toMatch(problem);
      expect(existsSync(at('refused'))).toBe(false);
    });
  });

  it.runIf(process.platform === 'linux')('refuses a folder on a file system that accepts none', async () => {
    const { code, error } = await call(['ftn', '--budget', 'tiny', '--out', '/proc/psl']);
    expect(code).toBe(2);
    expect(error).toMatch(/^psl: --out is "\/proc\/psl", but must be a folder that can be written \(.*\)\.\n$/);
  });

  it('refuses a folder of something else, and leaves it alone', async () => {
    mkdirSync(at('other'));
    writeFileSync(at('other', 'report.md'), 'mine');
    const other = await call(tiny('other'));
    expect(other).toMatchObject({ code: 2, out: '' });
    expect(other.error).toMatch(/^psl: --out is ".*", but must be a folder that is new or empty, .*\.\n$/);
    expect(readdirSync(at('other'))).toEqual(['report.md']);

    const budget = await call(['ftn', '--budget', 'small', '--out', at('whole')]);
    expect(budget).toMatchObject({ code: 2, out: '' });
    expect(budget.error).toMatch(/holds the same reproduction, and it holds ftn with the budget tiny\.\n$/);

    const run = at('whole', 'fruit-tree-d5-envelope-seed1');
    renameSync(run, at('aside'));
    cpSync(at('whole', 'fruit-tree-d5-pd-ddqn-seed1'), run, { recursive: true });
    const changed = await call(tiny('whole', ...TUNED));
    rmSync(run, { recursive: true });
    renameSync(at('aside'), run);
    expect(changed).toMatchObject({ code: 2, out: '' });
    expect(changed.error).toMatch(/fruit-tree-d5-envelope-seed1 has other settings\.\n$/);
  });

  it.each([
    [[], 'EXPERIMENT is missing, but must be one of: ftn, mujoco, ablation, alpha, theory, all.'],
    [
      ['mujoko'],
      'EXPERIMENT is "mujoko" (did you mean "mujoco"?), but must be one of: ftn, mujoco, ablation, alpha, theory, all.',
    ],
    [['ftn', '--budget', 'million'], '--budget is "million", but must be one of: tiny, small, paper.'],
    [['ftn', '--envs', 'mo-ant-v2'], '--envs is "mo-ant-v2", but must be left out with ftn, which has depths.'],
    [['mujoco', '--depths', '5'], '--depths is "5", but must be left out with mujoco, which has robots.'],
    [
      ['mujoco', '--envs', 'mo-ant-v3'],
      '--envs is "mo-ant-v3" (did you mean "mo-ant-v2"?), but must be one of: mo-walker2d-v2, mo-halfcheetah-v2, mo-ant-v2, mo-swimmer-v2, mo-hopper-v2.',
    ],
    [
      ['mujoco', '--methods', 'envelope'],
      '--methods is "envelope", but must be one of: ra, pfa, moead, random, pg-morl, meta, pd-td3-published, pd-td3, psl-td3-published, psl-td3, psl-ppo.',
    ],
    [
      ['ftn', '--budget', 'smal'],
      '--budget is "smal" (did you mean "small"?), but must be one of: tiny, small, paper, million.',
    ],
    [['ftn', '--seeds', '0'], '--seeds is "0", but must be an integer from 1 to 1000.'],
    [['ftn', '--depths', '4'], '--depths is "4", but must be a list of at least 1 integers from 5 to 7.'],
    [['ftn', '--jobs', '0'], '--jobs is "0", but must be an integer from 1 to 256.'],
    [
      ['ftn', '--methods', 'psl-ddqn,pd-dqn'],
      '--methods is "pd-dqn" (did you mean "pd-ddqn"?), but must be one of: envelope, pd-ddqn-published, pd-ddqn, psl-ddqn-published, psl-ddqn.',
    ],
  ])('refuses %j', async (args, message) => {
    expect(await call([...args, ...(args.length === 0 ? [] : ['--out', at('never')])])).toEqual({
      code: 2,
      out: '',
      error: `psl: ${message}\n`,
    });
    expect(existsSync(at('never'))).toBe(false);
  });
});

describe('psl reproduce theory', () => {
  it.each([
    ['--jobs', '2'],
    ['--seeds', '3'],
    ['--first-seed', '2'],
  ])('refuses %s, since nothing is trained', async (name, value) => {
    const { code, error } = await call(['theory', name, value, '--out', at('refused')]);
    expect(code).toBe(2);
    expect(error).toBe(`psl: ${name} is "${value}", but must be left out with theory, which trains nothing.\n`);
    expect(existsSync(at('refused'))).toBe(false);
  });

  it.each(['paper', 'million'])('refuses the budget %s, and knows tiny', async (budget) => {
    const { code, error } = await call(['theory', '--budget', budget, '--out', at('refused')]);
    expect(code).toBe(2);
    expect(error).toBe(
      `psl: --budget is "${budget}", but must be tiny or left out with theory, which trains nothing.\n`,
    );
    expect(existsSync(at('refused'))).toBe(false);
  });

  it('checks everything with fewer repetitions for the budget tiny, and says so', async () => {
    const { code, out, error } = await call(['theory', '--budget', 'tiny', '--out', at('tiny-theory')]);
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(out).toContain('Theorem 2, confirmed: Under equal norm bounds');
    expect(out).toContain('With the budget tiny the checks repeat less of what they draw: 10 random MDPs');
    expect(readFileSync(at('tiny-theory', 'report.md'), 'utf8')).toContain('With the budget tiny');
  });
});
