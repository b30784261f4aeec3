/**
 * What an environment says about itself when it is registered: its objectives, spaces, options and protocol, its own
 * settings, and how the explorer draws it.
 */
import type { Continuous, Environment, Objective, Space } from './contract.js';
import type { SceneShape } from './scene.js';
import { environmentOf, type World } from './world.js';

/** One of a few names. */
export interface ChoiceOption<V extends string = string> {
  readonly summary: string;
  readonly values: readonly V[];
  readonly default: V;
}

/** A finite number. */
export interface NumberOption {
  readonly summary: string;
  readonly default: number;
  readonly min?: number;
  readonly max?: number;
  /** Whether it must be a whole number. */
  readonly integer?: boolean;
}

/** What a user can choose when an environment is created. */
export type EnvOption = ChoiceOption | NumberOption;

export type EnvOptionTable = Readonly<Record<string, EnvOption>>;

export type OptionValue<T extends EnvOption> = T extends ChoiceOption<infer V> ? V : number;

/** A value for every option. */
export type OptionValues<O extends EnvOptionTable = EnvOptionTable> = {
  readonly [K in keyof O]: OptionValue<O[K]>;
};

/** What may be given for an option, to complete "must be". */
export function allowedFor(option: EnvOption): string {
  if ('values' in option) return `one of: ${option.values.join(', ')}`;
  const { min, max, integer } = option;
  const what = integer === true ? 'an integer' : 'a number';
  if (min !== undefined && max !== undefined) return `${what} from ${min} to ${max}`;
  if (min !== undefined) return `${what} of at least ${min}`;
  return max === undefined ? what : `${what} of at most ${max}`;
}

/** Whether it may be given for an option. */
export function isAllowed(option: EnvOption, value: unknown): value is string | number {
  if ('values' in option) return typeof value === 'string' && option.values.includes(value);
  const { min = -Infinity, max = Infinity, integer = false } = option;
  if (typeof value !== 'number' || !Number.isFinite(value)) return false;
  return value >= min && value <= max && (!integer || Number.isSafeInteger(value));
}

/** The values of an option that are worth a try: all of a few names, the ends of a range of numbers, and its default. */
export function typicalValues(option: EnvOption): readonly (string | number)[] {
  if ('values' in option) return option.values;
  const { min, max, default: fallback } = option;
  return [...new Set([fallback, min, max])].filter((value) => value !== undefined);
}

/** Sets of settings that go together: those of the paper, those that win, those of a few minutes. */
export type PresetName = 'paper' | 'best' | 'quick';

/** Some settings of some trainings. */
export interface EnvSettings {
  readonly presets: readonly PresetName[];
  /** Algorithms by name, or all of a kind: off-policy, on-policy, population. Without it, all. */
  readonly algorithms?: readonly string[];
  /** Those that an algorithm does not have are no part of its training. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Of the environment. */
  readonly options?: Readonly<OptionValues>;
}

/** How the explorer draws an environment. */
export type EnvView =
  /** As the body that it has: it is a RobotEnvironment. */
  | { readonly kind: 'robot' }
  /** As a full binary tree with these rewards at its leaves. Its saved world is a row and a column. */
  | { readonly kind: 'tree'; readonly leaves: readonly (readonly number[])[] }
  /** As a sea: 0 is water, what is negative the sea bed, the rest treasures. Its saved world is a row and a column. */
  | { readonly kind: 'sea'; readonly map: readonly (readonly number[])[] }
  /** As shapes that follow from what is observed, on a ground of this size whose corner below on the left is the origin. */
  | {
      readonly kind: 'scene';
      readonly width: number;
      readonly height: number;
      /** Of a step; 0.1 where time has no measure. */
      readonly stepSeconds?: number;
      draw(observation: readonly number[]): readonly SceneShape[];
    };

