import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pslProcess } from './support/process.js';
import { temporaryFolder } from './support/temporary-folder.js';

const folder = temporaryFolder('reproduce');

/** @param interruptAt a text on standard error at which Ctrl-C is pressed */
const reproduce = (args: readonly string[], interruptAt?: string) =>
  pslProcess(['reproduce', 'ftn', ...args, '--jobs', '2', '--json'], interruptAt);

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
