/** JSON for people: an entry a line, lists of numbers on one. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value, null, 2);
  const compact = text.replace(
    /\[\s+([\d\s,.eE+-]+?)\s+\]/g,
    (_, numbers: string) => `[${numbers.replace(/\s+/g, ' ')}]`,
  );
  return `${compact}\n`;
}

/** Whether a value that was read, of which nothing is known, is an object with names. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
