/** What goes wrong in the rules of environments, as sentences that name them: whoever writes rules throws what they like. */
import { oneLineOf } from '../text/index.js';

/** The error of a part of an environment, such as make(). What names the environment says enough by itself. */
export function failureIn(part: string, id: string, thrown: unknown): unknown {
  const reason = oneLineOf(thrown);
  if (reason.includes(id)) return thrown;
  // A RangeError is about what was chosen, and still is.
  const Kind = thrown instanceof RangeError ? RangeError : Error;
  return new Kind(`${id} failed in ${part}: ${reason}`, { cause: thrown });
}
