/**
 * Sweeps on a cluster with Slurm: an array job, each of whose tasks trains what is open in the store next. Nothing but Slurm's
 * own commands is needed, and what they do not tell, the store does.
 */
import { execFile } from 'node:child_process';
import { resolve, join } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder, writeAtomic } from '../files/index.js';
import { atOnce } from './at-once.js';
import { isSettled, standingOf } from './log.js';
import type { Sweep } from './plan.js';
import type { SbatchOptions } from './spec.js';
import type { SweepStore } from './store.js';

/** Tasks of one array: clusters take 1001 unless their administrators say otherwise. */
const MOST_TASKS = 1000;
/** Seconds before the time limit at which a task is told to save and to have itself put back. */
const NOTICE = 120;
/** SIGUSR1 would start the debugger of Node. */
export const REQUEUE_SIGNAL = 'SIGUSR2';

const FOLDER = 'slurm';
const ARRAY = /^array-(\d+)$/;

export interface SlurmOptions {
  readonly sbatch: SbatchOptions;
  /** Tasks that may run at the same time; as many as the cluster has room for where absent. */
  readonly atOnce?: number;
  /** The command that trains what is open next, and ends. */
  readonly command: readonly string[];
}

/** The program that each task of an array is. The shell is replaced by the command, so that signals reach it. */
export function batchScript(command: readonly string[]): string {
  return `#!/bin/sh\nexec ${command.map(quoted).join(' ')}\n`;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The arguments of sbatch for an array of so many tasks, on one node each, with the threads that the device asks for. */
export function sbatchArguments(
  folder: string,
  tasks: number,
  device: string,
  { sbatch, atOnce }: Pick<SlurmOptions, 'sbatch' | 'atOnce'>,
): string[] {
  const threads = /^cpu:(\d+)$/.exec(device)?.[1];
  const own: Record<string, string> = {
    'job-name': 'psl-sweep',
    array: `1-${tasks}${atOnce === undefined ? '' : `%${atOnce}`}`,
    ntasks: '1',
    ...(threads !== undefined && { 'cpus-per-task': threads }),
    signal: `B:${REQUEUE_SIGNAL.slice('SIG'.length)}@${NOTICE}`,
    output: join(folder, '%A_%a.out'),
    'open-mode': 'append',
  };
  const all = Object.entries<string | number | true>({ ...own, ...sbatch }).map(([name, value]) =>
    value === true ? `--${name}` : `--${name}=${value}`,
  );
  return ['--parsable', '--requeue', ...all];
}

/** Submits what is left of a sweep as array jobs, and says which. Throws where Slurm refuses. */
export async function submitArray(
  store: SweepStore,
  { jobs, spec }: Pick<Sweep, 'jobs' | 'spec'>,
  options: SlurmOptions,
): Promise<{ readonly tasks: number; readonly arrays: readonly string[] }> {
  const settled = await atOnce(jobs, async ({ id }) => isSettled(standingOf(await store.entries(id))));
  const tasks = settled.filter((is) => !is).length;
  // Slurm writes what tasks say to files: beside the store, or where the command is given.
  const folder = resolve(store.place.path ?? '', FOLDER);
  const lists = Array.from({ length: Math.ceil(tasks / MOST_TASKS) }, (_, i) =>
    sbatchArguments(folder, Math.min(MOST_TASKS, tasks - i * MOST_TASKS), spec.device, options),
  );
  makeFolder(folder);
  const script = join(folder, 'task.sh');
  writeAtomic(script, batchScript(options.command));
  const arrays: string[] = [];
  for (const args of lists) {
    // Such as 17, or 17;cluster.
    const [array] = (await slurm('sbatch', [...args, script])).trim().split(';');
    await store.place.create(`${FOLDER}/array-${array}`, '');
    arrays.push(array);
  }
  return { tasks, arrays };
}

/** The array jobs that were submitted for a store. */
export async function arraysOf({ place }: SweepStore): Promise<string[]> {
  return (await place.list(FOLDER)).flatMap((name) => ARRAY.exec(name)?.[1] ?? []);
}

/** How a task can have ended. What waits or runs is told by squeue alone, which knows of requeued tasks at once. */
const ENDED = /^(?:BOOT_FAIL|CANCELLED|COMPLETED|DEADLINE|FAILED|NODE_FAIL|OUT_OF_MEMORY|PREEMPTED|TIMEOUT)$/;

/**
 * How many tasks are in which state, such as PENDING, as squeue says, and have ended in which, such as TIMEOUT, as sacct
 * does on clusters with accounting; null where Slurm does not answer.
 */
export async function tasksOf(store: SweepStore): Promise<Readonly<Record<string, number>> | null> {
  const arrays = await arraysOf(store);
  if (arrays.length === 0) return {};
  let queued: string;
  try {
    // All of the user's: squeue refuses to list a job that it has forgotten.
    queued = await slurm('squeue', ['--me', '--noheader', '--array', '--format=%F|%T']);
  } catch {
    return null;
  }
  const accounted = ['--allocations', '--noheader', '--parsable2', '--format=JobID,State'];
  const ended = await slurm('sacct', [...accounted, `--jobs=${arrays.join(',')}`]).catch(() => '');
  const all = [...statesIn(queued, arrays), ...statesIn(ended, arrays).filter((state) => ENDED.test(state))];
  const counts: Record<string, number> = {};
  for (const state of all) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

/** The states of the tasks of some arrays, in lines such as `17_3|CANCELLED by 0` or, where they never ran, `17_[4-9]|...`. */
export function statesIn(text: string, arrays: readonly string[]): string[] {
  return text.split('\n').flatMap((line) => {
    const [, array, tasks = '', state] = /^(\d+)(?:_([^|]*))?\|([A-Z_]+)/.exec(line.trim()) ?? [];
    return arrays.includes(array) ? new Array<string>(countOf(tasks)).fill(state) : [];
  });
}

/** How many tasks are meant by 3, or by [3-6,9%2]. */
function countOf(tasks: string): number {
  const ranges = [...(/^\[([\d,-]+)/.exec(tasks)?.[1] ?? '1').matchAll(/(\d+)(?:-(\d+))?/g)];
  return ranges.reduce((sum, [, first, last = first]) => sum + Number(last) - Number(first) + 1, 0);
}

/** Takes the tasks of a store's arrays back. */
export async function cancelArrays(store: SweepStore): Promise<void> {
  const arrays = await arraysOf(store);
  if (arrays.length > 0) await slurm('scancel', ['--quiet', ...arrays]);
}

/** Has the task that this process is put back into its queue, which ends the process. */
export async function requeueThisTask(task = process.env.SLURM_JOB_ID): Promise<void> {
  if (task !== undefined) await slurm('scontrol', ['requeue', task]);
}

async function slurm(command: string, args: readonly string[]): Promise<string> {
  try {
    return (await promisify(execFile)(command, [...args])).stdout;
  } catch (error) {
    const { code, stderr, message } = error as NodeJS.ErrnoException & { readonly stderr?: string };
    if (code === 'ENOENT') {
      throw new Error(`${command} is not there: Slurm is used where its own commands are`, { cause: error });
    }
    const [reason] = (stderr === undefined || stderr === '' ? message : stderr).trim().split('\n', 1);
    throw new Error(reason.startsWith(command) ? reason : `${command}: ${reason}`, { cause: error });
  }
}
