/** What a process does for a sweep: claims trainings, trains them in processes of their own, and says what they came to. */
import { setTimeout as wait } from 'node:timers/promises';
import { WriteError } from '../files/index.js';
import { trainApart, type JobProgress } from '../runs/index.js';
import { entryOfDeath, isOpen, isSettled, standingOf, type Entry, type JobResult, type Standing } from './log.js';
import { LEASE, Membership, type RunningJob } from './membership.js';
import type { SweepJob } from './plan.js';
import { resultsIn, type SweepStore } from './store.js';

/** How a training ended, as far as this process is concerned. */
export type Ending =
  | { readonly is: 'done'; readonly results: readonly JobResult[] }
  | { readonly is: 'failed'; readonly error: string }
  /** It goes on another time. */
  | { readonly is: 'released' }
  /** Somebody else has it by now, or has cancelled it. */
  | { readonly is: 'lost' };

export interface WorkEvents {
  started?(job: SweepJob): void;
  progress?(job: SweepJob, progress: JobProgress): void;
  ended?(job: SweepJob, ending: Ending): void;
  /** Nothing is left but what others work on. */
  waiting?(jobs: number): void;
}

export interface WorkOptions {
  /** Trainings at a time. */
  readonly processes: number;
  readonly events?: WorkEvents;
  /** Stops the trainings, which save what they have. */
  readonly signal?: AbortSignal;
  /** Seconds of silence after which others take over; those of `membership.ts` by default. */
  readonly lease?: number;
  /** Seconds between two checkpoints; a minute by default. */
  readonly checkpointEvery?: number;
}

export interface PullOptions extends WorkOptions {
  /** Trainings after which the work ends; all there are by default. */
  readonly most?: number;
  /** Seconds after which it ends too where everything is in the hands of others; for ever by default. */
  readonly patience?: number;
}

/** How often somebody is heard of within a lease. */
const RENEWALS = 6;
/** Seconds between two, at most, so that progress can be watched. */
const LONGEST_SILENCE = 5;
/** Milliseconds between two looks at what others do. */
const LOOK_AGAIN = 1000;

/** A claim of this process. */
interface Claim {
  readonly job: SweepJob;
  /** Everything that happened to the training; the claim is the last entry. */
  readonly entries: readonly Entry[];
}

/** A training that this process works on. */
interface Running {
  readonly job: SweepJob;
  readonly claim: number;
  readonly lost: AbortController;
  readonly began: number;
  progress: JobProgress;
  /** Environment steps that were there when this process began. */
  first: number | undefined;
}

/** A process at work on a store: what it holds, and the proof that it is alive. */
export class Worker {
  readonly name = Membership.newName();
  private readonly members: Membership;
  private readonly running = new Map<string, Running>();
  private readonly renewing: NodeJS.Timeout;
  private now: number;
  private readonly lease: number;

  constructor(
    readonly store: SweepStore,
    private readonly options: Omit<WorkOptions, 'processes'> = {},
  ) {
    this.lease = options.lease ?? LEASE;
    this.members = new Membership(store.folder);
    this.now = this.renew();
    const seconds = Math.min(LONGEST_SILENCE, this.lease / RENEWALS);
    this.renewing = setInterval(() => this.look(), 1000 * seconds);
  }

  /** Claims a training, unless somebody else has it, or it is settled. */
  claim(job: SweepJob): Claim | Standing {
    const entries = this.store.entries(job.id);
    const standing = standingOf(entries);
    if (!isOpen(standing, this.members.lookup(this.now))) return standing;
    const own: Entry = { kind: 'claimed', worker: this.name };
    if (!this.store.append(job.id, entries, own)) return standingOf(this.store.entries(job.id));
    return { job, entries: [...entries, own] };
  }

  /** Trains what was claimed, from where the last one was who had it, and writes down how it ended. */
  async train({ job, entries }: Claim): Promise<Ending> {
    const { events = {}, signal, checkpointEvery } = this.options;
    const claim = entries.length;
    const lost = new AbortController();
    const progress: JobProgress = { envSteps: 0, hypervolume: null };
    const running: Running = { job, claim, lost, began: performance.now(), progress, first: undefined };
    this.running.set(job.id, running);
    events.started?.(job);
    try {
      const ending = await this.endingOf(running, entries, {
        shouldStop: () => signal?.aborted === true,
        ...(checkpointEvery !== undefined && { checkpointEvery }),
      });
      events.ended?.(job, ending);
      return ending;
    } finally {
      this.running.delete(job.id);
    }
  }

