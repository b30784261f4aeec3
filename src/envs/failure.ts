/** What goes wrong in the rules of environments, as sentences that name them: whoever writes rules throws what they like. */

/** What was thrown, on one line, as all that is shown of errors. */
export function reasonOf(thrown: unknown): string {
  const text = thrown instanceof Error && thrown.message !== '' ? thrown.message : String(thrown);
  return text.trim().replace(/\s*\n\s*/g, ' ');
}

/** The error of a part of an environment, such as make(). What names the environment says enough by itself. */
export function failureIn(part: string, id: string, thrown: unknown): unknown {
  const reason = reasonOf(thrown);
  if (reason.includes(id)) return thrown;
  // A RangeError is about what was chosen, and still is.
  const Kind = thrown instanceof RangeError ? RangeError : Error;
  return new Kind(`${id} failed in ${part}: ${reason}`, { cause: thrown });
}
