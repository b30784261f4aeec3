/** What a training measures as tables, for programs that read CSV. */

/** All finite numbers of a nested record, by their path: `score/hypervolume`. */
export function numbersIn(record: object, separator: string, prefix = ''): Record<string, number> {
  const found: Record<string, number> = {};
  for (const [key, value] of Object.entries(record) as [string, unknown][]) {
    if (typeof value === 'number' && Number.isFinite(value)) found[prefix + key] = value;
    else if (typeof value === 'object' && value !== null) {
      Object.assign(found, numbersIn(value, separator, `${prefix}${key}${separator}`));
    }
  }
  return found;
}

/** Rows as CSV, with a column for every name in any of them; empty where a row lacks it. */
export function tableOf(rows: readonly Readonly<Record<string, number>>[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (names.length === 0) return '';
  const lines = [names, ...rows.map((row) => names.map((name) => row[name] ?? ''))];
  return lines.map((cells) => `${cells.join(',')}\n`).join('');
}

/** The rows of such a table. */
export function tableIn(text: string): Record<string, number>[] {
  const [names = [], ...rows] = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(','));
  return rows.map((cells) =>
    Object.fromEntries(cells.flatMap((cell, k) => (cell === '' ? [] : [[names[k], Number(cell)]]))),
  );
}
