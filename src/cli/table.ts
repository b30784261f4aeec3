/** Tables in a terminal. */

/**
 * Rows as lines whose columns stand below each other: numbers end below each other, words begin so.
 * @param words columns that hold words
 */
export function aligned(rows: readonly (readonly string[])[], words: readonly number[]): string[] {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  return rows.map((row) =>
    row
      .map((cell, i) => (words.includes(i) ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
      .join('  ')
      .trimEnd(),
  );
}
