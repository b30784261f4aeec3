/** A sweep as array jobs of Slurm whose tasks are killed and come to their time limit, and whose controller is started again. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { startSlurm } from '../../test/support/slurm.js';
import { compared, countDone, psl, ended, settings, timed, timedPsl, untilDone, writeSpec } from './support.js';

/** Of every four runs one that takes longer than a task has until it is told that its time is over. */
const STEPS = [1000, 1200, 1400, 60_000];
/** A minute, the shortest limit of Slurm, and the seconds before its end at which tasks are told. */
const LIMIT = ['--sbatch', 'time=1', '--sbatch', 'signal=B:USR2@45'];

export async function disturbedSlurm(folder: string, runs: number, port: number) {
  const { steps: _, ...overrides } = settings;
  const seeds = Math.ceil(runs / STEPS.length);
  const spec = writeSpec(join(folder, 'slurm.json'), seeds, { overrides, vary: { steps: STEPS } });
  const [alone, store] = [join(folder, 'slurm-alone'), join(folder, 'slurm')];
  const aloneSeconds = await timedPsl('sweep', spec, '--store', alone);
  const slurm = await startSlurm(join(folder, 'cluster'), port);
  const submit = () => ended(psl('sweep', spec, '--store', store, '--on', 'slurm', ...LIMIT));
  const tasksKilled: number[] = [];
  let submissions = 1;
  try {
    const seconds = await timed(async () => {
      await submit();
      for (const share of [0.1, 0.3]) {
        await untilDone(store, share * runs);
        tasksKilled.push(...killTasks(store));
      }
      await untilDone(store, 0.5 * runs);
      await slurm.restartController();
      while ((await countDone(store)) < seeds * STEPS.length) {
        await wait(1000);
        // Tasks that were killed leave trainings that no task is there for.
        if (tasksLeft() === 0 && (await countDone(store)) < seeds * STEPS.length) {
          submissions++;
          await submit();
        }
      }
    });
    return { ...(await compared(store, alone)), tasksKilled: tasksKilled.length, submissions, seconds, aloneSeconds };
  } finally {
    await ended(psl('sweep', 'cancel', '--store', store));
    await slurm.stop();
  }
}

/** Kills every task that is at work, and says which processes they were. */
function killTasks(store: string): number[] {
  const workers = join(store, 'workers');
  return readdirSync(workers).flatMap((name) => {
    try {
      const { process: of } = JSON.parse(readFileSync(join(workers, name), 'utf8')) as { process: { pid: number } };
      process.kill(of.pid, 'SIGKILL');
      return [of.pid];
    } catch {
      // It has left in the meantime.
      return [];
    }
  });
}

/** Tasks that wait or run; none counts as there while the controller does not answer. */
function tasksLeft(): number {
  try {
    const list = execFileSync('squeue', ['--me', '--noheader', '--array', '--format=%T'], { encoding: 'utf8' });
    return list.split('\n').filter(Boolean).length;
  } catch {
    return 1;
  }
}
