/** Sweeps as `psl explore` shows them: the trainings of a store, finished or under way on some machine, and how it stands. */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Held } from '../explorer/index.js';
import { heldRuns } from '../runs/index.js';
import { statusOf, SweepStore, type JobStatus, type SweepStatus } from '../sweeps/index.js';
import { shown } from './format.js';
import { duration } from './progress.js';
import { counted } from './result.js';
import { countsText } from './sweep-progress.js';

/** Follows the stores among the folders that runs are looked for in. */
export class ExploredSweeps {
  private readonly standing = new Map<string, string>();

  /** The trainings of a store that have files; undefined where the folder is none. */
  readonly heldBy = async (folder: string): Promise<Held[] | undefined> => {
    const store = new SweepStore(folder);
    let status: SweepStatus;
    try {
      if ((await store.read()) === undefined) return undefined;
      status = await statusOf(store);
    } catch {
      // What cannot be read as a sweep may still hold runs.
      return undefined;
    }
    this.standing.set(folder, `${basename(folder)}: ${standingText(status)}`);
    const hosts = new Map(status.workers.map(({ name, host }) => [name, host]));
    return status.jobs.flatMap((job) => heldOf(job, hosts.get(job.worker ?? '') ?? ''));
  };

  /** How each of them stood when it was last looked at. */
  readonly lines = (): string[] => [...this.standing.values()];
}

function heldOf(job: JobStatus, host: string): Held[] {
  const { id, name, state, folder } = job;
  const isBegun = folder !== null && (existsSync(join(folder, 'config.json')) || heldRuns(folder).length > 0);
  if (!isBegun) return [];
  const common = { key: id, name, folder };
  if (state === 'running') return [{ ...common, isTraining: true, progress: progressText(job, host) }];
  return [{ ...common, isTraining: false, ...(state === 'lost' && { progress: 'its worker is gone' }) }];
}

function standingText(status: SweepStatus): string {
  const machines = new Set(status.workers.filter(({ isPresent }) => isPresent).map(({ host }) => host));
  return countsText(status) + (machines.size === 0 ? '' : `, on ${counted(machines.size, 'machine')}`);
}

function progressText({ envSteps, steps, stepsPerSecond }: JobStatus, host: string): string {
  const rate = stepsPerSecond > 0 ? [`${shown(Number(stepsPerSecond.toPrecision(3)))} steps/s`] : [];
  const left = stepsPerSecond > 0 ? [`${duration(Math.max(0, steps - envSteps) / stepsPerSecond)} left`] : [];
  return [`${Math.floor((100 * envSteps) / steps)} %`, ...rate, ...left, ...(host === '' ? [] : [host])].join(', ');
}
