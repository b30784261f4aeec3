/** Methods with a population as users meet them: real runs of the compiled program, as small as can be. */
import { spawn } from 'node:child_process';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Report } from '../src/experiments/index.js';
import type { RunResult } from '../src/runs/index.js';
import { callsOf } from './support/calls.js';
import { contentsOf, newestCheckpoint } from './support/run-folders.js';
import { temporaryFolder } from './support/temporary-folder.js';

const dist = (path: string): string => new URL(`../dist/node/${path}`, import.meta.url).href;
const { psl } = (await import(dist('cli/psl.js'))) as typeof import('../src/cli/psl.js');
const { commands } = (await import(dist('cli/commands.js'))) as typeof import('../src/cli/commands.js');
const { capture } = (await import(dist('cli/terminal.js'))) as typeof import('../src/cli/terminal.js');

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const METHODS = ['pg-morl', 'random', 'ra', 'pfa', 'moead', 'meta'];
/** Three tasks of 32 steps an iteration, and four iterations: generations of 2, 1 and 1. */
const SETTINGS = [
  'steps=384',
  'taskDivisions=2',
  'children=2',
  'horizon=16',
  'batch=16',
  'epochs=2',
  'warmup=2',
  'generation=1',
  'hidden=8',
  'criticHidden=8',
  'evaluations=2',
  'evaluationDivisions=4',
];
const tiny = [...SETTINGS.flatMap((setting) => ['--set', setting]), '--device', 'cpu:1', '--workers', '1'];

const folder = temporaryFolder('population');
const at = (...names: string[]) => join(folder, ...names);
const json = (...names: string[]): unknown => JSON.parse(readFileSync(at(...names), 'utf8'));

const { call, result } = callsOf({ psl, commands, capture });

interface Front {
  readonly points: readonly (readonly number[])[];
  readonly preferences: readonly (readonly number[])[];
}

// Not on a robot, which is chaotic: what differs in the last bit of an action comes to percents of its return.
describe.each(METHODS)('psl with %s', (algorithm) => {
  let trained: RunResult;
  beforeAll(async () => {
    trained = await result('train', 'deep-sea-treasure', '--algo', algorithm, ...tiny, '--out', at(algorithm));
  });

  it('counts the steps of all tasks and says how it is scored', () => {
    expect(trained).toMatchObject({ envSteps: 384, gradientSteps: 48, stopped: false });
    expect(trained.protocol.preferences).toEqual({ kind: 'members', divisions: 4, floatExact: false, count: 5 });
    const lines = readFileSync(at(algorithm, 'metrics.jsonl'), 'utf8').trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as RunResult).envSteps)).toEqual([192, 384]);
  });

  it('evaluates to what the training found', async () => {
    const again = await result('eval', at(algorithm));
    expect(again.hypervolume).toBe(trained.hypervolume);
    expect(again.expectedUtility).toBe(trained.expectedUtility);
    expect(again.protocol).toEqual(trained.protocol);
  });

  it('answers a preference with the policy of the largest utility at it', async () => {
    const { points, preferences } = await result<Front>('front', at(algorithm), '--format', 'json');
    expect(points).toHaveLength(trained.points);
    for (const w of [
      [1, 0],
      [0.25, 0.75],
    ]) {
      const utility = (point: readonly number[]) => w[0] * point[0] + w[1] * point[1];
      const answer = await result<{ return: number[] }>('eval', at(algorithm), '--preference', w.join());
      expect(utility(answer.return)).toBeCloseTo(Math.max(...points.map(utility)), 9);
    }
    for (const [first, second] of preferences) expect(first + second).toBeCloseTo(1, 12);
  });
});

it('eval --utility chooses among the members of a population that a preference leads to', async () => {
  const chosen = ['--utility', 'chebyshev', '--preference', '0.5,0.5'];
  interface Answer {
    readonly preference: readonly number[];
    readonly return: readonly number[];
  }
  const best = await result<Answer>('eval', at('ra'), ...chosen);
  const answer = await result<Answer>('eval', at('ra'), '--preference', best.preference.join());
  expect(answer.return).toEqual(best.return);
});

