/**
 * Programs for a varying number of rows. Shapes are static, so a policy that acts on one observation or on a thousand needs a
 * program for each number; they are compiled on demand and share their state.
 */
import { compile } from './devices.js';
import type { Program, State } from './program.js';
import type { Step } from './step.js';

/** A step for any number of rows. */
export class RowPrograms<S extends Step> {
  private readonly programs = new Map<number, Promise<Program<S>>>();
  private isDisposed = false;

  constructor(
    private readonly state: State,
    private readonly makeStep: (rows: number) => S,
  ) {}

  async of(rows: number): Promise<Program<S>> {
    if (this.isDisposed) throw new Error('this policy has been disposed of, so it cannot be used any more.');
    const { state } = this;
    const program = this.programs.get(rows) ?? compile(this.makeStep(rows), { replicas: state.replicas, state });
    this.programs.set(rows, program);
    // What could not be compiled now, on a state that was in use, can be later.
    program.catch(() => this.programs.delete(rows));
    return program;
  }

  async dispose(): Promise<void> {
    this.isDisposed = true;
    const compiled = await Promise.allSettled(this.programs.values());
    await Promise.all(compiled.map(async (one) => one.status === 'fulfilled' && one.value.dispose()));
  }
}
