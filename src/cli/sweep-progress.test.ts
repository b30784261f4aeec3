import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { cancel, parseSpec, statusOf, SweepStore, Worker, type SweepJob } from '../sweeps/index.js';
import { statusLines, SweepLine, watchSweep } from './sweep-progress.js';
import { outputOf, type Output } from './terminal.js';

const folder = mkdtempSync(join(tmpdir(), 'psl-watched-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function newSweep(
  name: string,
  seeds: readonly number[],
): Promise<{ store: SweepStore; jobs: readonly SweepJob[] }> {
  const store = new SweepStore(join(folder, name));
  const sweep = await store.plan(parseSpec({ environments: ['fruit-tree-d5'], seeds, overrides: { steps: 500 } }));
  await store.begin(sweep);
  return { store, jobs: sweep.jobs };
}

describe('watchSweep', () => {
  it('shows on a terminal who trains what, and takes that away when it ends', async () => {
    const { store, jobs } = await newSweep('terminal', [1, 2, 3, 4, 5]);
    const worker = await Worker.open(store);
    for (const job of jobs.slice(0, 4)) await worker.claim(job);
    const written: string[] = [];
    let stop = (): void => undefined;
    const write = (text: string | Uint8Array) => {
      written.push(String(text));
      stop();
    };
    const output: Output = {
      ...outputOf({ stdout: { write, isTTY: true, columns: 120, rows: 5 }, stderr: { write } }, false),
      onInterrupt(interrupt) {
        stop = interrupt;
        return () => undefined;
      },
    };
    try {
      expect((await watchSweep(store, output)).counts).toMatchObject({ running: 4, waiting: 1 });
    } finally {
      await worker.leave();
    }
    const running = jobs.slice(0, 2).map(({ name }) => `${name}  running  0 %  0 steps/s  ${worker.name}\n`);
    expect(written).toEqual([
      '0 of 5 trainings finished, 4 running, 1 waiting\n',
      ...running,
      'and 2 lines more\n',
      '\u001b[4A\u001b[J',
    ]);
  });
});

describe('statusLines', () => {
  it('has no rate of trainings that were cancelled', async () => {
    const { store, jobs } = await newSweep('cancelled', [1]);
    const worker = await Worker.open(store);
    try {
      await worker.claim(jobs[0]);
      await cancel(store);
      expect(statusLines(await statusOf(store))).toEqual(['0 of 1 training finished, 1 cancelled']);
    } finally {
      await worker.leave();
    }
  });
});

describe('SweepLine', () => {
  it('says what became of trainings that it did not end', async () => {
    const { jobs } = await newSweep('left', [1]);
    const written: string[] = [];
    const line = new SweepLine({ write: (text) => written.push(String(text)) }, { jobs: [] });
    for (const why of ['stopped', 'died', 'damaged'] as const) line.events.ended(jobs[0], { is: 'released', why });
    for (const is of ['cancelled', 'lost'] as const) line.events.ended(jobs[0], { is });
    expect(written.map((text) => text.replace(jobs[0].name, 'It'))).toEqual([
      'It is saved, and goes on later\n',
      'It lost its process, and goes on from its last checkpoint, or anew where it has none\n',
      'It cannot go on from what was saved, and begins anew\n',
      'It was cancelled; what it saved is kept\n',
      'It was taken over by somebody else\n',
    ]);
  });
});
