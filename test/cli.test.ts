import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { VERSION } from '../src/version.js';
import { temporaryFolder } from './support/temporary-folder.js';

const folder = temporaryFolder('cli');
const PRINTING = fileURLToPath(new URL('support/printing-env.mjs', import.meta.url));
const SETTINGS = ['steps=40', 'children=2', 'evaluations=1', 'evaluationDivisions=1', 'hidden=4', 'learnAfter=20'];
const TINY = ['--algo', 'pd-td3', '--device', 'cpu:1', ...SETTINGS.flatMap((setting) => ['--set', setting])];

/** Runs the built command, as a user would. */
function psl(...args: string[]) {
  return pslReading('', ...args);
}

/** The same with a text on standard input. */
function pslReading(input: string, ...args: string[]) {
  const main = fileURLToPath(new URL('../dist/node/cli/main.js', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8', input });
  return { status, stdout, stderr };
}

test('psl --version prints the version of the package', () => {
  expect(psl('--version')).toEqual({ status: 0, stdout: `${VERSION}\n`, stderr: '' });
});

test('psl with an unknown command exits with 2 and says what is allowed', () => {
  const { status, stdout, stderr } = psl('nonsense');
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(/^psl: COMMAND is "nonsense".*, but must be one of: .*--help, --version\.\n$/);
});

test('psl with a bad argument exits with 2 and one sentence', () => {
  expect(psl('metrics', 'no-such-file.csv', '--ref', '0,0')).toEqual({
    status: 2,
    stdout: '',
    stderr: 'psl: FILE is "no-such-file.csv", but must be a file that can be read (no such file or directory).\n',
  });
});

test('psl with --json prints one object and nothing else', () => {
  const { status, stdout, stderr } = psl('envs', '--json');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout.match(/\n/g)).toHaveLength(1);
  expect(Object.keys(JSON.parse(stdout) as object)).toEqual(['environments']);
});

test.each([
  ['envs', ['--import', PRINTING], ['the module']],
  ['check', [PRINTING], ['the module', 'make', 'observe', 'advance']],
  ['train', [PRINTING, ...TINY, '--workers', '2', '--out', join(folder, 'run')], ['the module', 'make']],
  ['eval', [join(folder, 'run'), '--workers', '0'], ['the module', 'make', 'observe', 'advance']],
])('psl %s with --json prints one object, whatever a module of the user prints', (command, args, prints) => {
  const { status, stdout, stderr } = psl(command, ...args, '--json');
  expect(status, stderr).toBe(0);
  expect(stdout).toMatch(/^\{.*\}\n$/);
  for (const what of prints) expect(stderr).toContain(`printed by ${what}\n`);
});

test('psl metrics reads standard input, such as what psl front prints of a run', () => {
  const run = fileURLToPath(new URL('../examples/runs/fruit-tree', import.meta.url));
  const front = psl('front', run);
  expect(front).toMatchObject({ status: 0, stderr: '' });
  const { hypervolume } = JSON.parse(readFileSync(join(run, 'result.json'), 'utf8')) as { hypervolume: number };
  for (const text of [front.stdout, psl('front', run, '--format', 'json').stdout]) {
    const { status, stdout, stderr } = pslReading(text, 'metrics', '-', '--json');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const scores = JSON.parse(stdout) as { hypervolume: number; protocol: object };
    expect(scores.hypervolume).toBeCloseTo(hypervolume, 6);
    expect(scores.protocol).toMatchObject({ file: '-', referencePoint: [0, 0, 0, 0, 0, 0], outside: 0 });
  }
});
