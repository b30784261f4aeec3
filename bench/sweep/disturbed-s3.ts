/** A sweep on a store in object storage whose workers are killed and suspended. */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { statusOf, SweepStore } from '../../src/sweeps/index.js';
import { startS3 } from '../../test/support/s3.js';
import { compared, ended, psl, settings, timed, timedPsl, untilDone, writeSpec } from './support.js';

/** Seconds of silence after which a worker is taken for dead. */
const LEASE = 3;
/** Of every three runs one that takes longer, so that there are checkpoints to be taken over. */
const STEPS = [500, 700, 10_000];

export async function disturbedS3(folder: string, runs: number, port: number) {
  const { steps: _, ...overrides } = settings;
  const spec = writeSpec(join(folder, 's3.json'), Math.ceil(runs / STEPS.length), {
    overrides,
    vary: { steps: STEPS },
  });
  const [alone, store] = [join(folder, 's3-alone'), 's3://sweeps/disturbed'];
  const aloneSeconds = await timedPsl('sweep', spec, '--store', alone);
  const server = await startS3(join(folder, 'ceph'), port, 'sweeps');
  Object.assign(process.env, server.env);
  try {
    const seconds = await timed(async () => {
      const lease = ['--lease', `${LEASE}s`, '--checkpoint-every', '0.2s', '--jobs', '1'];
      const workers = [psl('sweep', spec, '--store', store, ...lease)];
      while ((await new SweepStore(store).read()) === undefined) await wait(200);
      while (workers.length < 4) workers.push(psl('worker', '--store', store, ...lease));
      await untilDone(store, 0.1 * runs);
      workers[0].kill('SIGKILL');
      await untilDone(store, 0.25 * runs);
      workers[1].kill('SIGKILL');
      workers[2].kill('SIGSTOP');
      await wait(2000 * LEASE);
      await untilDone(store, 0.5 * runs);
      workers[2].kill('SIGCONT');
      await Promise.all(workers.map(ended));
    });
    const statusSeconds = await timed(() => statusOf(new SweepStore(store)));
    return { ...(await compared(store, alone)), seconds, aloneSeconds, statusSeconds };
  } finally {
    await server.stop();
  }
}
