/** A sweep by a queue whose workers are killed and suspended, and whose Redis is started again. */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { compared, ended, psl, timed, timedPsl, untilDone, writeSpec, type Redis } from './support.js';

/** Seconds of silence after which a worker is taken for dead. */
const LEASE = 3;

export async function disturbedQueue(folder: string, runs: number, redis: Redis) {
  const spec = writeSpec(join(folder, 'queue.json'), runs);
  const [alone, store] = [join(folder, 'queue-alone'), join(folder, 'queue')];
  const aloneSeconds = await timedPsl('sweep', spec, '--store', alone);
  await timedPsl('sweep', spec, '--store', store, '--on', redis.url);
  const seconds = await timed(async () => {
    const lease = ['--lease', `${LEASE}s`, '--checkpoint-every', '0.1s'];
    const work = () => psl('worker', '--queue', redis.url, '--store', store, '--jobs', '1', ...lease);
    const workers = Array.from({ length: 4 }, work);
    await untilDone(store, 0.1 * runs);
    workers[0].kill('SIGKILL');
    await untilDone(store, 0.25 * runs);
    workers[1].kill('SIGKILL');
    workers[2].kill('SIGSTOP');
    await untilDone(store, 0.4 * runs);
    await redis.restart();
    await wait(2000 * LEASE);
    workers[2].kill('SIGCONT');
    await Promise.all(workers.map(ended));
  });
  return { ...(await compared(store, alone)), seconds, aloneSeconds };
}
