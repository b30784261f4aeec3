/** What was thrown, on one line, as all that is shown of errors. */
export function oneLineOf(thrown: unknown): string {
  const text = thrown instanceof Error && thrown.message !== '' ? thrown.message : String(thrown);
  return text.trim().replace(/\s*\n\s*/g, ' ');
}
