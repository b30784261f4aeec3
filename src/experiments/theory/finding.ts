/** What a check of a theorem says: a sentence that can be true or false, and what was measured to decide it. */
import type { Table } from '../experiment.js';

export interface Finding {
  readonly theorem: 1 | 2;
  /** A whole sentence. Those about what does not hold say so, and are true when it does not. */
  readonly statement: string;
  /** Whether the statement came out true. */
  readonly holds: boolean;
  /** What it means and why, in sentences. */
  readonly explanation: readonly string[];
  readonly table: Table;
  /** The numbers of the table, unrounded. */
  readonly numbers: Readonly<Record<string, unknown>>;
}

export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

export function norm(a: ArrayLike<number>): number {
  return Math.sqrt(dot(a, a));
}

/** A number for a table. */
export function shown(x: number): string {
  return Number.isInteger(x) && Math.abs(x) < 1e6 ? String(x) : x.toPrecision(4);
}
