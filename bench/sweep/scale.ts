/** What coordinating a large sweep takes, without its trainings: the measured slice of the estimate in docs/scaling.md. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { loadBullMQ } from '../../src/sweeps/bullmq.js';
import { atOnce } from '../../src/sweeps/at-once.js';
import { enqueue, parseSpec, statusOf, SweepStore, Worker, type SweepJob } from '../../src/sweeps/index.js';
import { ended, psl, settings, timed, type Redis } from './support.js';

/** Processes that claim at the same time, as those of so many machines would. */
const MACHINES = 100;

export async function scale(folder: string, runs: number, redis: Redis) {
  const store = new SweepStore(join(folder, 'scale'));
  const seeds = Array.from({ length: runs }, (_, i) => i + 1);
  const spec = parseSpec({ environments: ['fruit-tree-d5'], seeds, overrides: settings });
  const began = performance.now();
  const sweep = await store.plan(spec);
  const planSeconds = (performance.now() - began) / 1000;
  await store.begin(sweep);
  const bytesBefore = await redis.usedBytes();
  const enqueueSeconds = await timed(() => enqueue(redis.url, store, sweep));
  const queueBytes = (await redis.usedBytes()) - bytesBefore;
  const claimSeconds = await claimAll(store, sweep.jobs, redis.url);
  const statusSeconds = await timed(() => statusOf(store));
  const [job] = sweep.jobs;
  const { bytes, files } = sizeOf(join(store.address, 'jobs', job.id));
  const list = statSync(join(store.address, 'sweep.json')).size;
  return {
    ...{ runs, machines: MACHINES, planSeconds, enqueueSeconds, queueBytes, claimSeconds, statusSeconds },
    ...{ logFiles: files, logBytes: bytes, listBytes: list },
  };
}

/** Seconds until workers on a queue have claimed every training and written that it is done, without training it. */
async function claimAll(store: SweepStore, jobs: readonly SweepJob[], url: string): Promise<number> {
  const { Worker: QueueWorker } = await loadBullMQ();
  const byId = new Map(jobs.map((job) => [job.id, job]));
  let done = 0;
  let finish: () => void;
  const all = new Promise<void>((resolve) => (finish = resolve));
  const name = `psl-sweep-${(await store.open()).id}`;
  const machines = await atOnce(Array.from({ length: MACHINES }), async () => {
    const worker = await Worker.open(store);
    const take = async (queued: { readonly data: unknown }) => {
      const job = byId.get((queued.data as { readonly id: string }).id)!;
      const claim = await worker.claim(job);
      if ('entries' in claim) {
        const { length } = claim.entries;
        await store.append(job.id, claim.entries, { kind: 'done', claim: length, worker: worker.name, results: [] });
        if (++done === jobs.length) finish();
      }
    };
    return { worker, serving: new QueueWorker(name, take, { connection: { url, maxRetriesPerRequest: null } }) };
  });
  const seconds = await timed(() => all);
  await Promise.all(machines.map(({ serving }) => serving.close()));
  for (const { worker } of machines) await worker.leave();
  return seconds;
}

/** Bytes of the tensors that a training saves each time; its replay is saved in pieces, each of them once. */
export async function checkpointBytes(folder: string, env: string, preset: string): Promise<number> {
  const out = join(folder, `checkpoint-${env}`);
  const own = ['--preset', preset, '--device', 'cpu:1', '--checkpoint-every', '0.1s'];
  const training = psl('train', env, ...own, '--out', out);
  const checkpoint = join(out, 'checkpoint');
  const tensors = () => (existsSync(checkpoint) ? readdirSync(checkpoint) : []).find((name) => TENSORS.test(name));
  try {
    while (training.exitCode === null && tensors() === undefined) await wait(20);
    return statSync(join(checkpoint, tensors()!)).size;
  } finally {
    training.kill('SIGKILL');
    await ended(training);
  }
}

const TENSORS = /^tensors-\d+\.safetensors$/;

/** What a folder holds, without folders in it. */
function sizeOf(folder: string): { readonly files: number; readonly bytes: number } {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const sizes = names.map((name) => statSync(join(folder, name)).size);
  return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}
