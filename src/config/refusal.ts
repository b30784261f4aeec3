/** The sentence with which a value is refused. It names the argument, the value and what is allowed. */
import { unknownName } from '../text/index.js';

/** What may be given: the values themselves, or a description that completes "must be". */
export type Allowed = string | readonly string[];

/** How much of a long value is shown: characters of a text, entries of a list. */
const LONGEST = 80;
const MOST_ENTRIES = 8;

/**
 * The sentence for a value that is not allowed: `alpha is 2, but must be a number from 0 to 1.` A misspelt name comes
 * with the nearest of the allowed ones; undefined is a value that was not given.
 */
export function refusal(argument: string, value: unknown, allowed: Allowed): string {
  if (typeof allowed !== 'string') {
    if (typeof value === 'string') return unknownName(argument, onOneLine(value), allowed);
    return refusal(argument, value, `one of: ${allowed.join(', ')}`);
  }
  return value === undefined
    ? `${argument} is missing, but must be ${allowed}.`
    : `${argument} is ${shown(value)}, but must be ${allowed}.`;
}

/** What is allowed, as a part of a sentence. */
export function allowedText(allowed: Allowed): string {
  return typeof allowed === 'string' ? allowed : `one of: ${allowed.join(', ')}`;
}

function shown(value: unknown): string {
  if (Array.isArray(value)) {
    const entries = value
      .slice(0, MOST_ENTRIES)
      .map((entry: unknown) => (Array.isArray(entry) ? '[...]' : shown(entry)));
    return `[${[...entries, ...(value.length > MOST_ENTRIES ? ['...'] : [])].join(', ')}]`;
  }
  if (typeof value === 'string') return `"${onOneLine(value)}"`;
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** Control characters, line breaks among them, would break the sentence or the terminal that shows it. */
function onOneLine(text: string): string {
  const start = text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text;
  return start.replace(/\p{Cc}/gu, '?');
}
