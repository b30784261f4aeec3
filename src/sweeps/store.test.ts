import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { standingOf, type Entry } from './log.js';
import { isPresent, Membership } from './membership.js';
import type { SweepJob } from './plan.js';
import { parseSpec } from './spec.js';
import { cancel, retry, statusOf } from './status.js';
import { StoreError, SweepStore } from './store.js';
import { Worker } from './work.js';

const base = mkdtempSync(join(tmpdir(), 'psl-store-'));
afterAll(() => rmSync(base, { recursive: true }));
const example = fileURLToPath(new URL('../../examples/runs/fruit-tree', import.meta.url));
const spec = parseSpec({ environments: ['fruit-tree-d5'], seeds: [1, 2], overrides: { steps: 500 } });

let stores = 0;
let store: SweepStore;
let jobs: readonly SweepJob[];
const workers: Worker[] = [];
const newWorker = async () => {
  const worker = await Worker.open(store, { lease: 100 });
  workers.push(worker);
  return worker;
};
beforeEach(async () => {
  store = new SweepStore(join(base, `store-${++stores}`));
  const sweep = await store.plan(spec);
  await store.begin(sweep);
  ({ jobs } = sweep);
});
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.leave();
});

/** Lets a worker seem to have been silent for some seconds. */
function silence({ name }: Worker, seconds: number): void {
  const then = Date.now() / 1000 - seconds;
  utimesSync(join(store.address, 'workers', `${name}.json`), then, then);
}

async function claimOf(worker: Worker, job: SweepJob): Promise<readonly Entry[]> {
  const claim = await worker.claim(job);
  if (!('entries' in claim)) throw new Error(`It is ${claim.is}.`);
  return claim.entries;
}

describe('a claim', () => {
  it('is held by one of those who want it', async () => {
    const [a, b] = [await newWorker(), await newWorker()];
    expect(await claimOf(a, jobs[0])).toEqual([{ kind: 'claimed', worker: a.name }]);
    expect(await b.claim(jobs[0])).toEqual({ is: 'claimed', claim: 1, worker: a.name });
    expect(await claimOf(b, jobs[1])).toHaveLength(1);
  });

  it('is taken over from a worker who was silent for longer than its lease, and not before', async () => {
    const [a, b] = [await newWorker(), await newWorker()];
    await claimOf(a, jobs[0]);
    silence(a, 90);
    expect(await b.claim(jobs[0])).toMatchObject({ is: 'claimed', worker: a.name });
    silence(a, 110);
    expect(await claimOf(b, jobs[0])).toHaveLength(2);
  });

  it('that was lost lets nothing be written any more, whatever its holder believes', async () => {
    const [a, b] = [await newWorker(), await newWorker()];
    const ofA = await claimOf(a, jobs[0]);
    silence(a, 110);
    const ofB = await claimOf(b, jobs[0]);
    const done = (claim: number, { name }: Worker): Entry => ({ kind: 'done', claim, worker: name, results: [] });
    expect(await store.append(jobs[0].id, ofA, done(1, a))).toBe(false);
    expect(await store.append(jobs[0].id, ofA, { kind: 'released', why: 'stopped' })).toBe(false);
    expect(await store.hasGoneOn(jobs[0].id, 1)).toBe(true);
    expect(await store.append(jobs[0].id, ofB, done(2, b))).toBe(true);
    expect(await a.claim(jobs[0])).toEqual({ is: 'done', claim: 2, results: [] });
  });

  it('is taken over at once where its worker has left, or its process is gone', async () => {
    const [a, b] = [await newWorker(), await newWorker()];
    await claimOf(a, jobs[0]);
    await a.leave();
    expect(await claimOf(b, jobs[0])).toHaveLength(2);
    const seen = (await new Membership(store.place).see(b.name))!;
    expect(isPresent(seen, seen.at + 99_000)).toBe(true);
    const gone = { ...seen.record!, process: { ...seen.record!.process, pid: 2 ** 30 } };
    expect(isPresent({ at: seen.at, record: gone }, seen.at)).toBe(false);
    // Of another machine nothing is known but its silence, nor of another container where processes tell theirs.
    const others = [{ host: 'elsewhere' }, ...(gone.process.table === undefined ? [] : [{ table: 'another' }])];
    for (const other of others) {
      const elsewhere = { ...gone, process: { ...gone.process, ...other } };
      expect(isPresent({ at: seen.at, record: elsewhere }, seen.at + 99_000)).toBe(true);
      expect(isPresent({ at: seen.at, record: elsewhere }, seen.at + 101_000)).toBe(false);
    }
  });
});

