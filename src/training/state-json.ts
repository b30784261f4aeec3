import type { StateValue } from '../envs/index.js';

/** How an array of float64 stands in JSON: bit for bit, which decimal numbers are not for NaN and negative zero. */
const KEY = 'float64';

/** JSON of plain data with Float64Arrays in it, which `decodeState` turns back into the same. */
export function encodeState(value: StateValue): string {
  return JSON.stringify(value, (_, entry: unknown) =>
    entry instanceof Float64Array
      ? { [KEY]: Buffer.from(entry.buffer, entry.byteOffset, entry.byteLength).toString('base64') }
      : entry,
  );
}

/** Throws a RangeError unless the text is JSON that `encodeState` could have written. */
export function decodeState(text: string): StateValue {
  let value: unknown;
  try {
    value = JSON.parse(text, (_, entry: unknown) => (isEncoded(entry) ? floatsOf(entry[KEY]) : entry));
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new RangeError('is not valid JSON', { cause: error });
  }
  return value as StateValue;
}

function isEncoded(entry: unknown): entry is Record<typeof KEY, string> {
  if (typeof entry !== 'object' || entry === null) return false;
  const names = Object.keys(entry);
  return names.length === 1 && names[0] === KEY && typeof (entry as Record<string, unknown>)[KEY] === 'string';
}

function floatsOf(text: string): Float64Array {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length % 8 !== 0) throw new RangeError(`has ${bytes.length} bytes of float64, but must have whole numbers`);
  // A copy, because the bytes need not lie where numbers may.
  return new Float64Array(new Uint8Array(bytes).buffer);
}
