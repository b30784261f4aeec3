/**
 * Exact JSON of the state of a training: arrays of float64 bit for bit, and the numbers that JSON has no notation for.
 */
import type { StateValue } from '../envs/index.js';

/** How an array of float64 stands in JSON: bit for bit, which decimal numbers are not for NaN and negative zero. */
const ARRAY = 'float64';
/** How a single number stands there that JSON would change. */
const NUMBER = 'number';
const UNUSUAL: Readonly<Record<string, number>> = { '-0': -0, NaN, Infinity, '-Infinity': -Infinity };

/** JSON of plain data with Float64Arrays in it, which `decodeState` turns back into the same. */
export function encodeState(value: StateValue): string {
  return JSON.stringify(value, (_, entry: unknown) => {
    if (entry instanceof Float64Array) {
      return { [ARRAY]: base64Of(new Uint8Array(entry.buffer, entry.byteOffset, entry.byteLength)) };
    }
    const isUnusual = typeof entry === 'number' && (!Number.isFinite(entry) || Object.is(entry, -0));
    return isUnusual ? { [NUMBER]: Object.is(entry, -0) ? '-0' : String(entry) } : entry;
  });
}

/** Nothing that is saved comes near this; what goes deeper was not written here, and could exhaust the stack. */
const DEEPEST = 100;

/** Throws a RangeError unless the text is JSON that `encodeState` could have written. */
export function decodeState(text: string): StateValue {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new RangeError('is not valid JSON', { cause: error });
  }
  return decoded(value, 0);
}

function decoded(entry: unknown, depth: number): StateValue {
  if (typeof entry !== 'object' || entry === null) return entry as StateValue;
  if (depth > DEEPEST) throw new RangeError(`is nested more than ${DEEPEST} times`);
  if (Array.isArray(entry)) return entry.map((item) => decoded(item, depth + 1));
  const entries = Object.entries(entry as Readonly<Record<string, unknown>>);
  const [name, only] = entries.length === 1 ? entries[0] : [];
  if (name === ARRAY && typeof only === 'string') return floatsOf(only);
  if (name === NUMBER && typeof only === 'string') return numberOf(only);
  return Object.fromEntries(entries.map(([key, item]) => [key, decoded(item, depth + 1)]));
}

/** In pieces, because a function takes only so many arguments. */
function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x2000) text += String.fromCharCode(...bytes.subarray(at, at + 0x2000));
  return btoa(text);
}

function bytesOf(base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

function floatsOf(text: string): Float64Array {
  const bytes = bytesOf(text);
  if (base64Of(bytes) !== text) throw new RangeError('has float64 that are not in base64');
  if (bytes.length % 8 !== 0) throw new RangeError(`has ${bytes.length} bytes of float64, but must have whole numbers`);
  return new Float64Array(bytes.buffer);
}

function numberOf(text: string): number {
  if (!Object.hasOwn(UNUSUAL, text)) throw new RangeError(`has a number ${JSON.stringify(text.slice(0, 20))}`);
  return UNUSUAL[text];
}
