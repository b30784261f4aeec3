import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { VERSION } from '../src/index.js';

/** Runs the built command, as a user would. */
function psl(...args: string[]) {
  const main = fileURLToPath(new URL('../dist/src/cli/main.js', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

test('psl --version', () => {
  expect(psl('--version')).toEqual({ status: 0, stdout: `${VERSION}\n`, stderr: '' });
});

test('psl with an unknown command exits with 2 and says what is allowed', () => {
  const { status, stderr } = psl('nonsense');
  expect(status).toBe(2);
  expect(stderr).toMatch(/^psl: COMMAND is "nonsense", but must be one of: .*--help, --version\.\n$/);
});
