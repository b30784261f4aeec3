import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRun, planTraining, resumeRun, RunError, runEvents, trainRun, type RunEvent } from '../src/index.js';
import { snapshotsOf } from '../src/runs/index.js';
import { contentsOf } from './support/run-folders.js';
import { temporaryFolder } from './support/temporary-folder.js';

const folder = temporaryFolder('events');
const plan = planTraining({
  env: 'fruit-tree-d5',
  device: 'cpu:1',
  workers: 0,
  settings: {
    steps: 600,
    learnAfter: 100,
    batch: 16,
    groups: 4,
    hidden: [8],
    hyperHidden: [4],
    hyperFeatures: 2,
    evaluations: 2,
    evaluationDivisions: 2,
  },
});

const KEPT = { snapshots: 1 };

describe('runEvents', () => {
  it('yields the folder, progress, every evaluation and the result, in order', async () => {
    const events: RunEvent[] = [];
    const out = join(folder, 'whole');
    for await (const event of runEvents((watched) => trainRun(plan, { ...watched, ...KEPT, out }))) events.push(event);
    const kinds = events.map(({ kind }) => kind);
    expect(events[0]).toEqual({ kind: 'opened', folder: out });
    expect(kinds.filter((kind) => kind === 'evaluated')).toHaveLength(2);
    expect(kinds).toContain('progress');
    expect(events.at(-1)).toMatchObject({ kind: 'finished', trained: { folder: out } });
    // Of two evaluations one may be kept, which is the last.
    expect(snapshotsOf(out)).toEqual([600]);
  });

  it('stops the training where the loop is left, and goes on to the same bytes', async () => {
    const out = join(folder, 'left');
    for await (const event of runEvents((watched) => trainRun(plan, { ...watched, ...KEPT, out }))) {
      if (event.kind === 'progress' && event.progress.envSteps >= 200) break;
    }
    const { stopped, envSteps } = openRun(out).result;
    expect(stopped).toBe(true);
    expect(envSteps).toBeLessThan(600);
    // It keeps as many policy sets of evaluations as it did, without being told.
    for await (const event of runEvents((watched) => resumeRun(out, watched))) {
      if (event.kind === 'finished') expect(event.trained.runs[0]).toMatchObject({ envSteps: 600, stopped: false });
    }
    expect(contentsOf(out)).toEqual(contentsOf(join(folder, 'whole')));
  });

  it('throws what the training throws', async () => {
    const events = runEvents((watched) => resumeRun(join(folder, 'whole'), watched));
    const thrown = new RunError(join(folder, 'whole'), 'it is finished', 'the folder of a run that can be resumed');
    await expect(events.next()).rejects.toThrow(thrown);
  });

  it('throws that a folder with runs of their own cannot be resumed', async () => {
    const group = join(folder, 'group');
    for (const name of ['seed-1', 'seed-2']) cpSync(join(folder, 'whole'), join(group, name), { recursive: true });
    await expect(resumeRun(group)).rejects.toThrow('it holds the runs seed-1, seed-2');
    expect(readdirSync(group)).toEqual(['seed-1', 'seed-2']);
  });

  it('throws that a folder without a run cannot be resumed', async () => {
    await expect(resumeRun(folder)).rejects.toThrow('but must be the folder of a run that can be resumed: config.json');
  });
});

describe('an AbortSignal', () => {
  it('stops a training, which can be resumed', async () => {
    const out = join(folder, 'aborted');
    const controller = new AbortController();
    const progress = ({ envSteps }: { envSteps: number }) => envSteps >= 300 && controller.abort();
    const { runs } = await trainRun(plan, { out, signal: controller.signal, events: { progress } });
    expect(runs[0]).toMatchObject({ stopped: true });
    expect(runs[0].envSteps).toBeLessThan(600);
  });
});
