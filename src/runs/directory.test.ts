import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openRun } from './directory.js';
import { lockRun } from './lock.js';

const base = mkdtempSync(join(tmpdir(), 'psl-directory-'));
afterAll(() => rmSync(base, { recursive: true }));

it('openRun says of a run without a result that it is not finished, and who trains it or how it goes on', () => {
  const folder = join(base, 'run');
  cpSync('examples/runs/fruit-tree', folder, { recursive: true });
  rmSync(join(folder, 'result.json'));
  const allowed = `run is "${folder}", but must be a folder that psl train has finished`;
  const unlock = lockRun(folder);
  expect(() => openRun(folder)).toThrow(
    `${allowed}: it is not finished; process ${process.pid} on ${hostname()} is training it.`,
  );
  unlock();
  expect(() => openRun(folder)).toThrow(`${allowed}: it is not finished; psl resume goes on with it.`);
});
