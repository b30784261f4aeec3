/** The programs in examples/, run as their headers say. */
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { changedFiles, openRun } from '../src/runs/index.js';
import { temporaryFolder } from './support/temporary-folder.js';

const root = resolve(import.meta.dirname, '..');
const folder = temporaryFolder('examples');

function run(name: string, ...args: string[]): string {
  return execFileSync(process.execPath, [join(root, 'dist', 'examples', `${name}.js`), ...args], {
    cwd: root,
    encoding: 'utf8',
  });
}

it('a training prints how it comes along, and its model acts at three preferences', () => {
  const lines = run('train-and-act', '600', join(folder, 'run')).trim().split('\n');
  expect(lines.filter((line) => /^\d+ steps: hypervolume \d/.test(line)).length).toBeGreaterThan(0);
  expect(
    lines.slice(-3).map((line) => /^treasure counts (\S+): a treasure of \d+\.\d after \d+ steps$/.exec(line)?.[1]),
  ).toEqual(['0.1', '0.5', '0.9']);
});

it('a front from elsewhere stands beside that of a run', () => {
  const file = join(folder, 'front.csv');
  // As pandas writes it: an index without a name, and one point that nothing reaches.
  writeFileSync(file, ',Speed,Efficiency\n0,100,100\n1,9000,9000\n');
  const lines = run('compare-front', file).trim().split('\n');
  expect(lines[0]).toBe(`${file}: 1 points, hypervolume 81000000`);
  expect(lines[1]).toMatch(/^examples\/runs\/half-cheetah: \d+ points, hypervolume \d{7}$/);
  expect(lines[2]).toBe('together: 81000000');
  expect(lines[3]).toBe(`1 of the 2 points of ${file} are no better than some point of examples/runs/half-cheetah`);
});

it('the trained half-cheetah acts at five preferences, four times as fast where only speed counts', () => {
  const speeds = Array.from(run('act').matchAll(/Speed (\S+),/g), ([, speed]) => Number(speed));
  expect(speeds).toHaveLength(5);
  expect(speeds[4]).toBeGreaterThan(4 * speeds[0]);
});

it.each(readdirSync(join(root, 'examples', 'runs')))(
  'the files of the trained %s are those that were written',
  (name) => {
    const opened = openRun(join(root, 'examples', 'runs', name));
    expect(Object.keys(opened.files ?? {})).toContain('model.safetensors');
    expect(changedFiles(opened)).toEqual([]);
  },
);
