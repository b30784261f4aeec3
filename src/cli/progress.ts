/** The progress line of a training. */
import { shareOf } from '../fronts/index.js';
import { stepsTaken, type Evaluated, type Progress, type TrainingPlan } from '../training/index.js';
import { shown } from './format.js';
import { clock, StatusLine, type Clock } from './status-line.js';
import type { Stream } from './terminal.js';

/** Milliseconds between two lines where none is rewritten. */
const NEXT_LINE = 10_000;
/** The rate is that of the last few seconds: learning, which sets in later, is slower than gathering. */
const WINDOW = 10_000;

/** Milliseconds after which an evaluation is long enough to be shown. */
const LONG_EVALUATION = 2000;

/** Shows how far a training is: one line that is rewritten on a terminal, lines now and then elsewhere. */
export class ProgressLine {
  private readonly hypervolumes: number[] = [];
  /** Begin with the first report of progress: a training that is resumed had its steps before, for which no time was taken here. */
  private readonly marks: { readonly time: number; readonly envSteps: number }[] = [];
  private readonly line: StatusLine;
  private latest: Progress = { envSteps: 0, gradientSteps: 0 };
  private readonly steps: number;
  /** When the evaluation began that is under way. */
  private evaluationBegan: number | undefined;
  private isAtKeys = false;

  constructor(
    stream: Stream,
    private readonly plan: TrainingPlan,
    private readonly ceiling: number | null,
    private readonly now: Clock = clock,
  ) {
    this.steps = stepsTaken(plan);
    this.line = new StatusLine(stream, NEXT_LINE, now);
    this.line.wait();
  }

  progress(progress: Progress): void {
    this.latest = progress;
    this.evaluationBegan = undefined;
    this.isAtKeys = false;
    if (this.marks.length === 0) this.marks.push({ time: this.now(), envSteps: progress.envSteps });
    if (this.line.isDue) this.show();
  }

  /** Which share of an evaluation is done, if it takes long. */
  evaluating(share: number): void {
    const now = this.now();
    this.evaluationBegan ??= now;
    if (now - this.evaluationBegan < LONG_EVALUATION || !this.line.isDue) return;
    const { envSteps } = this.latest;
    const before = this.isAtKeys ? 'key solutions' : `${envSteps} of ${this.steps} steps`;
    const parts = [before, `evaluating: ${percentOf(share)}`];
    if (this.hypervolumes.length > 0) parts.push(this.quality(true));
    this.line.show(parts.join(', '));
  }

  /** How far the key solutions are, which are trained first. */
  keyProgress(done: number, all: number): void {
    this.evaluationBegan = undefined;
    this.isAtKeys = true;
    if (this.line.isDue) this.line.show(`key solutions: ${done} of ${all} steps`);
  }

  evaluated({ replica, score }: Evaluated): void {
    this.hypervolumes[replica] = score.hypervolume;
    this.evaluationBegan = undefined;
    if (replica === this.plan.replicas - 1) this.show();
  }

  /** Writes a line of its own, above the one that is rewritten. */
  say(text: string): void {
    this.line.say(text);
    if (this.line.isRewritten) this.show();
  }

  /** Takes the line away. */
  clear(): void {
    this.line.clear();
  }

  private show(): void {
    const { envSteps } = this.latest;
    const now = this.now();
    // Before the first report an evaluation may be made that was broken off.
    if (this.marks.length > 0) this.marks.push({ time: now, envSteps });
    while (this.marks.length > 2 && now - this.marks[1].time > WINDOW) this.marks.shift();
    this.line.show(this.text(false), this.text(true));
  }

  private text(isShort: boolean): string {
    const { envSteps } = this.latest;
    const { steps } = this;
    const [first, last] = [this.marks.at(0), this.marks.at(-1)];
    const rate = first && last ? (1000 * (last.envSteps - first.envSteps)) / (last.time - first.time) : 0;
    const parts = isShort ? [`${envSteps}/${steps}`] : [percentOf(envSteps / steps), `${envSteps} of ${steps} steps`];
    if (rate > 0) {
      parts.push(`${shownRate(rate)}${isShort ? '' : ' steps'}/s`);
      if (envSteps < steps) parts.push(`${duration((steps - envSteps) / rate)} left`);
    }
    if (this.hypervolumes.length > 0) parts.push(this.quality(isShort));
    return parts.join(', ');
  }

  private quality(isShort: boolean): string {
    const { hypervolumes } = this;
    const { length } = hypervolumes;
    // A mean over different settings says nothing about any of them.
    const isBest = this.plan.variants !== undefined;
    const hypervolume = isBest
      ? Math.max(...hypervolumes)
      : hypervolumes.reduce((sum, value) => sum + value, 0) / length;
    const kind = length === 1 ? '' : isBest ? 'best ' : 'mean ';
    const text = `${kind}hypervolume ${shown(Number(hypervolume.toPrecision(6)))}`;
    if (this.ceiling === null) return text;
    return `${text} (${shareOf(hypervolume, this.ceiling)}${isShort ? '' : ' of the ceiling'})`;
  }
}

/** Shows how far an evaluation by itself is, or something else that has a share, if it takes long. */
export class EvaluationLine {
  private readonly began: number;
  private readonly line: StatusLine;

  constructor(
    stream: Stream,
    private readonly what = 'evaluating',
    private readonly now: Clock = clock,
  ) {
    this.began = now();
    this.line = new StatusLine(stream, NEXT_LINE, now);
    this.line.wait();
  }

  evaluating(share: number): void {
    if (this.now() - this.began < LONG_EVALUATION || !this.line.isDue) return;
    this.line.show(`${this.what}: ${percentOf(share)}`);
  }

  /** Takes the line away. */
  clear(): void {
    this.line.clear();
  }
}

function percentOf(share: number): string {
  return `${Math.floor(100 * Math.min(1, share))} %`;
}

function shownRate(rate: number): string {
  return String(Number(rate.toPrecision(rate < 1000 ? 3 : 4)));
}

/** Such as 42 s, 3 min 5 s, 2 h 10 min. */
export function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${whole % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
