/** What a process does for a sweep: claims trainings, trains them in processes of their own, and says what they came to. */
import { setTimeout as wait } from 'node:timers/promises';
import { trainApart, type JobProgress } from '../runs/index.js';
import { entryOfDeath, isOpen, isSettled, standingOf } from './log.js';
import type { Entry, JobResult, Release, Standing } from './log.js';
import { LEASE, Membership, type RunningJob } from './membership.js';
import type { ClaimFiles } from './place.js';
import type { SweepJob } from './plan.js';
import { resultsIn, type SweepStore } from './store.js';

/** How a training ended, as far as this process is concerned. */
export type Ending =
  | { readonly is: 'done'; readonly results: readonly JobResult[] }
  | { readonly is: 'failed'; readonly error: string }
  /** It goes on another time. */
  | { readonly is: 'released'; readonly why: Release }
  | { readonly is: 'cancelled' }
  /** Somebody else has it by now. */
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
  /** Trainings that come to an end here, after which the work ends; all there are by default. */
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
  private renewing: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;
  private now = -Infinity;
  private readonly lease: number;

  private constructor(
    readonly store: SweepStore,
    private readonly options: Omit<WorkOptions, 'processes'>,
  ) {
    this.lease = options.lease ?? LEASE;
    this.members = new Membership(store.place);
  }

  static async open(store: SweepStore, options: Omit<WorkOptions, 'processes'> = {}): Promise<Worker> {
    const worker = new Worker(store, options);
    worker.now = await worker.renew();
    const seconds = Math.min(LONGEST_SILENCE, worker.lease / RENEWALS);
    worker.renewing = setInterval(() => void worker.look(), 1000 * seconds);
    return worker;
  }

  /** Claims a training, unless somebody else has it, or it is settled. */
  async claim(job: SweepJob): Promise<Claim | Standing> {
    const entries = await this.store.entries(job.id);
    const standing = standingOf(entries);
    if (!(await isOpen(standing, (worker) => this.members.isPresent(worker, this.now)))) return standing;
    const own: Entry = { kind: 'claimed', worker: this.name };
    if (!(await this.store.append(job.id, entries, own))) return standingOf(await this.store.entries(job.id));
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
    const write = async (entry: Entry, ending: Ending): Promise<Ending> =>
      (await this.store.append(job.id, entries, entry)) ? ending : this.lose(job, claim);
    const release = (why: Release) => write({ kind: 'released', why }, { is: 'released', why });
    let results: JobResult[] | undefined;
    try {
      const files = await this.store.takeOver(job.id, entries);
      const { folder } = files;
      try {
        if (resultsIn(folder) === undefined) {
          await trainApart(job.plan, folder, { shouldStop, progress }, { ...apart, signal: lost.signal });
        }
        results = resultsIn(folder);
      } finally {
        await endWith(files, !lost.signal.aborted);
      }
    } catch (error) {
      // Whoever has the claim by now removes the files of those before him, so that nothing is wrong here.
      if (await this.store.hasGoneOn(job.id, claim)) return await this.lose(job, claim);
      const { name, message } = error as Error;
      if (isOfThisMachine(error)) {
        await release('stopped');
        throw error;
      }
      if (name === 'CheckpointError' || name === 'RunError') {
        return await release('damaged');
      }
      const entry =
        name === 'ProcessDiedError' ? entryOfDeath(entries, message) : ({ kind: 'failed', error: message } as const);
      if (entry.kind === 'released') return await release(entry.why);
      return await write(entry, { is: 'failed', error: entry.error });
    }
    if (results === undefined) return release('stopped');
    const ending = await write({ kind: 'done', claim, worker: this.name, results }, { is: 'done', results });
    if (ending.is === 'done') await this.store.publish(job, claim);
    return ending;
  }

  /** Leaves the files of a claim that is lost to its successor, unless he is done already. */
  private async lose(job: SweepJob, claim: number): Promise<Ending> {
    const { is } = standingOf(await this.store.entries(job.id));
    if (is === 'done') await this.store.removeAttempts(job.id, claim);
    return { is: is === 'cancelled' ? is : 'lost' };
  }

  /** Says that this process is alive, and what time it is. Ends trainings whose claim is lost. */
  look(): Promise<void> {
    this.looking ??= this.lookOnce().finally(() => (this.looking = undefined));
    return this.looking;
  }

  private async lookOnce(): Promise<void> {
    try {
      this.now = await this.renew();
      for (const { job, claim, lost } of [...this.running.values()]) {
        if (await this.store.hasGoneOn(job.id, claim)) lost.abort();
      }
    } catch (error) {
      // A store that cannot be reached for a while: the next time will tell, and meanwhile others may take over.
      if (!isOfThisMachine(error)) throw error;
    }
  }

  /** Gives nothing up: claims end with their trainings. */
  async leave(): Promise<void> {
    clearInterval(this.renewing);
    // One that is under way would write the file again.
    await this.looking;
    await this.members.leave(this.name);
  }

  private renew(): Promise<number> {
    const running: RunningJob[] = Array.from(this.running.values(), ({ job, progress, began, first = 0 }) => ({
      id: job.id,
      ...progress,
      stepsPerSecond: (1000 * (progress.envSteps - first)) / Math.max(1, performance.now() - began),
    }));
    return this.members.renew(this.name, { lease: this.lease, running });
  }
}