  private async endingOf(
    running: Running,
    entries: readonly Entry[],
    options: { readonly shouldStop: () => boolean; readonly checkpointEvery?: number },
  ): Promise<Ending> {
    const { job, claim, lost } = running;
    const { shouldStop, ...apart } = options;
    const progress = (state: JobProgress) => {
      running.progress = state;
      running.first ??= state.envSteps;
      this.options.events?.progress?.(job, state);
    };
    /** Writes an entry, unless the claim is lost. */
    const write = (entry: Entry, ending: Ending): Ending =>
      this.store.append(job.id, entries, entry) ? ending : this.lose(job, claim);
    let results: JobResult[] | undefined;
    try {
      const folder = this.store.takeOver(job.id, entries);
      if (resultsIn(folder) === undefined) {
        await trainApart(job.plan, folder, { shouldStop, progress }, { ...apart, signal: lost.signal });
      }
      results = resultsIn(folder);
    } catch (error) {
      // Whoever has the claim by now removes the files of those before him, so that nothing is wrong here.
      if (this.store.hasGoneOn(job.id, claim)) return this.lose(job, claim);
      const { name, message } = error as Error;
      // The fault of this machine: its disk is full, or gone.
      if (name === 'WriteError') {
        write({ kind: 'released', why: 'stopped' }, { is: 'released' });
        throw error;
      }
      if (name === 'CheckpointError' || name === 'RunError') {
        return write({ kind: 'released', why: 'damaged' }, { is: 'released' });
      }
      const entry: Entry =
        name === 'ProcessDiedError' ? entryOfDeath(entries, message) : { kind: 'failed', error: message };
      return write(entry, entry.kind === 'failed' ? { is: 'failed', error: entry.error } : { is: 'released' });
    }
    if (results === undefined) return write({ kind: 'released', why: 'stopped' }, { is: 'released' });
    const ending = write({ kind: 'done', claim, worker: this.name, results }, { is: 'done', results });
    if (ending.is === 'done') this.store.publish(job, claim);
    return ending;
  }

  /** Leaves the files of a claim that is lost to its successor, unless he is done already. */
  private lose(job: SweepJob, claim: number): Ending {
    if (standingOf(this.store.entries(job.id)).is === 'done') this.store.removeAttempts(job.id, claim);
    return { is: 'lost' };
  }

  /** Says that this process is alive, and what time it is. Ends trainings whose claim is lost. */
  look(): void {
    try {
      this.now = this.renew();
      for (const { job, claim, lost } of this.running.values()) {
        if (this.store.hasGoneOn(job.id, claim)) lost.abort();
      }
    } catch (error) {
      // A store that cannot be reached for a while: the next time will tell, and meanwhile others may take over.
      if (!(error instanceof WriteError)) throw error;
    }
  }

  /** Gives nothing up: claims end with their trainings. */
  leave(): void {
    clearInterval(this.renewing);
    this.members.leave(this.name);
  }

  private renew(): number {
    const running: RunningJob[] = Array.from(this.running.values(), ({ job, progress, began, first = 0 }) => ({
      id: job.id,
      ...progress,
      stepsPerSecond: (1000 * (progress.envSteps - first)) / Math.max(1, performance.now() - began),
    }));
    return this.members.renew(this.name, { lease: this.lease, running });
  }
}

/**
 * Works on a sweep until all of it is settled, by this process or by others, or `signal` stops it. A failure of this
 * machine, such as a full disk, ends the work and is thrown; what was begun is released.
 */
export async function workOn(store: SweepStore, jobs: readonly SweepJob[], options: PullOptions): Promise<void> {
  const { processes, events = {}, signal, patience = Infinity } = options;
  const failing = new AbortController();
  const stop = signal === undefined ? failing.signal : AbortSignal.any([signal, failing.signal]);
  const worker = new Worker(store, { ...options, signal: stop });
  let { most = Infinity } = options;
  let lastWork = performance.now();
  const unsettled = new Map(jobs.map((job) => [job.id, job]));
  const mine = new Set<string>();
  const failure: { error?: unknown } = {};
  /** Wakes those who wait for nothing any more. */
  const over = new AbortController();
  const settle = ({ id }: SweepJob) => {
    unsettled.delete(id);
    if (unsettled.size === 0) over.abort();
  };
  const pause = () =>
    wait(LOOK_AGAIN, undefined, { signal: AbortSignal.any([stop, over.signal]) }).catch(() => undefined);

  const next = (): Claim | undefined => {
    worker.look();
    for (const job of unsettled.values()) {
      if (mine.has(job.id)) continue;
      const claimed = worker.claim(job);
      if ('entries' in claimed) return claimed;
      if (isSettled(claimed)) settle(job);
      if (claimed.is === 'done') store.publish(job, claimed.claim);
    }
    return undefined;
  };
  const work = async (): Promise<void> => {
    while (!stop.aborted && most > 0) {
      const claim = next();
      if (claim !== undefined) {
        const { job } = claim;
        most--;
        mine.add(job.id);
        const ending = await worker.train(claim).finally(() => mine.delete(job.id));
        lastWork = performance.now();
        if (ending.is === 'done' || ending.is === 'failed') settle(job);
      } else if (unsettled.size === 0) return;
      else {
        if (mine.size === 0 && performance.now() - lastWork > 1000 * patience) return;
        if (unsettled.size > mine.size) events.waiting?.(unsettled.size - mine.size);
        await pause();
      }
    }
  };
  const workers = Array.from({ length: Math.min(processes, jobs.length) }, () =>
    work().catch((error: unknown) => {
      failure.error ??= error;
      failing.abort();
    }),
  );
  await Promise.all(workers);
  worker.leave();
  if ('error' in failure) throw failure.error;
}
