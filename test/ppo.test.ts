import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../src/runs/index.js';
import { callsOf } from './support/calls.js';
import { contentsOf } from './support/run-folders.js';
import { temporaryFolder } from './support/temporary-folder.js';
import { stopAfter } from './support/stop-after.js';

// PSL-MORL with PPO as users meet it: the whole program, compiled, because worker threads are. Everything is as small as
// it can be: nothing of this learns well.

const dist = (path: string): string => new URL(`../dist/node/${path}`, import.meta.url).href;
const { psl } = (await import(dist('cli/psl.js'))) as typeof import('../src/cli/psl.js');
const { commands } = (await import(dist('cli/commands.js'))) as typeof import('../src/cli/commands.js');
const { capture } = (await import(dist('cli/terminal.js'))) as typeof import('../src/cli/terminal.js');
const { planTraining } = (await import(dist('training/index.js'))) as typeof import('../src/training/index.js');
const { trainRun } = (await import(dist('runs/index.js'))) as typeof import('../src/runs/index.js');

const SETTINGS = {
  steps: 320,
  children: 4,
  horizon: 16,
  batch: 16,
  groups: 4,
  epochs: 2,
  hidden: [8],
  criticHidden: [8],
  hyperHidden: [4],
  evaluations: 2,
  evaluationDivisions: 2,
};
const sets = Object.entries(SETTINGS).flatMap(([name, value]) => ['--set', `${name}=${String(value)}`]);

const folder = temporaryFolder('ppo');
const at = (...names: string[]) => join(folder, ...names);

const { call, result } = callsOf({ psl, commands, capture });

const train = (name: string, ...args: string[]) =>
  result(
    ...['train', 'mo-swimmer-v2', '--algo', 'psl-ppo', ...sets],
    ...['--device', 'cpu:1', '--out', at(name), ...args],
  );

describe('psl with PPO', () => {
  let first: RunResult;
  beforeAll(async () => {
    first = await train('first', '--workers', '0');
  });

  it('trains whole rollouts, and leaves what a run is made of', () => {
    // Five rollouts of 64 steps; 4 batches of 16 for each, twice.
    expect(first).toMatchObject({ envSteps: 320, gradientSteps: 40, stopped: false });
    expect(Object.keys(contentsOf(at('first')))).toEqual(
      expect.arrayContaining(['config.json', 'front.png', 'metrics.jsonl', 'model.safetensors', 'result.json']),
    );
    expect(readFileSync(at('first', 'metrics.jsonl'), 'utf8').trimEnd().split('\n')).toHaveLength(2);
  });

  it.each(['1', '2'])('gives the same bytes again with %s workers', async (workers) => {
    await train(`again-${workers}`, '--workers', workers);
    expect(contentsOf(at(`again-${workers}`))).toEqual(contentsOf(at('first')));
  });

  it('goes on to the same bytes after it was stopped', async () => {
    const plan = planTraining({
      env: 'mo-swimmer-v2',
      algorithm: 'psl-ppo',
      device: 'cpu:1',
      workers: 0,
      settings: SETTINGS,
    });
    const events = stopAfter(3);
    const stopped = await trainRun(plan, { out: at('stopped'), events });
    expect(stopped.runs[0]).toMatchObject({ stopped: true, envSteps: 192 });
    const { code } = await call('resume', at('stopped'));
    expect(code).toBe(0);
    expect(contentsOf(at('stopped'))).toEqual(contentsOf(at('first')));
  });

  it('is evaluated again as it was at the end of its training', async () => {
    const again = await result('eval', at('first'));
    expect(again.hypervolume).toBe(first.hypervolume);
    const { code } = await call('front', at('first'));
    expect(code).toBe(0);
  });

  it('trains replicas side by side', async () => {
    const { runs } = await result<{ runs: RunResult[] }>(
      ...['train', 'mo-swimmer-v2', '--algo', 'psl-ppo', ...sets, '--replicas', '2', '--device', 'cpu:1'],
      ...['--workers', '0', '--out', at('both')],
    );
    expect(runs.map(({ envSteps }) => envSteps)).toEqual([320, 320]);
    expect(runs[0].hypervolume).not.toBe(runs[1].hypervolume);
    // The first has the seed of the run alone, whose arithmetic differs by rounding.
    const losses = ['first', join('both', 'seed-1')].map((name) => {
      const [line] = readFileSync(at(name, 'metrics.jsonl'), 'utf8').split('\n');
      return (JSON.parse(line) as { diagnostics: { valueLoss: number } }).diagnostics.valueLoss;
    });
    expect(losses[1]).toBeCloseTo(losses[0], 3);
  });

  it.each([
    [['--set', 'capacity=10'], 'setting is "capacity"'],
    [['--set', 'batch=24'], 'batch is 24, but must divide children x horizon, which is 64.'],
    [['--set', 'steps=63'], 'steps is 63, but must be at least children x horizon, which is 64.'],
  ])('refuses %j', async (given, message) => {
    const { code, error } = await call('train', 'mo-swimmer-v2', '--algo', 'psl-ppo', ...sets, ...given);
    expect(code).toBe(2);
    expect(error).toContain(message);
  });
});
