/** `psl worker`: one more machine for a sweep. */
import { flag, integer, text, wrap } from '../config/index.js';
import {
  checkQueue,
  LEASE,
  planSweep,
  REQUEUE_SIGNAL,
  requeueThisTask,
  serveQueue,
  shownUrl,
  statusOf,
  SweepStore,
  workOn,
  type SweepStatus,
} from '../sweeps/index.js';
import { ifGiven, required } from './arguments.js';
import { defineCommand } from './command.js';
import { secondsOf } from './duration-option.js';
import { checkInput } from './errors.js';
import { typedPath } from './result.js';
import { processesFor, storeOption, workOptions } from './sweep-options.js';
import { statusLines, SweepLine } from './sweep-progress.js';

export const worker = defineCommand({
  options: {
    store: required(storeOption),
    queue: ifGiven(
      text({
        placeholder: 'URL',
        allowed: 'an address such as redis://:PASSWORD@HOST:6379, or rediss:// with TLS',
        about: 'Where work comes from: the Redis that psl sweep --on was given.',
      }),
      'the store itself',
    ),
    ...workOptions,
    most: ifGiven(
      integer({ min: 1, about: 'End after this many trainings; without --queue.' }),
      'as long as there are some',
    ),
    stay: flag({ default: false, about: 'Wait for more when nothing is left in the queue.' }),
    requeue: flag({
      default: false,
      about: `For a task of Slurm: at ${REQUEUE_SIGNAL}, save what is trained and have the task put back into its queue.`,
    }),
  },
  notes: () =>
    wrap(
      'Works on the sweep in a store, which psl sweep has begun, here or on another machine, until all of it is settled. ' +
        'Ctrl-C saves what is trained, and others go on with it.',
    ),

  async run({ store: folder, queue, jobs, most, stay, requeue, lease, checkpointEvery }, output): Promise<SweepStatus> {
    const store = checkInput(() => new SweepStore(folder, '--store'));
    const { spec, version } = await checkInput(() => store.open());
    const planned = checkInput(() => planSweep(spec, version));
    if (queue !== undefined) await checkInput(() => checkQueue(queue, '--queue'));
    const processes = jobs ?? processesFor(spec.device);
    const from = queue === undefined ? '' : ` from ${shownUrl(queue)}`;
    output.line(`working on ${typedPath(folder)}, ${processes} at a time${from}`);
    const line = new SweepLine(output.human, await statusOf(store));
    const stopping = new AbortController();
    const ignoreInterrupts = output.onInterrupt(() => {
      line.say('stopping: saving what there is, and others go on with it; once more ends at once');
      stopping.abort();
    });
    const is = { requeued: false };
    const putBack = () => {
      line.say('the time is nearly over: saving what there is, to go on with it later');
      is.requeued = true;
      stopping.abort();
    };
    if (requeue) process.once(REQUEUE_SIGNAL, putBack);
    const options = {
      processes,
      signal: stopping.signal,
      lease: secondsOf(lease),
      checkpointEvery: secondsOf(checkpointEvery),
      events: line.events,
    };
    try {
      if (queue !== undefined) {
        const warn = (problem: string) => line.say(`warning: ${problem}`);
        await serveQueue(queue, store, { ...options, stay, warn });
      } else {
        // Until it is known of the others whether they are alive.
        const limits = most !== undefined && { most, patience: 1.5 * Math.max(secondsOf(lease), LEASE) };
        await workOn(store, planned.jobs, { ...options, ...limits });
      }
    } finally {
      line.clear();
      ignoreInterrupts();
      process.off(REQUEUE_SIGNAL, putBack);
    }
    const status = await statusOf(store);
    if (is.requeued) await requeueThisTask();
    output.report(statusLines(status));
    return status;
  },
});
