/**
 * The diagnostics of a learner's updates. Reading them from a device takes time, so only some updates report, and on a
 * device that queues its work a report arrives after the update was asked for.
 */
import type { Program, Step, Values } from '../tensor/index.js';
import type { Diagnostics } from './learner.js';

/** Keeps the last value of each diagnostic, by name. */
export class Reports {
  private last: Diagnostics = {};
  private pending: Promise<unknown> = Promise.resolve();

  get latest(): Diagnostics {
    return this.last;
  }

  /** Restores diagnostics that were saved. */
  restore(saved: Diagnostics): void {
    this.last = saved;
  }

  /**
   * Runs an update and, if it reports, reads its outputs. On a device that queues its work it does not wait for them:
   * `settled` does.
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
    const reported = program.run(inputs).then((outputs: Readonly<Record<string, Values>>) => {
      // Copies: the program writes its next outputs into the same arrays.
      const copies = Object.entries(outputs).map(([name, values]) => [name, values.slice()] as const);
      this.last = { ...this.last, ...Object.fromEntries(copies) };
    });
    if (program.state.device.isOrdered !== true) return reported;
    this.pending = this.pending.then(() => reported);
    // A failure fails the next run too, and is thrown there or by `settled`.
    for (const promise of [reported, this.pending]) promise.catch(() => undefined);
  }

  /** Waits for all reports that are pending. */
  async settled(): Promise<void> {
    await this.pending;
  }
}