describe('the files of a claim', () => {
  it('are those of the one before it, and stay the same whatever that one still writes', async () => {
    const [{ id }] = jobs;
    const [a, b] = [await newWorker(), await newWorker()];
    const { folder: first } = await store.takeOver(id, await claimOf(a, jobs[0]));
    expect(existsSync(first)).toBe(false);
    mkdirSync(first);
    cpSync(join(example, 'config.json'), join(first, 'config.json'));
    writeFileSync(join(first, 'lock'), 'of a');
    silence(a, 110);
    const { folder: second } = await store.takeOver(id, await claimOf(b, jobs[0]));
    expect(readdirSync(second)).toEqual(['config.json']);
    // A process that lost its claim has no place to write to any more.
    expect(existsSync(first)).toBe(false);
  });

  it('are none where what is there cannot be read', async () => {
    const a = await newWorker();
    const { folder: first } = await store.takeOver(jobs[0].id, await claimOf(a, jobs[0]));
    mkdirSync(first);
    writeFileSync(join(first, 'config.json'), '{');
    silence(a, 110);
    const { folder } = await store.takeOver(jobs[0].id, await claimOf(await newWorker(), jobs[0]));
    expect(existsSync(folder)).toBe(false);
  });

  it('become the run once it is done, by whoever sees that first', async () => {
    const entries = await claimOf(await newWorker(), jobs[0]);
    mkdirSync((await store.takeOver(jobs[0].id, entries)).folder);
    await store.publish(jobs[0], 1);
    await store.publish(jobs[0], 1);
    expect(readdirSync(join(store.address, 'runs'))).toEqual([
      `fruit-tree-d5-psl-ddqn-quick-seed1-${jobs[0].id.slice(0, 8)}`,
    ]);
  });
});

describe('a store', () => {
  it('is that of one sweep, which can grow', async () => {
    const more = parseSpec({ environments: ['fruit-tree-d5'], seeds: [1, 2, 3], overrides: { steps: 500 } });
    await store.begin(await store.plan(more));
    expect((await store.open()).jobs).toHaveLength(3);
    await expect(store.plan(spec)).rejects.toThrow(
      `store is "${store.address}", but must be a folder that is new, empty or holds the same sweep or a part of it, ` +
        'and it holds fruit-tree-d5-psl-ddqn-quick-seed3, which is not in this one.',
    );
  });

  it('is refused where it holds something else, is of another version, or was changed', async () => {
    const other = join(base, 'other');
    mkdirSync(other, { recursive: true });
    await expect(new SweepStore(other).open()).rejects.toThrow(
      new StoreError(new SweepStore(other), 'it has no sweep.json'),
    );
    writeFileSync(join(other, 'thesis.tex'), '');
    await expect(new SweepStore(other).plan(spec)).rejects.toThrow('and it holds other files.');
    const { version, spec: stored } = await store.open();
    expect([version, stored]).toEqual([(await store.plan(spec)).version, spec]);
    await store.begin({ ...(await store.plan(spec)), version: '7.0.0' });
    await expect(store.open()).rejects.toThrow(/, and it was begun with psl 7\.0\.0, where this is \d/);
    writeFileSync(join(store.address, 'sweep.json'), '{"format": 1, "version": "0.1.0", "jobs": []}');
    await expect(store.open()).rejects.toThrow('and its sweep.json is not what was written.');
  });

  it('builds paths of ids that are ids alone', async () => {
    await expect(store.entries('../../etc')).rejects.toThrow('id is "../../etc", but must be that of a training.');
  });

  it('says how its trainings stand, cancels what is left of them, and opens that again', async () => {
    const a = await newWorker();
    const entries = await claimOf(a, jobs[0]);
    const states = async () => (await statusOf(store)).jobs.map(({ state }) => state);
    expect(await states()).toEqual(['running', 'waiting']);
    silence(a, 110);
    expect(await states()).toEqual(['lost', 'waiting']);
    expect(await statusOf(store)).toMatchObject({ counts: { lost: 1, waiting: 1, done: 0 }, secondsLeft: null });
    expect(await store.append(jobs[0].id, entries, { kind: 'failed', error: 'too hot' })).toBe(true);
    expect((await cancel(store)).map(({ id }) => id)).toEqual([jobs[1].id]);
    expect((await statusOf(store)).jobs.map(({ state, error }) => [state, error])).toEqual([
      ['failed', 'too hot'],
      ['cancelled', null],
    ]);
    expect(await retry(store)).toHaveLength(2);
    expect(await retry(store)).toHaveLength(0);
    expect(await Promise.all(jobs.map(async ({ id }) => standingOf(await store.entries(id)).is))).toEqual([
      'waiting',
      'waiting',
    ]);
  });
});