/** Saves what there is, also where the training's process died, so that whoever comes next goes on from there. */
async function endWith(files: ClaimFiles, isSaved: boolean): Promise<void> {
  try {
    if (isSaved) await files.save();
  } finally {
    await files.close();
  }
}

/** Whether something is the fault of this machine: its disk is full or gone, or it does not reach the store. */
function isOfThisMachine(error: unknown): boolean {
  const { name } = error as Error;
  return name === 'WriteError' || name === 'PlaceError';
}

/**
 * Works on a sweep until all of it is settled, by this process or by others, or `signal` stops it. A failure of this
 * machine, such as a full disk, ends the work and is thrown; what was begun is released.
 */
export async function workOn(store: SweepStore, jobs: readonly SweepJob[], options: PullOptions): Promise<void> {
  const { processes, events = {}, signal, patience = Infinity } = options;
  const failing = new AbortController();
  const stop = signal === undefined ? failing.signal : AbortSignal.any([signal, failing.signal]);
  const worker = await Worker.open(store, { ...options, signal: stop });
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

  const next = async (): Promise<Claim | undefined> => {
    if (stop.aborted) return undefined;
    await worker.look();
    for (const job of [...unsettled.values()]) {
      if (mine.has(job.id) || !unsettled.has(job.id)) continue;
      const claimed = await worker.claim(job);
      if ('entries' in claimed) {
        mine.add(job.id);
        return claimed;
      }
      if (isSettled(claimed)) settle(job);
      if (claimed.is === 'done') await store.publish(job, claimed.claim);
    }
    return undefined;
  };
  /** One after the other, so that each knows what the one before has found. */
  let lastTurn: Promise<unknown> = Promise.resolve();
  const takeTurn = (): Promise<Claim | undefined> => {
    const turn = lastTurn.then(next);
    lastTurn = turn.catch(() => undefined);
    return turn;
  };
  const work = async (): Promise<void> => {
    while (!stop.aborted && most > 0) {
      most--;
      const claim = await takeTurn();
      if (claim === undefined) most++;
      if (claim !== undefined) {
        const { job } = claim;
        const ending = await worker.train(claim).finally(() => mine.delete(job.id));
        lastWork = performance.now();
        // Otherwise a task for one training would leave it, or the one of whoever took it over, to nobody.
        if (ending.is === 'released' || ending.is === 'lost') most++;
        else settle(job);
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
  await worker.leave();
  if ('error' in failure) throw failure.error;
}
