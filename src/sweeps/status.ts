/** How a sweep stands, on all machines, as its store tells. */
import { atOnce } from './at-once.js';
import { standingOf } from './log.js';
import { isPresent, Membership } from './membership.js';
import type { ListedJob, SweepStore } from './store.js';

/** `lost`: its worker is gone, and the next one goes on with it. */
export type JobState = 'waiting' | 'running' | 'lost' | 'done' | 'failed' | 'cancelled';

export interface JobStatus {
  readonly id: string;
  readonly name: string;
  readonly state: JobState;
  readonly steps: number;
  /** That were taken, as far as somebody who is alive knows. */
  readonly envSteps: number;
  /** The last that was measured; the mean over its runs where it is done, null before. */
  readonly hypervolume: number | null;
  /** Of the process that trains it. */
  readonly stepsPerSecond: number;
  readonly worker: string | null;
  readonly error: string | null;
  /** Where the finished run is. */
  readonly run: string | null;
  /** Where its files are by now, finished or not. */
  readonly folder: string | null;
}

export interface WorkerStatus {
  readonly name: string;
  readonly host: string;
  readonly running: number;
  /** Since it was last heard of. */
  readonly silentSeconds: number;
  readonly isPresent: boolean;
}

export interface SweepStatus {
  readonly store: string;
  readonly version: string;
  readonly counts: Readonly<Record<JobState, number>>;
  /** Of all processes together. */
  readonly stepsPerSecond: number;
  /** Null where nobody works, or nothing is known yet. */
  readonly secondsLeft: number | null;
  readonly workers: readonly WorkerStatus[];
  readonly jobs: readonly JobStatus[];
}

export async function statusOf(store: SweepStore): Promise<SweepStatus> {
  const { version, jobs: listed } = await store.open();
  const members = new Membership(store.place);
  const now = await members.now();
  const seen = await members.all();
  const present = new Set(seen.filter((worker) => isPresent(worker, now)).map(({ name }) => name));
  const running = new Map(
    seen.flatMap(({ name, record }) =>
      present.has(name) ? (record?.running ?? []).map((job) => [job.id, { worker: name, ...job }] as const) : [],
    ),
  );
  const jobs = await atOnce(listed, async (job): Promise<JobStatus> => {
    const standing = standingOf(await store.entries(job.id));
    const of = running.get(job.id);
    const common = {
      ...{ id: job.id, name: job.name, steps: job.steps, stepsPerSecond: 0 },
      worker: null,
      error: null,
    };
    const nothing = { ...common, envSteps: 0, hypervolume: null, run: null, folder: null };
    switch (standing.is) {
      case 'done': {
        const { results } = standing;
        const hypervolume = results.reduce((sum, result) => sum + result.hypervolume, 0) / results.length;
        const run = store.runAddress(job);
        return { ...common, state: 'done', envSteps: job.steps, hypervolume, run, folder: run };
      }
      case 'failed':
        return { ...nothing, state: 'failed', error: standing.error };
      case 'claimed': {
        const { worker } = standing;
        const claimed = { ...nothing, worker, folder: store.claimAddress(job.id, standing.claim) };
        if (!present.has(worker)) return { ...claimed, state: 'lost' };
        const { envSteps = 0, hypervolume = null, stepsPerSecond = 0 } = of?.worker === worker ? of : {};
        return { ...claimed, state: 'running', envSteps, hypervolume, stepsPerSecond };
      }
      default:
        return { ...nothing, state: standing.is };
    }
  });
  const counts = { waiting: 0, running: 0, lost: 0, done: 0, failed: 0, cancelled: 0 };
  for (const { state } of jobs) counts[state]++;
  const stepsPerSecond = jobs.reduce((sum, job) => sum + job.stepsPerSecond, 0);
  const left = jobs.reduce((sum, job) => sum + (isLeft(job) ? Math.max(0, job.steps - job.envSteps) : 0), 0);
  return {
    store: store.address,
    version,
    counts,
    stepsPerSecond,
    secondsLeft: stepsPerSecond > 0 ? left / stepsPerSecond : null,
    workers: seen.map(({ name, at, record }) => ({
      name,
      host: record?.process.host ?? '',
      running: record?.running.length ?? 0,
      silentSeconds: Math.max(0, (now - at) / 1000),
      isPresent: present.has(name),
    })),
    jobs,
  };
}

/** Whether a training is still to come, or under way. */
export function isLeft({ state }: Pick<JobStatus, 'state'>): boolean {
  return state === 'waiting' || state === 'running' || state === 'lost';
}

/** Ends what is not settled yet, wherever it runs, and says which trainings that were. What was saved is kept. */
export function cancel(store: SweepStore): Promise<ListedJob[]> {
  return jobsOf(store, async ({ id }) => {
    // Whoever works on it may write in the same moment.
    while (true) {
      const entries = await store.entries(id);
      const { is } = standingOf(entries);
      if (is !== 'waiting' && is !== 'claimed') return false;
      if (await store.append(id, entries, { kind: 'cancelled' })) return true;
    }
  });
}

/** Opens again what failed or was cancelled, and says which trainings that were. */
export function retry(store: SweepStore): Promise<ListedJob[]> {
  return jobsOf(store, async ({ id }) => {
    const entries = await store.entries(id);
    const { is } = standingOf(entries);
    return (is === 'failed' || is === 'cancelled') && store.append(id, entries, { kind: 'retried' });
  });
}

/** The trainings for which something holds. */
async function jobsOf(store: SweepStore, holds: (job: ListedJob) => Promise<boolean>): Promise<ListedJob[]> {
  const { jobs } = await store.open();
  const answers = await atOnce(jobs, holds);
  return jobs.filter((_, i) => answers[i]);
}