describe('psl reproduce mujoco', () => {
  it("ends with the paper's table: means, ranks and the steps of every method", async () => {
    // Of a robot that soon falls, so that its episodes are short.
    const args = ['mujoco', '--budget', 'tiny', '--envs', 'mo-hopper-v2', '--methods', 'psl-td3,ra'];
    const { code, out, error } = await call('reproduce', ...args, '--device', 'cpu:1', '--out', at('table'));
    expect({ code, error }).toEqual({ code: 0, error: '' });
    const rows = out
      .split('\n')
      .filter((line) => /^(?:MO-Hopper-v2|Average rank) /.test(line))
      .map((line) => line.split(/ {2,}/).slice(1));
    expect(rows.map(([metric]) => metric)).toEqual([
      ...['HV (x 1e7) paper', 'HV (x 1e7) ours, IQM', 'HV (x 1e7) ours, mean'],
      ...['SP (x 1e4) paper', 'SP (x 1e4) ours, IQM', 'SP (x 1e4) ours, mean', 'regret, IQM', 'steps', 'seeds'],
      ...['HV paper', 'HV ours', 'SP paper', 'SP ours'],
    ]);
    expect(rows[0]).toEqual(['HV (x 1e7) paper', '1.96', '1.95']);
    // Three tasks of 32 steps an iteration, as many whole ones as fit into 600.
    expect(rows[7]).toEqual(['steps', '576', '600']);
    expect(rows[9]).toEqual(['HV paper', '1.0', '2.0']);
    expect(readFileSync(at('table', 'report.md'), 'utf8')).toContain(
      '| MO-Hopper-v2 | HV (x 1e7) paper | 1.96 | 1.95 |',
    );

    // Scores are of start states that nothing was chosen by, and are measured once.
    const report = json('table', 'report.json') as Report;
    for (const { protocol, seeds } of report.entries) {
      expect(protocol).toMatchObject({ evaluationSeed: 1000, episodes: 1, preferences: { divisions: 4 } });
      const [{ run, expectedUtility, last }] = seeds;
      expect(last).toEqual(expect.any(Number));
      const again = await result('eval', run!, '--seed', '1000', '--divisions', '4', '--episodes', '1');
      expect(again.expectedUtility).toBe(expectedUtility);
    }
    const [{ run }] = report.entries[1].seeds;
    const before = statSync(join(run!, 'final-score.json')).mtimeMs;
    await call('reproduce', ...args, '--device', 'cpu:1', '--out', at('table'));
    expect(statSync(join(run!, 'final-score.json')).mtimeMs).toBe(before);
    expect((json('table', 'report.json') as Report).entries).toEqual(report.entries);

    // What such a report says is of the protocol that this version scores by, and counts without the runs.
    const merged = await call('results', 'merge', at('table', 'report.json'), '--out', at('merged'));
    expect(merged).toMatchObject({ code: 0, error: '' });
    const { entries } = json('merged', 'report.json') as Report;
    for (const [i, { seeds, ...entry }] of entries.entries()) {
      const { seeds: measured, ...rest } = report.entries[i];
      expect(entry).toEqual(rest);
      expect(seeds).toEqual(measured.map((seed) => ({ ...seed, run: null })));
    }
  });
});

describe('a run with a population', () => {
  it('that is killed goes on to the same bytes', async () => {
    const args = ['mo-swimmer-v2', '--algo', 'pg-morl', ...tiny, '--set', 'steps=960'];
    await result('train', ...args, '--out', at('whole'));
    const out = at('killed');
    const main = fileURLToPath(dist('cli/main.js'));
    const child = spawn(process.execPath, [main, 'train', ...args, '--out', out, '--checkpoint-every', '0.001s']);
    const ended = new Promise<NodeJS.Signals | null>((resolve) => child.on('close', (_, signal) => resolve(signal)));
    // In the third generation or later: everything that is kept between generations is there.
    const watch = setInterval(() => newestCheckpoint(out) >= 4 && child.kill('SIGKILL'), 5);
    expect(await ended).toBe('SIGKILL');
    clearInterval(watch);
    await result('resume', out);
    expect(contentsOf(out)).toEqual(contentsOf(at('whole')));
  });

  it('has a folder for each seed, and trains each as it would alone', async () => {
    const args = ['deep-sea-treasure', '--algo', 'moead', ...tiny];
    const { runs } = await result<{ runs: RunResult[] }>('train', ...args, '--replicas', '2', '--out', at('seeds'));
    const alone = await result('train', ...args, '--seed', '2', '--out', at('second'));
    expect(runs.map(({ run }) => run)).toEqual([at('seeds', 'seed-1'), at('seeds', 'seed-2')]);
    expect(runs[1].hypervolume).toBe(alone.hypervolume);
    const again = await result('eval', at('seeds', 'seed-2'));
    expect(again.hypervolume).toBe(runs[1].hypervolume);
  });

  it('is made for three objectives too', async () => {
    const args = ['mo-hopper-v3', '--algo', 'pg-morl', ...tiny, '--set', 'buffers=4'];
    const trained = await result('train', ...args, '--set', 'steps=768', '--out', at('three'));
    expect(trained.envSteps).toBe(768);
    expect(trained.points).toBeGreaterThan(0);
  });

  it.each([
    [
      ['mo-hopper-v3', '--algo', 'pfa'],
      'algorithm is "pfa", which learns for at most 2 objectives, but mo-hopper-v3 has 3 and needs one of: ',
    ],
    [
      ['fruit-tree-d5', '--algo', 'ra'],
      'algorithm is "ra", which learns for at most 3 objectives, but fruit-tree-d5 has 6 and needs one of: psl-ddqn, pd-ddqn, envelope, psl-ppo.',
    ],
    [
      ['mo-swimmer-v2', '--algo', 'meta', '--steps', '12287'],
      'steps is 12287, but must be at least tasks x children x horizon, which is 12288 with 6 tasks.',
    ],
    [['mo-swimmer-v2', '--algo', 'ra', '--set', 'candidates=7'], 'setting is "candidates"'],
  ])('refuses %j', async (args, message) => {
    const { code, out, error } = await call('train', ...args, '--out', at('never'));
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error).toContain(message);
  });

  it('without its model is refused', async () => {
    rmSync(at('ra', 'model.safetensors'));
    const { code, error } = await call('eval', at('ra'));
    expect(code).toBe(2);
    expect(error).toContain('model.safetensors cannot be read');
  });
});
