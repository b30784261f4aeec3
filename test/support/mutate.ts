/** Valid inputs made invalid, in ways that files go wrong and in ways that somebody would try. */
import type { Random } from '../../src/random/index.js';

const NUMBERS = ['0', '-0', '-1', '1', '0.5', '1e-320', '1e308', '1e999', '-1e999', '9007199254740993', '4294967296'];
const ODD = [
  ...NUMBERS,
  '1e',
  '0x10',
  '1,5',
  '٣',
  'NaN',
  'Infinity',
  '""',
  'null',
  'true',
  '[]',
  '{}',
  '[[]]',
  '"\\u0000"',
];
const KEYS = ['__proto__', 'constructor', 'format', 'toString', ''];

const pick = <T>(from: readonly T[], random: Random): T => from[random.integer(from.length)];
/** Mostly little, now and then a lot. */
const amount = (most: number, random: Random): number => Math.ceil(most ** random.uniform());

/** Deep enough to end a recursion now and then: often would be most of the time that the tests take. */
const depth = (most: number, random: Random): number => amount(random.uniform() < 0.1 ? most : 100, random);

/** Changes bytes without knowing what they mean. `other` is spliced in now and then. */
export function mutatedBytes(valid: Uint8Array, other: Uint8Array, random: Random): Uint8Array {
  let bytes = Uint8Array.from(valid);
  for (let changes = amount(6, random); changes > 0; changes--) bytes = mutatedOnce(bytes, other, random);
  return bytes;
}

function mutatedOnce(bytes: Uint8Array<ArrayBuffer>, other: Uint8Array, random: Random): Uint8Array<ArrayBuffer> {
  const at = random.integer(bytes.length + 1);
  const length = Math.min(amount(64, random), bytes.length - at);
  const joined = (...parts: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(parts));
  switch (random.integer(7)) {
    case 0:
      if (at < bytes.length) bytes[at] ^= 1 << random.integer(8);
      return bytes;
    case 1:
      if (at < bytes.length) bytes[at] = random.integer(256);
      return bytes;
    case 2:
      return bytes.slice(0, at);
    case 3:
      return joined(bytes.subarray(0, at), bytes.subarray(at + length));
    case 4:
      return joined(bytes.subarray(0, at + length), bytes.subarray(at));
    case 5: {
      const from = random.integer(other.length + 1);
      return joined(bytes.subarray(0, at), other.subarray(from, from + length), bytes.subarray(at));
    }
    default:
      // A length in the file, perhaps.
      for (let i = 0; i < Math.min(8, bytes.length); i++) bytes[i] = random.uniform() < 0.3 ? 0xff : bytes[i];
      return bytes;
  }
}

/** Changes text as mutatedBytes does, or in a way that keeps more of its form: numbers, brackets, words. */
export function mutatedText(valid: string, other: string, random: Random): string {
  if (random.uniform() < 0.4) {
    const [bytes, spliced] = [valid, other].map((text) => new TextEncoder().encode(text));
    return new TextDecoder().decode(mutatedBytes(bytes, spliced, random));
  }
  const tokens = [...valid.matchAll(/-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|"[^"]*"|[\w.]+/g)];
  if (tokens.length === 0) return pick(ODD, random);
  const token = pick(tokens, random);
  const [before, after] = [valid.slice(0, token.index), valid.slice(token.index + token[0].length)];
  switch (random.integer(6)) {
    case 0:
      return before + pick(NUMBERS, random) + after;
    case 1:
      return before + pick(ODD, random) + after;
    case 2:
      return before + '['.repeat(depth(50_000, random)) + after;
    case 3:
      return before + nested(token[0], depth(5000, random)) + after;
    case 4:
      return before + token[0].repeat(amount(300, random)) + after;
    default:
      return before + after;
  }
}

const nested = (text: string, depth: number): string => '['.repeat(depth) + text + ']'.repeat(depth);

/** Changes a value somewhere in data that JSON can hold: what a parser meets after JSON itself was all right. */
export function mutatedData(valid: unknown, random: Random): unknown {
  const places: Place[] = [];
  const data = copied(valid, places);
  for (let changes = amount(3, random); changes > 0; changes--) {
    const { owner, key } = pick(places, random);
    if (Array.isArray(owner) && random.uniform() < 0.1)
      owner.push(...(owner.slice(0, amount(50, random)) as unknown[]));
    else if (random.uniform() < 0.15) Reflect.deleteProperty(owner, key);
    else if (random.uniform() < 0.1 && !Array.isArray(owner)) define(owner, pick(KEYS, random));
    else owner[key] = changed(owner[key], random);
  }
  return data;
}

/** As JSON would have it: also `__proto__` is a name like any other. */
function define(owner: object, key: string): void {
  Object.defineProperty(owner, key, { value: 1, enumerable: true, configurable: true, writable: true });
}

interface Place {
  readonly owner: Record<string, unknown>;
  readonly key: string;
}

/** A copy, in a fraction of the time of structuredClone, and every place in it. */
function copied(value: unknown, places: Place[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const owner = (Array.isArray(value) ? [] : {}) as Record<string, unknown>;
  const from = value as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(from)) {
    places.push({ owner, key });
    owner[key] = copied(from[key], places);
  }
  return owner;
}

function changed(value: unknown, random: Random): unknown {
  if (typeof value === 'number' && random.uniform() < 0.4) {
    return pick([-value, value + 1, value / 3, value * 1e12, Math.floor(value), -0], random);
  }
  if (typeof value === 'string' && random.uniform() < 0.4) {
    return pick(
      [value.slice(1), `${value}x`, `../${value}`, value.repeat(amount(100, random)), '\u0000\n\ud800'],
      random,
    );
  }
  const deep = () => JSON.parse(nested('0', depth(3000, random))) as unknown;
  const values = [
    null,
    true,
    0,
    -1,
    0.5,
    1e300,
    2 ** 53,
    '',
    'a',
    [],
    {},
    [[]],
    [null],
    { a: 1 },
    [1, 'x'],
    'x'.repeat(500),
  ];
  return random.uniform() < 0.1 ? deep() : pick(values, random);
}
