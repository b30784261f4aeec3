/** All experiments of the paper by one command, with the built program, whose robots are stepped in threads. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Report, Summary, TheoryReport } from '../src/experiments/index.js';
import { callsOf } from './support/calls.js';
import { temporaryFolder } from './support/temporary-folder.js';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const dist = (path: string): string => new URL(`../dist/node/${path}`, import.meta.url).href;
const { psl } = (await import(dist('cli/psl.js'))) as typeof import('../src/cli/psl.js');
const { commands } = (await import(dist('cli/commands.js'))) as typeof import('../src/cli/commands.js');
const { capture } = (await import(dist('cli/terminal.js'))) as typeof import('../src/cli/terminal.js');

const folder = temporaryFolder('reproduce-all');
const at = (...names: string[]) => join(folder, ...names);
const call = (args: readonly string[]) => callsOf({ psl, commands, capture }).call('reproduce', ...args);

describe('psl reproduce all', () => {
  const some = ['--budget', 'tiny', '--device', 'cpu:1', '--methods', 'psl-ddqn,pg-morl,gen,0.01,0.5'];
  let summary: Summary;
  beforeAll(async () => {
    const { code, out, error } = await call(['all', ...some, '--out', at('all'), '--json']);
    expect({ code, error: code === 0 ? '' : error }).toEqual({ code: 0, error: '' });
    expect(error).toContain('Theorem 2, confirmed');
    expect(error).toMatch(/run 1 of 1, psl-td3 on mo-walker2d-v2, seed 1, alpha 0.01 and 0.5 trained in/);
    summary = JSON.parse(out) as Summary;
  });

  it('trains every table and checks the theorems, each in a folder of its own, with one summary', () => {
    expect(summary).toMatchObject({ experiment: 'all', budget: 'tiny', missing: [] });
    expect(summary.parts.map(({ experiment, runs }) => [experiment, runs.finished, runs.planned])).toEqual([
      ['ftn', 1, 1],
      ['mujoco', 1, 1],
      ['ablation', 1, 1],
      ['alpha', 2, 2],
      ['theory', 9, 9],
    ]);
    expect(JSON.parse(readFileSync(at('all', 'summary.json'), 'utf8'))).toEqual(summary);
    const markdown = readFileSync(at('all', 'summary.md'), 'utf8');
    for (const { experiment, folder: path } of summary.parts) {
      expect(markdown).toContain(`[report](${experiment}/report.md)`);
      expect(existsSync(join(path, 'report.json'))).toBe(true);
    }
  });

  it("has the paper's numbers beside those of replicas that differ in alpha", () => {
    const { entries } = JSON.parse(readFileSync(at('all', 'alpha', 'report.json'), 'utf8')) as Report;
    expect(entries.map(({ method, published, settings }) => [method, published!.hypervolume, settings.alpha])).toEqual([
      ['alpha 0.01', 5.36e6, 0.01],
      ['alpha 0.50', 2.84e6, 0.5],
    ]);
    for (const { seeds } of entries) expect(seeds[0].run).toContain(join('mo-walker2d-v2-0.01-0.5-seed1', 'alpha-0.'));
  });

  it('keeps what is finished, also where it was trained together with others', async () => {
    const { code, out } = await call(['all', ...some.slice(0, 2), '--methods', '0.5', '--out', at('all')]);
    expect(code).toBe(0);
    expect(out).toMatch(/run 1 of 1, 0.5 on mo-walker2d-v2, seed 1 was there already/);
    expect(out).not.toContain('checking');
    expect(out).toMatch(/alpha +1 of 1 .*\ntheory +9 of 9 /);
  });

  it('refuses what not every table has, and the folder of another experiment', async () => {
    const budget = await call(['all', '--budget', 'million', '--out', at('never')]);
    expect(budget.error).toBe('psl: --budget is "million", but must be one of: tiny, small, paper.\n');
    const other = await call(['all', '--budget', 'tiny', '--out', at('all', 'ftn')]);
    expect(other.error).toMatch(/holds the same reproduction, and it holds ftn with the budget tiny\.\n$/);
    const methods = await call(['all', '--methods', 'psl-dqn', '--out', at('never')]);
    expect(methods.error).toContain(
      '--methods is "psl-dqn" (did you mean "psl-ddqn"?), but must be one of: envelope, ',
    );
    expect(existsSync(at('never'))).toBe(false);
  });
});

describe('psl reproduce theory', () => {
  it('confirms every statement, and writes down what it found', () => {
    // As `psl reproduce all` found it.
    const report = JSON.parse(readFileSync(at('all', 'theory', 'report.json'), 'utf8')) as TheoryReport;
    expect(report).toMatchObject({ experiment: 'theory', holds: true });
    const markdown = readFileSync(at('all', 'theory', 'report.md'), 'utf8');
    for (const { statement } of report.findings) expect(markdown).toContain(statement);
    // A table has as many cells in every row, also where a cell has bars in it.
    const cellsOf = (line: string) => line.split(/(?<!\\)\|/).length;
    const tables = markdown.split('\n\n').filter((part) => part.startsWith('|'));
    for (const table of tables) expect(new Set(table.split('\n').map(cellsOf)).size).toBe(1);
  });
});