/** What is known about an environment before one is made. */
export interface EnvInfo<O extends EnvOptionTable = EnvOptionTable> {
  readonly id: string;
  /** One line for a list of environments. */
  readonly summary: string;
  /** The collection whose definition it follows: what `psl envs` groups and chooses by. */
  readonly family?: string;
  /** Who defined it, and where. */
  readonly source?: string;
  readonly objectives: readonly Objective[];
  readonly actionSpace: Space;
  readonly options: O;
  /** The most steps that an episode can have. */
  readonly horizon: number;
  /** The discount of the published experiments. */
  readonly discount: number;
  /** Whether the published experiments score policies by their discounted return, or by the plain sum of rewards. */
  readonly discountedReturns: boolean;
  /** The reference point of the published hypervolume, in the units of the returns. Directions of returns start there. */
  readonly referencePoint: readonly number[];
  /** The L1 distance under which the published coverage metrics count a return as a point of the known front. */
  readonly coverageTolerance?: number;
  /** The returns of the Pareto-optimal policies under a discount in (0, 1]; none where they are unknown. Absent where they always are. */
  readonly knownFront?: (discount: number) => number[][];
  /** Settings for this environment alone, over those that presets have for its kind; later ones over earlier ones. */
  readonly settings?: readonly EnvSettings[];
  /** Known returns at each objective alone and at all alike: what PD-MORL calls key solutions. */
  readonly keyReturns?: readonly (readonly number[])[];
  /** Settings with which such returns are found by training, over those for all environments. */
  readonly keyTraining?: Readonly<Record<string, unknown>>;
  /** Without one it is shown by its observation, its action and its rewards. */
  readonly view?: EnvView;
}

/** What the registry needs: an environment's description and how to make one. */
export interface EnvEntry<O extends EnvOptionTable = EnvOptionTable> extends EnvInfo<O> {
  /** Loads what `make` needs and can only be had asynchronously, such as a WebAssembly module. */
  readonly prepare?: () => void | Promise<void>;
  /** A method, not a property, so that entries with different options fit into one registry. */
  make(options: OptionValues<O>): Environment;
}

/** The rules of an environment, without what its definition says already. */
export type Rules<S extends Space = Space> = Pick<
  World<S>,
  'start' | 'advance' | 'observe' | 'save' | 'load' | 'close'
> &
  Partial<Pick<World<S>, 'info'>> & { readonly observationSpace: Continuous };

/**
 * An entry as it is written down: what most environments have alike can be left out, and `make` may give the rules alone,
 * which `environmentOf` makes an environment of.
 */
export type EnvDefinition<O extends EnvOptionTable, S extends Space = Space> = Omit<
  EnvEntry<O>,
  'options' | 'discountedReturns' | 'actionSpace' | 'make'
> &
  Partial<Pick<EnvEntry<O>, 'options' | 'discountedReturns'>> & {
    readonly actionSpace: S;
    make(options: OptionValues<O>): Rules<S> | Environment;
  };

/** The entry of an environment. Without options it has none, and returns are plain sums of rewards unless it says so. */
export function defineEnv<const O extends EnvOptionTable, S extends Space>(
  definition: EnvDefinition<O, S>,
): EnvEntry<O> {
  const { id, objectives, actionSpace, horizon } = definition;
  const make = (options: OptionValues<O>) => {
    const made = definition.make(options);
    checkMade(id, made);
    if ('saveState' in made) return made;
    return environmentOf({ id, objectives, actionSpace, horizon, info: () => ({}), ...made });
  };
  // One that is missing stays so, for checkEntry to say.
  const isThere = typeof (definition as { readonly make?: unknown }).make === 'function';
  return { options: {} as O, discountedReturns: false, ...definition, ...(isThere && { make }) } as EnvEntry<O>;
}

/** Throws a RangeError unless it is an environment or its rules: what plain JavaScript makes can be anything. */
function checkMade(id: string, made: unknown): void {
  const given = (typeof made === 'object' && made !== null ? made : {}) as Readonly<Record<string, unknown>>;
  if ('saveState' in given) return;
  const missing = ['start', 'advance', 'observe', 'save', 'load'].find((name) => typeof given[name] !== 'function');
  const wrong = missing ?? (typeof given.observationSpace === 'object' ? undefined : 'observationSpace');
  if (wrong === undefined) return;
  const allowed = wrong === 'observationSpace' ? 'a space, such as that of cube()' : 'a function';
  throw new RangeError(`${wrong} of what make() of "${id}" returns is ${shown(given[wrong])}, but must be ${allowed}.`);
}

/** Throws the sentence of what is wrong in an entry. */
type Refuse = (name: string, value: unknown, allowed: string) => never;

