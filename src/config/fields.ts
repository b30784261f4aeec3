/**
 * Settings that document and check themselves: each has a kind of value, a default, a sentence, and its unit and
 * source. Commands, help and documentation are all made from them.
 */
import { ConfigError } from './error.js';
import {
  allowedInstead,
  choiceKind,
  flagKind,
  integerKind,
  integersKind,
  numberKind,
  numbersKind,
  orNoneKind,
  textKind,
  type Bounds,
  type Kind,
  type Length,
  type OpenBounds,
  type TextOptions,
} from './kinds.js';

/** What people are told about a value. */
export interface Documentation {
  /** One sentence. */
  readonly about: string;
  /** What a number counts or measures, such as `environment steps`. */
  readonly unit?: string;
  /** Where a published value comes from, such as `paper, Table 3`. */
  readonly source?: string;
  /** Whether replicas of one program can differ in it. */
  readonly varies?: boolean;
  /** Whether what was learned with one value of it means nothing with another: it says what the networks are. */
  readonly network?: boolean;
  /** Values of older versions, as they were written, and what they are now. */
  readonly formerly?: Readonly<Record<string, unknown>>;
}

/** A kind of value with its documentation, for what has no default, such as the argument of a command. */
export interface Described<T> extends Kind<T>, Documentation {}

/** One entry of a configuration. */
export interface Field<T> extends Described<T> {
  readonly default: T;
}

/** The entries of a configuration by name, in the order in which they are shown. */
export type Fields = Readonly<Record<string, Field<unknown>>>;

/** The record of values that fields describe, one for each. */
export type ConfigOf<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never;
};

/** Some of the values that fields describe, such as a preset. */
export type SettingsOf<F extends Fields> = Partial<ConfigOf<F>>;

/** Declares a value of type T: with a default a field, without one a described value. */
export interface Declare<T, S> {
  (spec: Documentation & S & { readonly default: T }): Field<T>;
  (spec: Documentation & S): Described<T>;
}

export const integer: Declare<number, Bounds> = declarer(integerKind);
export const number: Declare<number, OpenBounds> = declarer(numberKind);
export const integers: Declare<readonly number[], Bounds & Length> = declarer(integersKind);
export const numbers: Declare<readonly number[], OpenBounds & Length> = declarer(numbersKind);
export const flag: Declare<boolean, unknown> = declarer(flagKind);
export const text: Declare<string, TextOptions> = declarer(textKind);

export function choice<const V extends string>(
  values: readonly V[],
  spec: Documentation & { readonly default: NoInfer<V> },
): Field<V>;
export function choice<const V extends string>(values: readonly V[], spec: Documentation): Described<V>;
export function choice<V extends string>(values: readonly V[], spec: Documentation & { readonly default?: V }) {
  return declarer<V, unknown>(() => choiceKind(values))(spec);
}

/** A value or null, which is written `none` and is the default unless the value has one. */
export function orNone<T>(value: Described<T> | Field<T>): Field<T | null> {
  const fallback = 'default' in value ? value.default : null;
  return { ...value, ...orNoneKind(value), default: fallback };
}

/** Throws a ConfigError unless the value is one that the kind allows. */
export function checkValue<T>(name: string, kind: Kind<T>, value: unknown): T {
  if (!kind.accepts(value)) throw new ConfigError(name, value, allowedInstead(kind, value));
  return value;
}

function declarer<T, S>(kindOf: (spec: S) => Kind<T>): Declare<T, S> {
  function declare(spec: Documentation & S & { readonly default: T }): Field<T>;
  function declare(spec: Documentation & S): Described<T>;
  function declare(spec: Documentation & S & { readonly default?: T }): Described<T> | Field<T> {
    const { about, unit, source, varies, network, formerly } = spec;
    const described: Described<T> = {
      ...kindOf(spec),
      about,
      ...(unit !== undefined && { unit }),
      ...(source !== undefined && { source }),
      ...(varies !== undefined && { varies }),
      ...(network !== undefined && { network }),
      ...(formerly !== undefined && { formerly }),
    };
    return 'default' in spec ? { ...described, default: checkValue('default', described, spec.default) } : described;
  }
  return declare;
}
