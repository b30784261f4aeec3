/**
 * Kinds of values that settings and arguments have: which values are allowed, and how they are read from and written as
 * text.
 */
import type { Allowed } from './refusal.js';

/** A kind of value: which values it has, and how one is written in a terminal. */
export interface Kind<T> {
  /** Stands for the value in help, such as `INTEGER`. */
  readonly placeholder: string;
  readonly allowed: Allowed;
  /** The same for a value that is refused by a limit which need not be told to everybody. */
  readonly allowedFor?: ((value: unknown) => Allowed) | undefined;
  accepts(value: unknown): value is T;
  /** The value that a text stands for; the text itself where it stands for none. Not checked with `accepts` yet. */
  read(text: string): unknown;
  /** The text that `read` turns back into the value. */
  show(value: T): string;
}

export interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

export interface OpenBounds extends Bounds {
  /** The value must be larger than this. Instead of `min`. */
  readonly above?: number;
  /** The value must be smaller than this. Instead of `max`. */
  readonly below?: number;
}

export interface Length {
  /** The least number of entries; 0 by default. */
  readonly minLength?: number;
}

export interface TextOptions {
  /** Stands for the text in help, such as `FILE`. */
  readonly placeholder?: string;
  /** What the text is, to complete "must be", such as `the path of a file`. It is never empty. */
  readonly allowed?: string;
}

/** A decimal number as people write it. Number() alone also takes '', '0x10' and ' 1 '. */
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** The number that a text stands for, also Infinity for 1e999; undefined if it is not a number. */
export function readNumber(text: string): number | undefined {
  return DECIMAL.test(text) ? Number(text) : undefined;
}

/** The integers that a number holds exactly. */
const EXACT = { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER };
const isBeyondExact = (value: unknown) => Number.isInteger(value) && !Number.isSafeInteger(value);

const readDecimal = (text: string) => readNumber(text) ?? text;

/** What is allowed in place of a value that is refused. */
export function allowedInstead(kind: Kind<unknown>, value: unknown): Allowed {
  return kind.allowedFor?.(value) ?? kind.allowed;
}

export function integerKind(bounds: Bounds): Kind<number> {
  const range = integerRange(bounds);
  return {
    placeholder: 'INTEGER',
    allowed: `an integer${range}`,
    allowedFor: (value) => `an integer${isBeyondExact(value) ? integerRange({ ...EXACT, ...bounds }) : range}`,
    accepts: (value): value is number => Number.isSafeInteger(value) && isWithin(value as number, bounds),
    read: readDecimal,
    show: String,
  };
}

export function numberKind(bounds: OpenBounds): Kind<number> {
  const range = numberRange(bounds);
  return {
    placeholder: 'NUMBER',
    allowed: `a ${range === '' ? 'finite ' : ''}number${range}`,
    accepts: (value): value is number => Number.isFinite(value) && isWithin(value as number, bounds),
    read: readDecimal,
    show: String,
  };
}

/** Several values of a kind, written with commas between them; an empty text is an empty list. */
function listKind<T>(item: Kind<T>, plural: string, minLength: number): Kind<readonly T[]> {
  const count = minLength === 0 ? '' : `at least ${minLength} `;
  return {
    placeholder: `${item.placeholder},...`,
    allowed: `a list of ${count}${plural}`,
    accepts: (value): value is readonly T[] =>
      // Array.from, because `every` skips the holes of a sparse array.
      Array.isArray(value) && value.length >= minLength && Array.from(value).every((entry) => item.accepts(entry)),
    read(text) {
      if (text.trim() === '') return [];
      const entries = text.split(',').map((part) => item.read(part.trim()));
      // As a whole it says more in an error than with its readable parts already turned into values.
      return entries.some((entry) => typeof entry === 'string') ? text : entries;
    },
    show: (values) => values.map((value) => item.show(value)).join(','),
  };
}

export function integersKind({ minLength = 0, ...bounds }: Bounds & Length): Kind<readonly number[]> {
  return listKind(integerKind(bounds), `integers${integerRange(bounds)}`, minLength);
}

export function numbersKind({ minLength = 0, ...bounds }: OpenBounds & Length): Kind<readonly number[]> {
  const range = numberRange(bounds);
  return listKind(numberKind(bounds), `${range === '' ? 'finite ' : ''}numbers${range}`, minLength);
}

export function choiceKind<V extends string>(values: readonly V[]): Kind<V> {
  return {
    placeholder: 'NAME',
    allowed: values,
    accepts: (value): value is V => (values as readonly unknown[]).includes(value),
    read: (text) => text,
    show: (value) => value,
  };
}

export function flagKind(): Kind<boolean> {
  return {
    placeholder: 'true|false',
    allowed: 'true or false',
    accepts: (value): value is boolean => typeof value === 'boolean',
    read: (text) => (text === 'true' ? true : text === 'false' ? false : text),
    show: String,
  };
}

export function textKind({ placeholder = 'TEXT', allowed = 'a text that is not empty' }: TextOptions): Kind<string> {
  return {
    placeholder,
    allowed,
    accepts: (value): value is string => typeof value === 'string' && value !== '',
    read: (text) => text,
    show: (value) => value,
  };
}

/** The values of a kind and null, which is written `none`. */
export function orNoneKind<T>(kind: Kind<T>): Kind<T | null> {
  const orNone = (allowed: Allowed) => (typeof allowed === 'string' ? `${allowed}, or none` : [...allowed, 'none']);
  return {
    placeholder: `${kind.placeholder}|none`,
    allowed: orNone(kind.allowed),
    allowedFor: (value) => orNone(allowedInstead(kind, value)),
    accepts: (value): value is T | null => value === null || kind.accepts(value),
    read: (text) => (text === 'none' ? null : kind.read(text)),
    show: (value) => (value === null ? 'none' : kind.show(value)),
  };
}

function isWithin(value: number, { min, max, above, below }: OpenBounds): boolean {
  return (
    (min === undefined || value >= min) &&
    (max === undefined || value <= max) &&
    (above === undefined || value > above) &&
    (below === undefined || value < below)
  );
}

function integerRange({ min, max }: Bounds): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return ` of at least ${min}`;
  return max === undefined ? '' : ` of at most ${max}`;
}

function numberRange({ min, max, above, below }: OpenBounds): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  const lower = min !== undefined ? `of at least ${min}` : above !== undefined ? `above ${above}` : undefined;
  const upper = max !== undefined ? `at most ${max}` : below !== undefined ? `below ${below}` : undefined;
  if (lower === undefined && max !== undefined) return ` of at most ${max}`;
  const parts = [lower, upper].filter((part) => part !== undefined);
  return parts.length === 0 ? '' : ` ${parts.join(' and ')}`;
}
