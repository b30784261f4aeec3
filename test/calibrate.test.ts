/** psl calibrate: preferences whose own policies fail are answered by others, wherever the copy of the run is used. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { commands } from '../src/cli/commands.js';
import { psl } from '../src/cli/psl.js';
import { capture } from '../src/cli/terminal.js';
import { finishedRunsIn } from '../src/experiments/finished.js';
import { otherAnswers } from '../src/model/answers.js';
import {
  changedFiles,
  evaluateRun,
  exportRun,
  loadModel,
  NoGainError,
  openRun,
  readReturns,
  type Answers,
} from '../src/runs/index.js';
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
  readonly original: object;
  readonly answers: Answers;
}

describe('psl calibrate', () => {
  const out = join(folder, 'answers');
  // Nothing is random in the tree, so that the fewest episodes say all.
  const calibrate = (...args: string[]) => call('calibrate', example, '--episodes', '2', ...args);

  it('leaves no preference of a tree with more than the tolerance, in a copy that is read like any other run', async () => {
    const { code, out: printed } = await calibrate('--out', out, '--json');
    expect(code).toBe(0);
    const result = JSON.parse(printed) as Calibrated;
    const trained = await evaluateRun(example);
    const { own, answered, ...chosen } = result.answers;
    expect(own).toMatchObject({ hypervolume: trained.hypervolume, regret: trained.regret });
    expect(own.regret.worst).toBeGreaterThan(0.2);
    expect(answered.regret.worst).toBeLessThan(0.02 + 1e-9);
    expect(answered.utility).toBeGreaterThan(1.02 * own.utility);
    expect(chosen).toMatchObject({ count: 2568, tolerance: 0.02, episodes: 2, seed: 600_001 });
    expect(chosen.others).toBeGreaterThan(0);

    const copy = openRun(out);
    expect(changedFiles(copy)).toEqual([]);
    expect(copy.result.answers).toEqual(result.answers);
    expect(copy.result.weights).toBe(openRun(example).result.weights);
    const evaluated = await evaluateRun(copy);
    expect(evaluated).toMatchObject({ hypervolume: result.hypervolume, answers: result.answers });
    const { preferences, returns, own: byThemselves } = evaluated;
    expect(readReturns(copy)).toEqual({ preferences, returns, own: byThemselves });
    expect(byThemselves).toEqual(trained.returns);
    // Against the best of all policies, also of those that answer nobody any more.
    expect(evaluated.regret).toEqual(answered.regret);
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
    expect((await call('eval', out)).out).toMatch(/\bearn 5\.25\d+ on average as they are answered, 5\.00\d+ each by/);
    const { answered, own } = openRun(out).result.answers!;
    const { meanUtility } = JSON.parse((await call('eval', out, '--json')).out) as { meanUtility: object };
    expect(meanUtility).toEqual({ answered: answered.utility, own: own.utility });
  });

  it('answers a preference of any other grid as its nearest one, and plays its own policy beside', async () => {
    const model = loadModel(openRun(out));
    const others = otherAnswers(model);
    const row = others.findIndex((other) => other !== undefined);
    const [asked, used] = ['asked', 'used'].map((table) =>
      Array.from(model.tensors.get(`answers.${table}`)!.subarray(6 * row, 6 * row + 6)),
    );
    const near = asked.map((weight) => 0.999 * weight + 0.001 / 6);
    const played = await evaluateRun(out, { preferences: [near] });
    const trained = await evaluateRun(example, { preferences: [near, used] });
    expect(played).toMatchObject({ returns: [trained.returns[1]], own: [trained.returns[0]] });
  });

  it('is no seed of what it was copied from, in a comparison of both', async () => {
    const compared = await call('compare', example, out);
    expect(compared.code).toBe(0);
    expect(compared.out).toContain('answers=calibrated to 0.02 at 2568 preferences');
    expect(compared.out.replace(/\s+/g, ' ')).toMatch(/B: [^:]*; preferences answered as psl calibrate found/);
    expect(compared.out).not.toContain('once more');
    const json = JSON.parse((await call('compare', example, out, '--json')).out) as {
      entries: { runs: { regret: object }[] }[];
    };
    expect(json.entries[1].runs[0].regret).toEqual((await evaluateRun(out)).regret);
  });

  it('begins with what was trained where the run has answers already, and keeps the first scores', async () => {
    const again = join(folder, 'again');
    const result = await exportRun(out, again, { calibration: { episodes: 2, tolerance: 0.2 } });
    const first = JSON.parse(readFileSync(join(out, 'result.json'), 'utf8')) as Calibrated;
    expect(result.original).toEqual(first.original);
    expect(result.answers!.others).toBeLessThan(first.answers.others);
    const copied = await exportRun(again, join(folder, 'copied'));
    expect(copied.answers).toEqual(result.answers);
  });

  it('tells a program that reads one policy as JSON what to multiply its values with', async () => {
    const model = loadModel(openRun(out));
    const others = otherAnswers(model);
    const row = others.findIndex((other) => other !== undefined);
    const asked = Array.from(model.tensors.get('answers.asked')!.subarray(6 * row, 6 * row + 6), (w) =>
      Number(w.toFixed(6)),
    );
    const file = join(folder, 'policy.json');
    await call('export', out, '--format', 'json', '--preference', asked.join(), '--out', file);
    const json = JSON.parse(readFileSync(file, 'utf8')) as { preference: number[]; asked: number[] };
    expect(json.asked).toEqual(asked);
    expect(json.preference).toEqual(Array.from(others[row]!));
    expect(json.preference).not.toEqual(asked);
  });

  it('keeps its answers in half precision, and says so', async () => {
    const half = join(folder, 'half');
    const { out: printed } = await call('export', out, '--format', 'run', '--half', '--out', half);
    const { others } = openRun(out).result.answers!;
    expect(printed).toContain(`answers ${others} of 2568 preferences by the policy of another one`);
    const tables = [out, half].map((run) => loadModel(openRun(run)).tensors.get('answers.used'));
    expect(tables[1]).toEqual(tables[0]);
    expect(openRun(half).result).toMatchObject({ weights: 'float16', answers: { others } });
  });

  it('is no run of a table that it lies beside', () => {
    expect(finishedRunsIn(folder)).toEqual([]);
  });

  it('writes nothing where nothing is gained, and says so', async () => {
    const unused = join(folder, 'unused');
    const { code, out: printed, error } = await calibrate('--out', unused, '--tolerance', '0.9', '--json');
    const message =
      'nothing was written: no preference gains by the policy of another one, in 2 episodes that did not choose it.';
    expect(code).toBe(1);
    expect(error).toBe(`psl: ${message}\n`);
    expect(JSON.parse(printed)).toEqual({ error: { message, exitCode: 1 } });
    expect(existsSync(unused)).toBe(false);
    await expect(exportRun(example, unused, { calibration: { tolerance: 0.9, episodes: 2 } })).rejects.toThrow(
      NoGainError,
    );
  });

  it('writes nothing where it is interrupted, in each of its evaluations', async () => {
    for (const share of [0.1, 0.4, 0.9]) {
      const broken = join(folder, `broken-${share}`);
      const watch = (done: number) => {
        if (done > share) throw new Error('interrupted');
      };
      await expect(exportRun(example, broken, { calibration: { episodes: 2 }, watch })).rejects.toThrow('interrupted');
      expect(existsSync(broken)).toBe(false);
    }
  });

  it('plays other start states than those that the run was evaluated from', async () => {
    const { code, error } = await calibrate('--out', join(folder, 'unused'), '--seed', '0');
    expect(code).toBe(2);
    expect(error).toContain(
      '--seed is 0, but must be another one: the run was evaluated with 0, which is among the next 6.',
    );
  });

  it.each([
    ['--tolerance', '1', '--tolerance is "1", but must be a number of at least 0 and below 1.'],
    ['--episodes', '1', '--episodes is "1", but must be an integer from 2 to 1000000.'],
    ['--divisions', '9', '--divisions is 9, but must be an integer of at least 10, which the run was evaluated with.'],
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
