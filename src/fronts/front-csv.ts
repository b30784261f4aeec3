/** A front as a table, for other programs and for `parseFront`. */
import type { ReturnsAt } from './front.js';

/** How the names of columns with preferences begin, and of those with the reference point, which is the same in all rows. */
export const PREFERENCE_COLUMN = 'preference ';
export const REFERENCE_COLUMN = 'reference ';

/**
 * The points of a front as CSV, each with a preference that leads to it. The reference point stands in columns too: a line
 * above the names is what other programs do not expect.
 * @param names of the objectives
 */
export function frontCsv(
  names: readonly string[],
  { preferences, returns }: ReturnsAt,
  referencePoint: readonly number[],
): string {
  const header = ['', PREFERENCE_COLUMN, REFERENCE_COLUMN].flatMap((kind) => names.map((name) => cell(kind + name)));
  const rows = returns.map((point, i) => [...point, ...preferences[i], ...referencePoint]);
  return [header, ...rows].map((cells) => `${cells.join(',')}\n`).join('');
}

function cell(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
