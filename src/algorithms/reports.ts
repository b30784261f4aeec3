import type { Program, Step, Values } from '../tensor/index.js';
import type { Diagnostics } from './learner.js';

/** What the updates of a learner tell about themselves, by name; of each the last is kept. */
export class Reports {
  private last: Diagnostics = {};
  private pending: Promise<unknown> = Promise.resolve();

  get latest(): Diagnostics {
    return this.last;
  }

  /** Goes on from diagnostics that were saved. */
  restore(saved: Diagnostics): void {
    this.last = saved;
  }

  /**
   * Runs an update: all its outputs are read where it has to tell about itself, none otherwise. A device that works in
   * order is only asked: what it has to tell comes later.
   */
  async run<S extends Step>(
    program: Program<S>,
    inputs: Parameters<Program<S>['run']>[0],
    report: boolean,
  ): Promise<void> {
    if (!report) {
      await program.run(inputs, { read: [] });
      return;
    }
    const heard = program.run(inputs).then((outputs: Readonly<Record<string, Values>>) => {
      // Copies: the program writes its next outputs into the same arrays.
      const copies = Object.entries(outputs).map(([name, values]) => [name, values.slice()] as const);
      this.last = { ...this.last, ...Object.fromEntries(copies) };
    });
    if (program.state.device.isOrdered !== true) return heard;
    this.pending = this.pending.then(() => heard);
    // A failure shows in the next run too, and is thrown there or by `settled`.
    for (const promise of [heard, this.pending]) promise.catch(() => undefined);
  }

  /** Waits for everything that updates have still to tell. */
  async settled(): Promise<void> {
    await this.pending;
  }
}
