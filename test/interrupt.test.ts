import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('../dist/src/cli/main.js', import.meta.url));

// Windows has no signals to send.
test.skipIf(process.platform === 'win32')('psl train writes its run when it is interrupted', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'psl-interrupt-'));
  try {
    const out = join(folder, 'run');
    const settings = ['steps=1000000', 'evaluations=10000', 'hidden=16', 'evaluationDivisions=2', 'learnAfter=100'];
    const args = ['train', 'fruit-tree-d5', ...settings.flatMap((setting) => ['--set', setting]), '--out', out];
    const child = spawn(process.execPath, [main, ...args, '--json'], { stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr, isAsked] = ['', '', false];
    child.stdout.on('data', (data: Buffer) => (stdout += data.toString()));
    child.stderr.on('data', (data: Buffer) => {
      stderr += data.toString();
      if (isAsked || !stderr.includes('hypervolume')) return;
      isAsked = child.kill('SIGINT');
    });
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
    expect(code).toBe(130);
    expect(stderr).toContain('stopping: ');
    expect(JSON.parse(stdout)).toMatchObject({ run: out, stopped: true });
    for (const name of ['model.safetensors', 'front.png', 'result.json'])
      expect(existsSync(join(out, name))).toBe(true);
  } finally {
    await rm(folder, { recursive: true });
  }
});