/** Throws a RangeError unless it is an entry: those of modules and of plain JavaScript can be anything. */
export function checkEntry(entry: EnvEntry): void {
  const given: { readonly [K in keyof EnvEntry]: unknown } = entry;
  const refuse: Refuse = (name, value, allowed) => {
    throw new RangeError(`${name} of ${shown(given.id)} is ${shown(value)}, but must be ${allowed}.`);
  };
  if (typeof given.id !== 'string' || !/^[\w.-]+$/.test(given.id)) {
    throw new RangeError(`id is ${shown(given.id)}, but must be a word of letters, digits, dots and dashes.`);
  }
  if (typeof given.summary !== 'string') refuse('summary', given.summary, 'a sentence');
  for (const [name, option] of Object.entries((given.options ?? {}) as EnvOptionTable)) {
    if (isAllowed(option, option.default)) continue;
    refuse(`default of option ${name}`, option.default, allowedFor(option));
  }
  const { objectives, actionSpace, horizon, make, referencePoint, keyReturns } = given;
  if (!Array.isArray(objectives) || objectives.length < 2) refuse('objectives', objectives, 'a list of at least two');
  const { length } = objectives as readonly unknown[];
  checkActionSpace(actionSpace, refuse);
  if (!isCount(horizon)) refuse('horizon', horizon, 'an integer of at least 1');
  checkDiscount(given.discount as number);
  if (!isPoint(referencePoint, length)) {
    refuse('referencePoint', referencePoint, `a list of ${length} numbers, one per objective`);
  }
  const isListOfKeys = Array.isArray(keyReturns) && keyReturns.length === length + 1;
  if (keyReturns !== undefined && !(isListOfKeys && keyReturns.every((point) => isPoint(point, length)))) {
    refuse(
      'keyReturns',
      keyReturns,
      `${length + 1} lists of ${length} numbers: at each objective alone, and at all alike`,
    );
  }
  if (typeof make !== 'function') refuse('make', make, 'a function');
}

/** Bounds may be infinite, on one side or on both. */
function checkActionSpace(space: unknown, refuse: Refuse): void {
  const { kind, n, shape, low, high } = (space ?? {}) as Readonly<Record<string, unknown>>;
  if (kind === 'discrete') {
    if (!isCount(n)) refuse('actionSpace.n', n, 'an integer of at least 1');
    return;
  }
  if (kind !== 'continuous') refuse('actionSpace.kind', kind, 'discrete or continuous');
  if (!Array.isArray(shape)) refuse('actionSpace.shape', shape, 'a list of integers of at least 1');
  const wrong = shape.findIndex((extent) => !isCount(extent));
  if (wrong >= 0) refuse(`actionSpace.shape[${wrong}]`, shape[wrong], 'an integer of at least 1');
  const size = (shape as readonly number[]).reduce((product, extent) => product * extent, 1);
  const [lows, highs] = Object.entries({ low, high }).map(([name, bounds]) =>
    Array.isArray(bounds) && bounds.length === size
      ? (bounds as readonly unknown[])
      : refuse(`actionSpace.${name}`, bounds, `a list of length ${size}, as actionSpace.shape says`),
  );
  for (let i = 0; i < size; i++) {
    const [from, to] = [lows[i], highs[i]];
    if (typeof from !== 'number' || Number.isNaN(from)) {
      refuse(`actionSpace.low[${i}]`, from, 'a number, which may be infinite');
    }
    if (typeof to !== 'number' || !(from < to)) {
      refuse(`actionSpace.high[${i}]`, to, `a number above actionSpace.low[${i}], which is ${from}`);
    }
  }
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

function isPoint(value: unknown, length: number): boolean {
  return Array.isArray(value) && value.length === length && value.every(Number.isFinite);
}

/** A value as it appears in a sentence. */
function shown(value: unknown): string {
  if (typeof value === 'string') return `"${value}"`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === 'object' && value !== null
    ? 'an object'
    : typeof value === 'function'
      ? 'a function'
      : String(value);
}

export function checkDiscount(discount: number): void {
  if (!(discount > 0 && discount <= 1)) {
    throw new RangeError(`discount is ${discount}, but must be more than 0 and at most 1.`);
  }
}

/** A known front that takes long to find: found once for each discount. Whoever asks has points of its own. */
export function foundOnce(find: (discount: number) => number[][]): (discount: number) => number[][] {
  const found = new Map<number, readonly (readonly number[])[]>();
  return (discount) => {
    checkDiscount(discount);
    const front = found.get(discount) ?? find(discount);
    found.set(discount, front);
    return front.map((point) => [...point]);
  };
}
