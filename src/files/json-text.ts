/** JSON for people: an entry a line, lists of numbers on one. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value, null, 2);
  const compact = text.replace(
    /\[\s+([\d\s,.eE+-]+?)\s+\]/g,
    (_, numbers: string) => `[${numbers.replace(/\s+/g, ' ')}]`,
  );
  return `${compact}\n`;
}
