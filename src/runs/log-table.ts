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
