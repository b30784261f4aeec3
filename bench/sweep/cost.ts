/** What a sweep costs beyond its trainings. */
import { join } from 'node:path';

import { loadBullMQ } from '../../src/sweeps/bullmq.js';
import { settings, timedPsl, writeSpec } from './support.js';

/** The best of several, taking turns, so that a busy moment of the machine hits both sides. */
export async function overhead(folder: string): Promise<number> {
  const sets = Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${String(value)}`]);
  const spec = writeSpec(join(folder, 'one.json'), 1);
  const times = { train: Infinity, sweep: Infinity };
  for (let round = 0; round < 5; round++) {
    const out = join(folder, `train-${round}`);
    const train = await timedPsl('train', 'fruit-tree-d5', '--device', 'cpu:1', ...sets, '--out', out);
    const sweep = await timedPsl('sweep', spec, '--store', join(folder, `sweep-${round}`));
    times.train = Math.min(times.train, train);
    times.sweep = Math.min(times.sweep, sweep);
  }
  return times.sweep - times.train;
}

/** Seconds from putting jobs into a queue until a worker that does nothing has taken all of them. */
export async function emptyJobs(url: string, count: number): Promise<number> {
  const { Queue, Worker } = await loadBullMQ();
  const connection = { url, maxRetriesPerRequest: null };
  const queue = new Queue('empty', { connection });
  const began = performance.now();
  const jobs = Array.from({ length: count }, () => ({ name: 'nothing', data: {}, opts: { removeOnComplete: true } }));
  await queue.addBulk(jobs);
  let done = 0;
  let finish: () => void;
  const all = new Promise<void>((resolve) => (finish = resolve));
  const nothing = () => {
    if (++done === count) finish();
    return Promise.resolve();
  };
  const worker = new Worker('empty', nothing, { connection, concurrency: 4 });
  await all;
  const seconds = (performance.now() - began) / 1000;
  await worker.close();
  await queue.close();
  return seconds;
}
