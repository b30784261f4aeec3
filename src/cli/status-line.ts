/** The line that says how far something is: one that is rewritten on a terminal, lines now and then elsewhere. */
import { lineWidth, type Stream } from './terminal.js';

/** Milliseconds between two states of the line on a terminal. */
const REDRAW = 100;

export type Clock = () => number;
export const clock: Clock = () => performance.now();

export class StatusLine {
  private lastShown = -Infinity;

  /** @param pause milliseconds between two lines elsewhere */
  constructor(
    private readonly stream: Stream,
    private readonly pause: number,
    private readonly now: Clock,
  ) {}

  /** Whether a person looks at it. */
  get isRewritten(): boolean {
    return this.stream.isTTY === true;
  }

  /** Whether the last state has been there for long enough. */
  get isDue(): boolean {
    return this.now() - this.lastShown >= (this.isRewritten ? REDRAW : this.pause);
  }

  /** Lets the next state wait, as if one had been shown. */
  wait(): void {
    this.lastShown = this.now();
  }

  /** @param short the same in fewer characters, where there is little room */
  show(text: string, short = text): void {
    this.wait();
    const room = lineWidth(this.stream);
    this.stream.write(
      this.isRewritten ? `\r${text.length <= room ? text : short.slice(0, room)}\u001b[K` : `${text}\n`,
    );
  }

  /** Writes a line of its own, above the one that is rewritten. */
  say(text: string): void {
    this.clear();
    this.stream.write(`${text}\n`);
  }

  /** Takes the line away. */
  clear(): void {
    if (this.isRewritten) this.stream.write('\r\u001b[K');
  }
}
