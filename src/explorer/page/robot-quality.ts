/** How well robots are drawn, from best to least. */

/** Pixels on each side of the picture that shadows are taken from. Flat ones need none, and little time. */
export type Shadow = number | 'flat' | 'none';

export interface Quality {
  /** Pixels that are drawn for each of the page, in width and in height. */
  readonly pixelRatio: number;
  readonly shadow: Shadow;
  /** Which of the frames of the screen are drawn. */
  readonly everyFrame: number;
}

export const QUALITIES: readonly Quality[] = [
  // More pixels than the screen has, which makes edges smooth.
  { pixelRatio: 2, shadow: 2048, everyFrame: 1 },
  { pixelRatio: 1, shadow: 1024, everyFrame: 1 },
  { pixelRatio: 1, shadow: 'flat', everyFrame: 1 },
  { pixelRatio: 0.75, shadow: 'flat', everyFrame: 1 },
  { pixelRatio: 0.5, shadow: 'flat', everyFrame: 1 },
  { pixelRatio: 0.4, shadow: 'flat', everyFrame: 2 },
];

export interface Limits {
  readonly best: number;
  readonly first: number;
  /** Screens that refresh more slowly than this on average, in milliseconds, because drawing holds them up, get less. */
  readonly slow: number;
  /** Those that refresh faster than this can have more. */
  readonly smooth: number;
}

export const WITH_GPU: Limits = { best: 0, first: 0, slow: 28, smooth: 18 };
/** It must not be slow while it finds out how slow it is. */
export const WITHOUT_GPU: Limits = { best: 2, first: 4, slow: 36, smooth: 22 };

/** How long frames are watched before they are judged. */
const JUDGED_MS = 500;
/** How long nothing is judged after the first picture, while the page is busy with all that it begins. */
const BEGINNING_MS = 2000;
/** How long a lowered quality stays before a better one is tried again; longer each time, but not without end. */
const RETRY_MS = 8000;
const LONGEST_RETRY_MS = 60_000;

/** What came of the frames of a while. */
export interface Judgement {
  readonly fps: number;
  /** The level that they were drawn with. */
  readonly level: number;
  /** Whether the next ones have another. */
  readonly isChanged: boolean;
}

/** Lowers the quality before the picture falls behind the simulation, and tries a better one again later. */
export class QualityControl {
  /** Which of the qualities it is. */
  level: number;
  private ticks = 0;
  private drawn = 0;
  private judgedAt = 0;
  private seenAt = 0;
  private patience = RETRY_MS / 2;
  private retryAt = RETRY_MS / 2;

  constructor(private readonly limits: Limits) {
    this.level = limits.first;
  }

  get quality(): Quality {
    return QUALITIES[this.level];
  }

  /** Whether this frame of the screen is one of those that are drawn. */
  get isDrawing(): boolean {
    return this.ticks % this.quality.everyFrame === 0;
  }

  /** The first picture is there. */
  begin(time: number): void {
    this.seenAt = time;
  }

  noteDrawn(): void {
    this.drawn++;
  }

  /** Forgets the frames so far: a page that was hidden, or had nothing to draw, was not slow. */
  restart(time: number): void {
    [this.judgedAt, this.ticks, this.drawn] = [time, 0, 0];
  }

  /** Counts a frame of the screen; undefined where it is too early to judge. */
  tick(time: number): Judgement | undefined {
    this.ticks++;
    const passed = time - this.judgedAt;
    if (passed < JUDGED_MS) return undefined;
    const interval = passed / this.ticks;
    const fps = (1000 * this.drawn) / passed;
    this.restart(time);
    const { level } = this;
    if (time >= this.seenAt + BEGINNING_MS) this.adapt(interval, time);
    return { fps, level, isChanged: level !== this.level };
  }

  private adapt(interval: number, time: number): void {
    const { best, slow, smooth } = this.limits;
    if (interval > slow && this.level < QUALITIES.length - 1) {
      this.level++;
      this.patience = Math.min(2 * this.patience, LONGEST_RETRY_MS);
      this.retryAt = time + this.patience;
    } else if (interval < smooth && this.level > best && time > this.retryAt) {
      this.level--;
    }
  }
}
