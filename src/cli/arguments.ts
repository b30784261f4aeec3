/** Reads the arguments of a command and writes its help, both from one declaration of its operands and options. */
import { parseArgs } from 'node:util';
import {
  allowedInstead,
  describe,
  flag,
  shownDefault,
  twoColumns,
  wrap,
  type Described,
  type Field,
} from '../config/index.js';
import { UsageError } from './errors.js';

/** An argument that must be given. */
export interface Required<T> {
  readonly presence: 'required';
  readonly value: Described<T>;
}

/** An argument that is undefined unless it is given. */
export interface Optional<T> {
  readonly presence: 'optional';
  readonly value: Described<T>;
  /** What holds without it, for help. */
  readonly otherwise?: string;
}

/** An argument that can be given several times; its values come as a list. */
export interface Repeated<T> {
  readonly presence: 'repeated';
  readonly value: Described<T>;
}

/**
 * What is given by its place. The optional ones come last, and one that can be repeated after all others; `runFolder` is
 * shown as RUN-FOLDER.
 */
export type Operands = Readonly<Record<string, Required<unknown> | Optional<unknown> | Repeated<unknown>>>;

/**
 * What is given by its name: `gridStep` is typed as --grid-step. A field alone has its default; where that is a boolean
 * it is a flag, typed without a value (as --no-NAME if the default is true).
 */
export type Options = Readonly<
  Record<string, Field<unknown> | Required<unknown> | Optional<unknown> | Repeated<unknown>>
>;

/** What a command can be given, besides --json, --import and --help, which all commands have. */
export interface Syntax<P extends Operands = Operands, O extends Options = Options> {
  readonly operands: P;
  readonly options: O;
}

type ValueOf<A> =
  A extends Required<infer T>
    ? T
    : A extends Optional<infer T>
      ? T | undefined
      : A extends Repeated<infer T>
        ? readonly T[]
        : A extends Field<infer T>
          ? T
          : never;

/** A value for every operand and option. */
export type ValuesOf<P extends Operands, O extends Options> = {
  readonly [K in keyof P]: ValueOf<P[K]>;
} & { readonly [K in keyof O]: ValueOf<O[K]> };

export function required<T>(value: Described<T>): Required<T> {
  return { presence: 'required', value };
}

/**
 * Undefined unless given, also for a field with a default: so an option stands for an entry of a configuration whose
 * other layers, such as a preset, hold without it. `otherwise` tells people what does.
 */
export function ifGiven<T>(value: Described<T>, otherwise?: string): Optional<T> {
  return { presence: 'optional', value, ...(otherwise !== undefined && { otherwise }) };
}

export function repeated<T>(value: Described<T>): Repeated<T> {
  return { presence: 'repeated', value };
}

/** Whether a flag is among what was typed, however wrong the rest of it is. */
export function isGiven(flag: string, args: readonly string[]): boolean {
  return beforeEnd(args).includes(flag);
}

/** The words after --help, the first of which may be a topic; undefined where no help is wanted. */
export function wordsAfterHelp(args: readonly string[]): readonly string[] | undefined {
  const place = beforeEnd(args).findIndex((arg) => arg === '--help' || arg === '-h');
  return place < 0 ? undefined : args.slice(place + 1);
}

const IMPORT = '--import';

/** The files of --import, which every command has, and what else was typed; undefined stands for one that is missing. */
export function takeImports(args: readonly string[]) {
  const before = beforeEnd(args);
  const files: (string | undefined)[] = [];
  const rest: string[] = [];
  for (let i = 0; i < before.length; i++) {
    if (before[i] === IMPORT) files.push(before.at(++i));
    else if (before[i].startsWith(`${IMPORT}=`)) files.push(before[i].slice(IMPORT.length + 1));
    else rest.push(before[i]);
  }
  return { files, rest: [...rest, ...args.slice(before.length)] };
}

/** What comes after -- is not options. */
function beforeEnd(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  return end < 0 ? args : args.slice(0, end);
}

/** Reads and checks what was typed after the command's name. */
export function parseArguments<P extends Operands, O extends Options>(
  syntax: Syntax<P, O>,
  args: readonly string[],
): { readonly values: ValuesOf<P, O>; readonly json: boolean } {
  const { positionals, given } = split(syntax.options, args);
  const { json, ...values } = {
    ...readOperands(syntax.operands, positionals),
    ...Object.fromEntries(optionsOf(syntax.options).map((option) => [option.key, valueOf(option, given)])),
  };
  return { values: values as ValuesOf<P, O>, json: json === true };
}

/** The lines that say how a command is called and what each argument is. */
export function describeSyntax(command: string, summary: string, { operands, options }: Syntax): string[] {
  const all = optionsOf(options);
  const places = Object.entries(operands);
  const usage = [
    `usage: psl ${command}`,
    ...places.map(([key, { presence }]) => {
      if (presence === 'required') return operandName(key);
      return `[${operandName(key)}${presence === 'repeated' ? '...' : ''}]`;
    }),
    ...all.filter(({ presence }) => presence === 'required').map(typed),
    '[flags]',
  ];
  const flags = all.map((option) => [typed(option), about(option)] as const);
  return [
    ...wrap(usage.join(' ')),
    '',
    ...wrap(summary),
    '',
    ...twoColumns(places.map(([key, { value }]) => [operandName(key), value.about])),
    ...(places.length > 0 ? [''] : []),
    ...twoColumns([
      ...flags,
      [`${IMPORT} FILE`, 'Add what a module exports or registers; can be repeated.'],
      ['--help', 'Show this text.'],
    ]),
  ];
}

