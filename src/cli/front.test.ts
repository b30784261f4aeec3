import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { commands } from './commands.js';
import { psl } from './psl.js';
import { capture } from './terminal.js';

const TREE = 'examples/runs/fruit-tree';
const folder = mkdtempSync(join(tmpdir(), 'psl-front-'));
const file = join(folder, 'front.csv');
afterAll(() => rmSync(folder, { recursive: true }));

async function front(...args: string[]) {
  const { terminal, written } = capture();
  const code = await psl(['front', TREE, ...args], commands, terminal);
  return { code, ...written };
}

it('psl front --out writes over no file unless it is asked to', async () => {
  expect((await front('--out', file)).code).toBe(0);
  const csv = readFileSync(file, 'utf8');
  expect(csv).toMatch(/^Protein,Carbs,/);
  writeFileSync(file, 'mine');
  expect(await front('--out', file)).toEqual({
    code: 2,
    out: '',
    error: `psl: --out is "${file}", but must be a file that is not there yet, unless --replace is given.\n`,
  });
  expect(readFileSync(file, 'utf8')).toBe('mine');
  expect((await front('--out', file, '--replace')).code).toBe(0);
  expect(readFileSync(file, 'utf8')).toBe(csv);
});

it('psl front refuses --replace where there is nothing to be replaced', async () => {
  expect(await front('--replace')).toEqual({
    code: 2,
    out: '',
    error: 'psl: --replace is true, but must be left out without --out.\n',
  });
});
