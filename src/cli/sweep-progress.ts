/** The progress of a sweep: of the trainings of this process, or of all as their store tells. */
import { setTimeout as wait } from 'node:timers/promises';
import type { JobProgress } from '../runs/index.js';
import {
  isLeft,
  statusOf,
  type Ending,
  type SweepJob,
  type SweepStatus,
  type SweepStore,
  type WorkEvents,
} from '../sweeps/index.js';
import { stepsTaken } from '../training/index.js';
import { shown } from './format.js';
import { duration } from './progress.js';
import { counted } from './result.js';
import { clock, StatusLine, type Clock } from './status-line.js';
import { aligned } from './table.js';
import { lineWidth, type Output, type Stream } from './terminal.js';

/** Milliseconds between two lines where none is rewritten. */
const NEXT_LINE = 30_000;
/** Milliseconds between two looks at a store. */
const LOOK = 2000;
/** Lines of a terminal that does not say how many it has. */
const DEFAULT_ROWS = 24;

/** What became of a training that this process did not end. */
const LEFT = {
  cancelled: 'was cancelled; what it saved is kept',
  lost: 'was taken over by somebody else',
};

/** The same where it goes on. */
const RELEASED = {
  stopped: 'is saved, and goes on later',
  died: 'lost its process, and goes on from its last checkpoint, or anew where it has none',
  damaged: 'cannot go on from what was saved, and begins anew',
};

/** How many trainings are where, in one line. */
export function countsText({ counts, stepsPerSecond, secondsLeft }: SweepStatus): string {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const others = (['running', 'lost', 'waiting', 'failed', 'cancelled'] as const).filter((state) => counts[state] > 0);
  return [
    `${counts.done} of ${counted(all, 'training')} finished`,
    ...others.map((state) => `${counts[state]} ${state}`),
    ...(stepsPerSecond > 0 ? [rateText(stepsPerSecond)] : []),
    ...(secondsLeft !== null && secondsLeft > 0 ? [`${duration(secondsLeft)} left`] : []),
  ].join(', ');
}

/** For people; trainings that are as they should be are counted, the others named. */
export function statusLines(status: SweepStatus): string[] {
  const { workers, jobs } = status;
  const named = jobs.filter(({ state }) => state === 'running' || state === 'lost' || state === 'failed');
  const rows = named.map(({ name, state, envSteps, steps, stepsPerSecond, worker, error }) => [
    ...[name, state],
    state === 'running' ? `${Math.floor((100 * envSteps) / steps)} %` : '',
    state === 'running' ? rateText(stepsPerSecond) : '',
    error ?? worker ?? '',
  ]);
  const silent = workers.filter(({ isPresent }) => !isPresent);
  return [
    countsText(status),
    ...(rows.length === 0 ? [] : aligned(rows, [0, 1, 4])),
    ...silent.map(({ name, silentSeconds }) => `${name} has been silent for ${Math.round(silentSeconds)} s`),
  ];
}

function rateText(stepsPerSecond: number): string {
  return `${shown(Number(stepsPerSecond.toPrecision(3)))} steps/s`;
}

/** Shows how far the trainings of this process are: one line that is rewritten on a terminal, lines now and then elsewhere. */
export class SweepLine {
  private readonly running = new Map<string, { readonly steps: number; taken: number; began: number }>();
  private left: number;
  private done: number;
  private readonly all: number;
  /** Environment steps that this process took, and since when. */
  private taken = 0;
  private began: number | undefined;
  private readonly line: StatusLine;
  private others = 0;

  constructor(
    stream: Stream,
    { jobs }: Pick<SweepStatus, 'jobs'>,
    private readonly now: Clock = clock,
  ) {
    this.line = new StatusLine(stream, NEXT_LINE, now);
    this.all = jobs.length;
    this.done = jobs.filter(({ state }) => state === 'done').length;
    this.left = jobs.filter(isLeft).reduce((sum, { steps }) => sum + steps, 0);
  }

  /** For those who train. */
  get events(): Required<WorkEvents> {
    return {
      started: (job) => this.started(job),
      progress: (job, progress) => this.progress(job, progress),
      ended: (job, ending) => this.ended(job, ending),
      waiting: (others) => this.waiting(others),
    };
  }

  private started({ id, name, plan }: SweepJob): void {
    const now = this.now();
    this.began ??= now;
    this.others = 0;
    this.running.set(id, { steps: stepsTaken(plan), taken: 0, began: now });
    if (!this.line.isRewritten) this.say(`${name} begins`);
  }