/** An entry of the options, in one form for all. */
interface Option {
  readonly key: string;
  /** As it is typed, dashes and all. */
  readonly name: string;
  readonly value: Described<unknown>;
  readonly presence: 'required' | 'optional' | 'repeated' | 'default' | 'flag';
  /** Without it: the value, unless there is none, and what help says. */
  readonly fallback?: unknown;
  readonly otherwise?: string;
}

const JSON_FLAG = flag({
  default: false,
  about: 'Print the result as one line of JSON, alone on standard output; progress goes to standard error.',
});

function optionsOf(options: Options): Option[] {
  const all: Options = { ...options, json: JSON_FLAG };
  return Object.entries(all).map(([key, option]) => {
    const name = `--${dashed(key)}`;
    if ('presence' in option) return { ...option, key, name };
    const fallback = option.default;
    if (typeof fallback !== 'boolean') {
      return { key, name, value: option, presence: 'default', fallback, otherwise: shownDefault(option) };
    }
    return { key, name: fallback ? `--no-${dashed(key)}` : name, value: option, presence: 'flag', fallback };
  });
}

/** What was typed, by place and by name. A flag has no text. */
function split(options: Options, args: readonly string[]) {
  const known = new Map(optionsOf(options).map((option) => [option.name, option]));
  // Not strict, because its errors neither suggest a name nor say what is allowed. An option then takes the next
  // argument as its value whatever it looks like, which lets a reference point such as -1,-1 be typed.
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    tokens: true,
    options: Object.fromEntries(
      [...known].map(([name, { presence }]) => [name.slice(2), { type: presence === 'flag' ? 'boolean' : 'string' }]),
    ),
  });
  const positionals: string[] = [];
  const given = new Map<string, (string | undefined)[]>();
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const option = known.get(token.rawName);
    if (option === undefined) throw new UsageError('option', token.rawName, [...known.keys(), IMPORT, '--help']);
    if (option.presence === 'flag' && token.value !== undefined) {
      throw new UsageError(option.name, token.value, 'given without a value');
    }
    const isNext = token.inlineValue === false && looksLikeOption(token.value);
    given.set(option.key, [...(given.get(option.key) ?? []), isNext ? undefined : token.value]);
  }
  return { positionals, given };
}

/** In `--front --json` a value was forgotten, in `--ref -1,-1` it was not. */
function looksLikeOption(text: string): boolean {
  return /^-(?![\d.]|$)/.test(text);
}

function valueOf(option: Option, given: ReadonlyMap<string, readonly (string | undefined)[]>): unknown {
  const texts = given.get(option.key);
  if (option.presence === 'flag') return texts === undefined ? option.fallback : option.fallback === false;
  if (option.presence === 'repeated') return (texts ?? []).map((text) => read(option.name, option.value, text));
  if (texts === undefined && option.presence !== 'required') return option.fallback;
  const [value, ...more] = (texts ?? [undefined]).map((text) => read(option.name, option.value, text));
  if (more.length > 0)
    throw new UsageError(option.name, texts?.at(-1), `given once, and was given as ${texts?.[0]} before`);
  return value;
}

function readOperands(operands: Operands, positionals: readonly string[]): Record<string, unknown> {
  const keys = Object.keys(operands);
  const takesMore = Object.values(operands).at(-1)?.presence === 'repeated';
  if (positionals.length > keys.length && !takesMore) {
    const taken = keys.map(operandName).join(', ') || 'flags';
    const place = `argument ${keys.length + 1}`;
    throw new UsageError(place, positionals[keys.length], `left out: this command takes only ${taken}`);
  }
  return Object.fromEntries(
    Object.entries(operands).map(([key, { presence, value }], place) => {
      if (presence === 'repeated') {
        return [key, positionals.slice(place).map((text) => read(operandName(key), value, text))];
      }
      const text = positionals.at(place);
      const isAbsent = presence === 'optional' && text === undefined;
      return [key, isAbsent ? undefined : read(operandName(key), value, text)];
    }),
  );
}

function read(name: string, kind: Described<unknown>, text: string | undefined): unknown {
  const value = text === undefined ? undefined : kind.read(text);
  if (!kind.accepts(value)) throw new UsageError(name, text, allowedInstead(kind, value));
  return value;
}

function typed({ name, presence, value }: Option): string {
  return presence === 'flag' ? name : `${name} ${value.placeholder}`;
}

function about({ presence, value, otherwise }: Option): string {
  if (presence === 'flag') return value.about;
  const notes = {
    required: ['required'],
    repeated: ['can be repeated'],
    default: [`default: ${otherwise}`],
    optional: otherwise === undefined ? [] : [`default: ${otherwise}`],
  };
  return describe(value, ...notes[presence]);
}

const dashed = (key: string) => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const operandName = (key: string) => dashed(key).toUpperCase();
