import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from './support/temporary-folder.js';

const main = fileURLToPath(new URL('../dist/src/cli/main.js', import.meta.url));

const folder = temporaryFolder('reproduce');

/** @param interruptAt a text on standard error at which Ctrl-C is pressed */
async function reproduce(args: readonly string[], interruptAt?: string) {
  const child = spawn(process.execPath, [main, 'reproduce', 'ftn', ...args, '--jobs', '2', '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr, isAsked] = ['', '', false];
  child.stdout.on('data', (data: Buffer) => (stdout += data.toString()));
  child.stderr.on('data', (data: Buffer) => {
    stderr += data.toString();
    if (interruptAt !== undefined && !isAsked && stderr.includes(interruptAt)) isAsked = child.kill('SIGINT');
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, stdout, stderr };
}

test('psl reproduce trains several runs at once, in processes of their own', async () => {
  const out = join(folder, 'tiny');
  const args = ['--budget', 'tiny', '--depths', '5', '--methods', 'psl-ddqn,pd-ddqn', '--seeds', '1', '--out', out];
  const { code, stdout } = await reproduce(args);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    runs: { planned: 2, finished: 2 },
    entries: [{ seeds: [{ device: 'cpu:1' }] }, { seeds: [{ device: 'cpu:1' }] }],
  });
  expect(existsSync(join(out, 'fruit-tree-d5-pd-ddqn-seed1', 'model.safetensors'))).toBe(true);
});

// Windows has no signals to send.
test.skipIf(process.platform === 'win32')('psl reproduce ends all its processes when it is interrupted', async () => {
  const out = join(folder, 'small');
  const args = ['--budget', 'small', '--depths', '7', '--methods', 'pd-ddqn', '--seeds', '3', '--out', out];
  const { code, stdout } = await reproduce(args, 'seed 2 begins');
  expect(code).toBe(130);
  expect(JSON.parse(stdout)).toMatchObject({ stopped: true, runs: { planned: 3, finished: 0 } });
});
