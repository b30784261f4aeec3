import { beforeEach, describe, expect, it } from 'vitest';
import { QUALITIES, QualityControl, WITH_GPU, WITHOUT_GPU, type Judgement, type Limits } from './robot-quality.js';

/** A screen that refreshes at an interval, from where it was on. */
class Screen {
  time = 0;
  readonly control: QualityControl;

  constructor(limits: Limits) {
    this.control = new QualityControl(limits);
  }

  /** @returns what was judged on the way */
  refresh(seconds: number, interval: number): Judgement[] {
    const judged: Judgement[] = [];
    for (const end = this.time + 1000 * seconds; this.time < end;) {
      this.time += interval;
      const judgement = this.control.tick(this.time);
      if (judgement !== undefined) judged.push(judgement);
      if (this.control.isDrawing) this.control.noteDrawn();
    }
    return judged;
  }
}

const [FAST, SLOW] = [1000 / 60, 50];

describe('the quality of robots', () => {
  let screen: Screen;
  beforeEach(() => {
    screen = new Screen(WITH_GPU);
  });

  it('stays the best on a screen that keeps up', () => {
    const judged = screen.refresh(20, FAST);
    expect(judged.every(({ isChanged }) => !isChanged)).toBe(true);
    expect(judged.at(-1)!.fps).toBeCloseTo(60, 0);
    expect(screen.control.level).toBe(0);
  });

  it('is not judged in the first two seconds, when the page is busy with other things', () => {
    screen.refresh(1.9, SLOW);
    expect(screen.control.level).toBe(0);
    screen.refresh(1, SLOW);
    expect(screen.control.level).toBeGreaterThan(0);
  });

  it('is lowered by one level every half a second while it is slow, down to the least', () => {
    screen.refresh(2, FAST);
    screen.refresh(1.1, SLOW);
    expect(screen.control.level).toBe(2);
    screen.refresh(20, SLOW);
    expect(screen.control.level).toBe(QUALITIES.length - 1);
    // There every other frame is left out.
    expect(screen.refresh(2, SLOW).at(-1)!.fps).toBeCloseTo(10, 0);
  });

  it('is tried again after eight seconds, and after twice as long when that was too much', () => {
    const lowered = () => {
      while (screen.control.level === 0) screen.refresh(0.01, SLOW);
    };
    screen.refresh(2, FAST);
    lowered();
    screen.refresh(7, FAST);
    expect(screen.control.level).toBe(1);
    screen.refresh(2, FAST);
    expect(screen.control.level).toBe(0);
    lowered();
    screen.refresh(15, FAST);
    expect(screen.control.level).toBe(1);
    screen.refresh(2, FAST);
    expect(screen.control.level).toBe(0);
  });

  it('is not lowered because of time in which nothing was drawn', () => {
    screen.refresh(3, FAST);
    screen.time += 10_000;
    screen.control.restart(screen.time);
    screen.refresh(1, FAST);
    expect(screen.control.level).toBe(0);
  });

  it('begins low without a graphics card, and never gets better than what that can draw', () => {
    screen = new Screen(WITHOUT_GPU);
    expect(screen.control.level).toBe(4);
    screen.refresh(60, FAST);
    expect(screen.control.level).toBe(WITHOUT_GPU.best);
    expect(screen.control.quality.shadow).toBe('flat');
  });
});
