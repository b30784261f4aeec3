import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { runFinder } from '../explorer/index.js';
import { parseSpec, SweepStore, Worker } from '../sweeps/index.js';
import { ExploredSweeps } from './explored-sweeps.js';

const folder = mkdtempSync(join(tmpdir(), 'psl-explored-'));
afterAll(() => rmSync(folder, { recursive: true }));
const example = fileURLToPath(new URL('../../examples/runs/fruit-tree', import.meta.url));

it('a sweep is explored with what is finished and what is under way, each under one id wherever its files are', async () => {
  const store = new SweepStore(folder);
  const sweep = await store.plan(
    parseSpec({ environments: ['fruit-tree-d5'], seeds: [1, 2, 3], overrides: { steps: 500 } }),
  );
  await store.begin(sweep);
  const [job] = sweep.jobs;
  const sweeps = new ExploredSweeps();
  const find = runFinder([folder], sweeps.heldBy);
  const worker = await Worker.open(store);
  try {
    const claim = await worker.claim(job);
    if (!('entries' in claim)) throw new Error(`It is ${claim.is}.`);
    // Before anything is there, the store is shown as any folder.
    expect((await find()).map(({ name }) => name)).toEqual([basename(folder)]);
    cpSync(example, store.claimAddress(job.id, 1), { recursive: true });
    const [training] = await find();
    expect(training).toMatchObject({ name: job.name, isTraining: true, progress: `0 %, ${hostname()}` });
    expect(sweeps.lines()).toEqual([
      `${basename(folder)}: 0 of 3 trainings finished, 1 running, 2 waiting, on 1 machine`,
    ]);

    await store.append(job.id, claim.entries, { kind: 'done', claim: 1, worker: worker.name, results: [] });
    await store.publish(job, 1);
    expect(await find()).toEqual([
      { id: training.id, name: job.name, folder: store.runAddress(job), isTraining: false },
    ]);
    expect(sweeps.lines()[0]).toContain('1 of 3 trainings finished, 2 waiting');
  } finally {
    await worker.leave();
  }
  expect(await sweeps.heldBy(example)).toBeUndefined();
});
