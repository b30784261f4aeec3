/** Native libraries write to stderr by themselves and into the home folder; a user sees and gets neither. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './support/temporary-folder.js';

const psl = fileURLToPath(new URL('../dist/src/cli/main.js', import.meta.url));
const folder = temporaryFolder('native');

function run(args: readonly string[], env: Readonly<Record<string, string>>) {
  const inherited = { ...process.env, CI: undefined, ORT_DISABLE_TELEMETRY: undefined };
  return spawnSync(process.execPath, [psl, ...args], { encoding: 'utf8', env: { ...inherited, ...env } });
}

const train = (name: string): string[] => [
  ...['train', 'deep-sea-treasure', '--steps', '60', '--out', join(folder, name)],
  ...['--set', 'hidden=8', '--set', 'learnAfter=20'],
];

describe('onnxruntime', () => {
  it('a home folder that cannot be written to gives no messages', () => {
    const file = join(folder, 'no-folder');
    writeFileSync(file, '');
    const { status, stderr } = run(train('unwritable-home'), { HOME: file, XDG_CACHE_HOME: file });
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });

  it('nothing is written into the home folder', () => {
    const home = mkdtempSync(join(folder, 'home-'));
    const { status } = run(train('empty-home'), { HOME: home, XDG_CACHE_HOME: join(home, 'cache') });
    expect(status).toBe(0);
    expect(readdirSync(home)).toEqual([]);
  });
});

// Elsewhere than on Linux a machine's GPU cannot be hidden by these variables.
describe.runIf(process.platform === 'linux')('Dawn', () => {
  const noDriver = {
    VK_ICD_FILENAMES: join(folder, 'no-driver.json'),
    VK_DRIVER_FILES: join(folder, 'no-driver.json'),
  };

  it('a machine without a GPU gets a list of devices and no messages', () => {
    const { status, stdout, stderr } = run(['devices'], noDriver);
    expect(stderr).toBe('');
    expect(stdout).toContain('not available: no GPU was found');
    expect(status).toBe(0);
  });

  it('a GPU that is missing gives one sentence', () => {
    const { status, stderr } = run([...train('no-gpu'), '--device', 'gpu'], noDriver);
    expect(stderr).toMatch(/^psl: no GPU was found: .*or use --device cpu\n$/);
    expect(status).toBe(1);
  });
});
