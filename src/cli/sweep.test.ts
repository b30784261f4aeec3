import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { cancel, parseSpec, SweepStore } from '../sweeps/index.js';
import { commands } from './commands.js';
import { psl } from './psl.js';
import { capture } from './terminal.js';

const store = join(mkdtempSync(join(tmpdir(), 'psl-sweep-')), 'store');
afterAll(() => rmSync(join(store, '..'), { recursive: true }));

it('psl sweep SPEC says how trainings that were cancelled are opened again', async () => {
  const spec = { environments: ['fruit-tree-d5'], seeds: [1, 2] };
  const sweeps = new SweepStore(store, '--store');
  await sweeps.begin(await sweeps.plan(parseSpec(spec)));
  await cancel(sweeps);
  const { terminal, written } = capture();
  expect(await psl(['sweep', JSON.stringify(spec), '--store', store, '--jobs', '1'], commands, terminal)).toBe(0);
  expect(written.out).toContain(
    [
      '0 of 2 trainings finished, 2 cancelled',
      `what failed or was cancelled is opened again by psl sweep retry --store ${store}`,
      `next: psl sweep report --store ${store}`,
      '',
    ].join('\n'),
  );
});