  private progress({ id }: SweepJob, { envSteps }: JobProgress): void {
    const running = this.running.get(id);
    if (running === undefined) return;
    // What was taken before it was taken over is no work of this process.
    if (running.taken > 0) this.taken += Math.max(0, envSteps - running.taken);
    running.taken = envSteps;
    this.show();
  }

  private ended({ id, name }: SweepJob, ending: Ending): void {
    const { steps = 0, began = this.now() } = this.running.get(id) ?? {};
    this.running.delete(id);
    const took = duration((this.now() - began) / 1000);
    if (ending.is === 'done') {
      this.done++;
      this.left -= steps;
      const values = ending.results.map(({ hypervolume }) => shown(Number(hypervolume.toPrecision(6))));
      this.say(`${name} trained in ${took}: hypervolume ${values.join(', ')}`);
    } else if (ending.is === 'failed') {
      this.left -= steps;
      this.say(`${name} failed: ${ending.error}`);
    } else this.say(`${name} ${ending.is === 'released' ? RELEASED[ending.why] : LEFT[ending.is]}`);
  }

  /** What is left is in the hands of other processes. */
  private waiting(others: number): void {
    if (this.running.size > 0 || this.others === others) return;
    this.others = others;
    this.say(`waiting for ${counted(others, 'training')} of others`);
  }

  /** Writes a line of its own, above the one that is rewritten. */
  say(text: string): void {
    this.line.say(text);
  }

  /** Takes the line away. */
  clear(): void {
    this.line.clear();
  }

  private show(): void {
    if (!this.line.isDue) return;
    const now = this.now();
    const rate = (1000 * this.taken) / Math.max(1, now - (this.began ?? now));
    const under = [...this.running.values()].reduce((sum, { taken }) => sum + taken, 0);
    const parts = [
      `${this.done} of ${counted(this.all, 'training')} finished`,
      `${this.running.size} running`,
      ...(rate > 0 ? [rateText(rate), `${duration(Math.max(0, this.left - under) / rate)} left`] : []),
    ];
    this.line.show(parts.join(', '));
  }
}

/** Shows how a sweep stands on all machines, until nothing is left of it or somebody interrupts. */
export async function watchSweep(store: SweepStore, output: Output): Promise<SweepStatus> {
  const stream = output.human;
  const stopping = new AbortController();
  const ignoreInterrupts = output.onInterrupt(() => stopping.abort());
  let before: SweepStatus | undefined;
  const view = new View(stream);
  try {
    while (true) {
      const status = await statusOf(store);
      view.clear();
      for (const line of before === undefined ? [] : changes(before, status)) stream.write(`${line}\n`);
      if (stopping.signal.aborted || !status.jobs.some(isLeft)) return status;
      const text = countsText(status);
      if (stream.isTTY === true) view.show(statusLines(status));
      else if (before === undefined || text !== countsText(before)) stream.write(`${text}\n`);
      before = status;
      await wait(LOOK, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  } finally {
    view.clear();
    ignoreInterrupts();
  }
}

/** Lines at the end of what a terminal shows, which are replaced by others. */
class View {
  private height = 0;

  constructor(private readonly stream: Stream) {}

  /** As many as can be taken away again: those that left the window cannot. */
  show(lines: readonly string[]): void {
    const most = (this.stream.rows || DEFAULT_ROWS) - 2;
    const all =
      lines.length <= most ? lines : [...lines.slice(0, most), `and ${counted(lines.length - most, 'line')} more`];
    this.clear();
    for (const line of all) this.stream.write(`${line.slice(0, lineWidth(this.stream))}\n`);
    this.height = all.length;
  }

  clear(): void {
    if (this.height > 0) this.stream.write(`\u001b[${this.height}A\u001b[J`);
    this.height = 0;
  }
}

/** What ended between two looks. */
function changes(before: SweepStatus, after: SweepStatus): string[] {
  const states = new Map(before.jobs.map(({ id, state }) => [id, state]));
  return after.jobs.flatMap(({ id, name, state, hypervolume, error }) => {
    if (states.get(id) === state) return [];
    if (state === 'done') return [`${name}: hypervolume ${shown(hypervolume)}`];
    if (state === 'failed') return [`${name} failed: ${error}`];
    return state === 'lost' ? [`${name}: its worker is gone`] : [];
  });
}
