import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pslProcess } from './support/process.js';
import { temporaryFolder } from './support/temporary-folder.js';

const folder = temporaryFolder('interrupt');

// Windows has no signals to send.
test.skipIf(process.platform === 'win32')('psl train writes its run when it is interrupted', async () => {
  const out = join(folder, 'run');
  const settings = ['steps=1000000', 'evaluations=10000', 'hidden=16', 'evaluationDivisions=2', 'learnAfter=100'];
  const args = ['train', 'fruit-tree-d5', ...settings.flatMap((setting) => ['--set', setting]), '--out', out, '--json'];
  const { code, stdout, stderr } = await pslProcess(args, 'hypervolume');
  expect(code).toBe(130);
  expect(stderr).toContain('stopping: ');
  expect(JSON.parse(stdout)).toMatchObject({ run: out, stopped: true });
  for (const name of ['model.safetensors', 'front.png', 'result.json']) expect(existsSync(join(out, name))).toBe(true);
});
