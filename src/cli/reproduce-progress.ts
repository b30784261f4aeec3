/** The progress line of a reproduction, in which several trainings run at a time. */
import type { Reproduction } from '../experiments/index.js';
import { shareOf } from '../fronts/index.js';
import type { JobProgress } from '../runs/index.js';
import { isOffPolicy, replicasText, stepsTaken } from '../training/index.js';
import { shown } from './format.js';
import { duration } from './progress.js';
import { clock, StatusLine, type Clock } from './status-line.js';
import type { Stream } from './terminal.js';

/** Milliseconds between two lines where none is rewritten. */
const NEXT_LINE = 30_000;

interface Running extends JobProgress {
  /** The first report of the training at work: one that is resumed had its steps before, for which no time was taken here. */
  readonly from?: { readonly time: number; readonly envSteps: number };
}

/** Shows how far a reproduction is: one line that is rewritten on a terminal, lines now and then elsewhere. */
export class ReproductionLine {
  private readonly running = new Map<number, Running>();
  private readonly done = new Map<number, number>();
  private readonly line: StatusLine;

  /** @param ceilings of the hypervolume, by environment */
  constructor(
    stream: Stream,
    private readonly reproduction: Reproduction,
    private readonly processes: number,
    private readonly ceilings: ReadonlyMap<string, number | null>,
    private readonly now: Clock = clock,
  ) {
    this.line = new StatusLine(stream, NEXT_LINE, now);
  }

  started(index: number): void {
    this.running.set(index, { envSteps: 0, hypervolume: null });
    if (this.line.isRewritten) this.show(index);
    else this.say(`${this.nameOf(index)} begins${this.timeLeft()}`);
  }

  progress(index: number, progress: JobProgress): void {
    const { plan } = this.jobOf(index);
    // Before it learns, a training is many times as fast.
    const learns = !isOffPolicy(plan) || progress.envSteps >= plan.config.learnAfter;
    const from =
      this.running.get(index)?.from ?? (learns ? { time: this.now(), envSteps: progress.envSteps } : undefined);
    this.running.set(index, { ...progress, from });
    if (this.line.isDue) this.show(index);
  }

  /** What it ended with is played for its score. */
  scoring(index: number, share: number): void {
    if (this.line.isDue) this.line.show(`${this.nameOf(index)}: scoring, ${Math.floor(100 * share)} %`);
  }

  /** @param runs one for each seed of the training */
  finished(index: number, runs: readonly Finished[]): void {
    const seconds = runs.reduce((sum, run) => sum + run.seconds, 0);
    this.running.delete(index);
    this.done.set(index, seconds);
    const how = runs.every(({ isReused }) => isReused) ? 'was there already' : `trained in ${duration(seconds)}`;
    const qualities = runs.map(({ hypervolume }) => this.quality(index, hypervolume));
    this.say(`${this.nameOf(index)} ${how}: hypervolume ${qualities.join(', ')}`);
  }

  /** Writes a line of its own, above the one that is rewritten. */
  say(text: string): void {
    this.line.say(text);
  }

  /** Takes the line away. */
  clear(): void {
    this.line.clear();
  }

  /** Seconds that are left, from what each method has taken for a step so far; undefined before anything is known. */
  secondsLeft(): number | undefined {
    const rates = new Map<string, { seconds: number; steps: number }>();
    const count = (index: number, seconds: number, steps: number) => {
      const name = methodsOf(this.jobOf(index));
      const rate = rates.get(name) ?? { seconds: 0, steps: 0 };
      rates.set(name, { seconds: rate.seconds + seconds, steps: rate.steps + steps });
    };
    for (const [index, seconds] of this.done) count(index, seconds, stepsTaken(this.jobOf(index).plan));
    for (const [index, { from, envSteps }] of this.running) {
      if (from !== undefined) count(index, (this.now() - from.time) / 1000, envSteps - from.envSteps);
    }
    const measured = [...rates.values()].filter(({ steps }) => steps > 0);
    if (measured.length === 0) return undefined;
    const secondsPerStep = ({ seconds, steps }: { seconds: number; steps: number }) => seconds / steps;
    const mean = measured.map(secondsPerStep).reduce((sum, value) => sum + value, 0) / measured.length;
    let left = 0;
    for (const [index, job] of this.reproduction.jobs.entries()) {
      if (this.done.has(index)) continue;
      const { plan } = job;
      const rate = rates.get(methodsOf(job));
      const steps = stepsTaken(plan) - (this.running.get(index)?.envSteps ?? 0);
      left += Math.max(0, steps) * (rate === undefined || rate.steps === 0 ? mean : secondsPerStep(rate));
    }
    return left / this.processes;
  }

  private show(index: number): void {
    const { envSteps, hypervolume } = this.running.get(index)!;
    const percent = Math.floor(Math.min(100, (100 * envSteps) / stepsTaken(this.jobOf(index).plan)));
    const quality = hypervolume === null ? '' : `, hypervolume ${this.quality(index, hypervolume)}`;
    const [start, end] = [`${this.nameOf(index)}: ${percent} %`, this.timeLeft()];
    this.line.show(`${start}${quality}${end}`, `${start}${end}`);
  }

  private timeLeft(): string {
    const seconds = this.secondsLeft();
    return seconds === undefined ? '' : `, ${duration(seconds)} left for all`;
  }

  private jobOf(index: number): Reproduction['jobs'][number] {
    return this.reproduction.jobs[index];
  }

  private nameOf(index: number): string {
    const job = this.jobOf(index);
    const of = `run ${index + 1} of ${this.reproduction.jobs.length}`;
    return `${of}, ${methodsOf(job)} on ${job.plan.env}, ${replicasText(job.plan)}`;
  }

  private quality(index: number, hypervolume: number): string {
    const ceiling = this.ceilings.get(this.jobOf(index).plan.env) ?? null;
    const share = ceiling === null ? '' : ` (${shareOf(hypervolume, ceiling)} of the ceiling)`;
    return `${shown(Number(hypervolume.toPrecision(6)))}${share}`;
  }
}

/** What a job trains: a method, or the algorithm of methods that differ in what is named as varied. */
function methodsOf({ methods }: Reproduction['jobs'][number]): string {
  return methods.length === 1 ? methods[0].key : methods[0].algorithm;
}

interface Finished {
  readonly hypervolume: number;
  /** That the training took for it. */
  readonly seconds: number;
  readonly isReused: boolean;
}
