/** psl calibrate: preferences whose own policies fail are answered by others, wherever the copy of the run is used. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { commands } from '../src/cli/commands.js';
import { psl } from '../src/cli/psl.js';
import { capture } from '../src/cli/terminal.js';
import { changedFiles, evaluateRun, exportRun, loadModel, openRun, readReturns } from '../src/runs/index.js';
import { temporaryFolder } from './support/temporary-folder.js';

const example = fileURLToPath(new URL('../examples/runs/fruit-tree', import.meta.url));
const folder = temporaryFolder('calibrate');

async function call(...args: string[]) {
  const { terminal, written } = capture();
  const code = await psl(args, commands, terminal);
  return { code, ...written };
}

interface Calibrated {
  readonly hypervolume: number;
  readonly regret: { readonly mean: number; readonly worst: number; readonly below80: number };
  readonly original: object;
  readonly answers: object & { readonly others: number };
}

describe('psl calibrate', () => {
  const out = join(folder, 'answers');
  // Nothing is random in the tree, so that one episode says all.
  const calibrate = (...args: string[]) => call('calibrate', example, '--episodes', '1', ...args);

  it('leaves no preference of a tree with more than the tolerance, in a copy that is read like any other run', async () => {
    const { code, out: printed, error } = await calibrate('--out', out, '--json');
    expect({ code, error }).toEqual({ code: 0, error: '' });
    const result = JSON.parse(printed) as Calibrated;
    expect((await evaluateRun(example)).regret!.worst).toBeGreaterThan(0.2);
    expect(result.regret.worst).toBeLessThan(0.02 + 1e-9);
    expect(result.answers).toMatchObject({ count: 2568, tolerance: 0.02, episodes: 1, seed: 600_001 });
    expect(result.answers.others).toBeGreaterThan(0);

    const copy = openRun(out);
    expect(changedFiles(copy)).toEqual([]);
    expect(copy.result.answers).toEqual(result.answers);
    expect(copy.result.weights).toBe(openRun(example).result.weights);
    const evaluated = await evaluateRun(copy);
    expect(evaluated).toMatchObject({ hypervolume: result.hypervolume, regret: result.regret });
    expect(readReturns(copy).returns).toEqual(evaluated.returns);
    // The policies are those that they were.
    const [before, after] = [loadModel(openRun(example)), loadModel(copy)].map(({ tensors }) => tensors);
    for (const [name, values] of before)
      expect(Buffer.from(after.get(name)!.buffer)).toEqual(Buffer.from(values.buffer));
  });

  it('says so wherever the scores of the copy are shown', async () => {
    const { others } = openRun(out).result.answers!;
    const line = `answers           ${others} of 2568 preferences by the policy of another one`;
    expect((await call('eval', out)).out).toContain(line);
    expect((await call('eval', example)).out).not.toContain('answers  ');
  });

  it('is no seed of what it was copied from, in a comparison of both', async () => {
    const compared = await call('compare', example, out);
    expect(compared.code).toBe(0);
    expect(compared.out).toContain('answers=calibrated to 0.02');
    expect(compared.out.replace(/\s+/g, ' ')).toMatch(/B: [^:]*; preferences answered as psl calibrate found/);
    expect(compared.out).not.toContain('once more');
  });

  it('begins with what was trained where the run has answers already, and keeps the first scores', async () => {
    const again = join(folder, 'again');
    const result = await exportRun(out, again, { calibration: { episodes: 1, tolerance: 0.5 } });
    const first = JSON.parse(readFileSync(join(out, 'result.json'), 'utf8')) as Calibrated;
    expect(result.original).toEqual(first.original);
    expect(result.answers!.others).toBeLessThan(first.answers.others);
    const copied = await exportRun(again, join(folder, 'copied'));
    expect(copied.answers).toEqual(result.answers);
  });

  it.each([
    ['--tolerance', '1', '--tolerance is "1", but must be a number of at least 0 and below 1.'],
    ['--episodes', '0', '--episodes is "0", but must be an integer of at least 1.'],
    ['--out', example, `--out is "${example}", but must be a folder that is new or empty`],
  ])('refuses %s %s in one sentence', async (name, value, sentence) => {
    const unused = join(folder, 'unused');
    const others = name === '--out' ? [] : ['--out', unused];
    const { code, error } = await calibrate(...others, name, value);
    expect(code).toBe(2);
    expect(error).toContain(sentence);
    expect(existsSync(unused)).toBe(false);
  });
});
