/** A sweep as people write it: a grid of trainings, or a table of the paper. Everything in it is checked here. */
import { refusal } from '../config/index.js';
import { presetNames, type PresetName } from '../training/index.js';
import { unknownName } from '../text/index.js';

/** Options of sbatch by their long names, such as partition, account, time and gpus; true for one without a value. */
export type SbatchOptions = Readonly<Record<string, string | number | true>>;

/** Every combination is a run. */
export interface GridSpec {
  readonly environments: readonly string[];
  /** The first that fits the environment where absent. */
  readonly algorithms?: readonly string[];
  readonly presets: readonly PresetName[];
  readonly seeds: readonly number[];
  /** Settings over those of the preset, the same for all runs. */
  readonly overrides: Readonly<Record<string, unknown>>;
  /** Settings that runs differ in, with all their values. */
  readonly vary: Readonly<Record<string, readonly unknown[]>>;
  /** Options of the environments. */
  readonly envOptions: Readonly<Record<string, string | number>>;
  readonly device: string;
  /** Whether what can share one program is trained as its replicas. */
  readonly lockstep: boolean;
  readonly slurm?: SbatchOptions;
}

/** A table of the paper, as `psl reproduce` trains it. */
export interface TableSpec {
  readonly experiment: string;
  readonly budget?: string;
  readonly seeds?: number;
  readonly firstSeed?: number;
  readonly cases?: readonly (number | string)[];
  readonly methods?: readonly string[];
  readonly device: string;
  readonly lockstep: boolean;
  readonly slurm?: SbatchOptions;
}

export type SweepSpec = GridSpec | TableSpec;

/** One thread for each run: as many runs at a time as there are cores is what uses them best, and gives the same bits anywhere. */
const DEVICE = 'cpu:1';
/** So many runs that somebody has made a mistake. */
export const MOST_RUNS = 100_000;

export function isTable(spec: SweepSpec): spec is TableSpec {
  return 'experiment' in spec;
}

type Check<T> = (name: string, value: unknown) => T;
type Checks = Readonly<Record<string, Check<unknown>>>;

const GRID: Checks = {
  environments: listOf('names of environments', isText),
  algorithms: listOf('names of algorithms', isText),
  presets: listOf(`some of: ${presetNames.join(', ')}`, (value) => (presetNames as readonly unknown[]).includes(value)),
  seeds: listOf('integers of at least 0', (value) => Number.isSafeInteger(value) && (value as number) >= 0),
  overrides: record,
  vary: varied,
  envOptions: options,
  device,
  lockstep: flag,
  slurm: sbatchOptions,
};

const TABLE: Checks = {
  experiment: text('the name of a table'),
  budget: text('the name of a budget'),
  seeds: count,
  firstSeed: count,
  cases: listOf('depths or environments', (value) => isText(value) || Number.isFinite(value)),
  methods: listOf('names of methods', isText),
  device,
  lockstep: flag,
  slurm: sbatchOptions,
};

/** Checks what a file says. Throws a RangeError with a sentence that names the entry, its value and what is allowed. */
export function parseSpec(value: unknown): SweepSpec {
  if (!isRecord(value)) {
    throw new RangeError(refusal('sweep', value, 'an object with "environments", or with "experiment"'));
  }
  if ('experiment' in value) {
    const checked = checkedBy(TABLE, value) as unknown as Partial<TableSpec> & Pick<TableSpec, 'experiment'>;
    return { device: DEVICE, lockstep: false, ...checked };
  }
  if (!('environments' in value)) {
    throw new RangeError('environments is missing, but must be a list of names of environments.');
  }
  const checked = checkedBy(GRID, value) as unknown as Partial<GridSpec> & Pick<GridSpec, 'environments'>;
  return {
    presets: ['quick'],
    seeds: [1],
    overrides: {},
    vary: {},
    envOptions: {},
    device: DEVICE,
    lockstep: false,
    ...checked,
  };
}

function checkedBy(checks: Checks, value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const known = Object.keys(checks);
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => {
      if (!known.includes(name)) throw new RangeError(unknownName('entry of the sweep', name, known));
      return [name, checks[name](name, entry)];
    }),
  );
}

function listOf(what: string, accepts: (value: unknown) => boolean): Check<readonly unknown[]> {
  return (name, value) => {
    const isList = Array.isArray(value) && value.length > 0 && value.every(accepts);
    if (!isList) throw new RangeError(refusal(name, value, `a list of ${what}`));
    if (hasTwice(value)) throw new RangeError(refusal(name, value, 'a list in which nothing is given twice'));
    return value as readonly unknown[];
  };
}

function varied(name: string, value: unknown): Readonly<Record<string, readonly unknown[]>> {
  return Object.fromEntries(
    Object.entries(record(name, value)).map(([setting, values]) => [
      setting,
      listOf('values', () => true)(`${name} ${setting}`, values),
    ]),
  );
}

function options(name: string, value: unknown): Readonly<Record<string, string | number>> {
  const given = record(name, value);
  const isOption = (one: unknown) => typeof one === 'string' || Number.isFinite(one);
  const wrong = Object.entries(given).find(([, one]) => !isOption(one));
  if (wrong !== undefined) throw new RangeError(refusal(`${name} ${wrong[0]}`, wrong[1], 'a text or a number'));
  return given as Readonly<Record<string, string | number>>;
}

const SBATCH_OPTION = /^[a-z][a-z-]*$/;

/** Checks what sbatch is to be asked for; which options it has, it knows best itself. */
export function sbatchOptions(name: string, value: unknown): SbatchOptions {
  const given = record(name, value);
  for (const [option, one] of Object.entries(given)) {
    // How many tasks an array has follows from the sweep.
    if (!SBATCH_OPTION.test(option) || option === 'array') {
      throw new RangeError(
        refusal(name, option, 'the long name of an option of sbatch, such as partition, time or gpus'),
      );
    }
    if (!isText(one) && !Number.isFinite(one) && one !== true) {
      throw new RangeError(
        refusal(`${name} ${option}`, one, 'a text, a number, or true for an option without a value'),
      );
    }
  }
  return given as SbatchOptions;
}

function record(name: string, value: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw new RangeError(refusal(name, value, 'an object'));
  return value;
}

function text(allowed: string): Check<string> {
  return (name, value) => {
    if (!isText(value)) throw new RangeError(refusal(name, value, allowed));
    return value;
  };
}

function count(name: string, value: unknown): number {
  if (Number.isSafeInteger(value) && (value as number) >= 1) return value as number;
  throw new RangeError(refusal(name, value, 'an integer of at least 1'));
}

function flag(name: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw new RangeError(refusal(name, value, 'true or false'));
  return value;
}

/** Which device it is has to be said, because runs of one sweep are trained on many machines. */
function device(name: string, value: unknown): string {
  if (isText(value) && value !== 'auto') return value;
  throw new RangeError(refusal(name, value, 'a device that is the same on every machine, such as cpu:1 or gpu'));
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function hasTwice(values: readonly unknown[]): boolean {
  return new Set(values.map((value) => JSON.stringify(value))).size < values.length;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
