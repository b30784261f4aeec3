import { algorithmNames, type KeyReturns, type Variant } from '../algorithms/index.js';
import { choice, integer, parseSettings, readNumber, text } from '../config/index.js';
import { prepareEnv } from '../envs/index.js';
import {
  checkOut,
  importRunModules,
  openRun,
  planFromRun,
  readKeys,
  RunError,
  trainRun,
  type Run,
} from '../runs/index.js';
import {
  MOST_REPLICAS,
  LARGEST_SEED,
  loopFields,
  planTraining,
  presetNames,
  settingsOf,
  type TrainingPlan,
} from '../training/index.js';
import { ifGiven, repeated } from './arguments.js';
import { defineCommand } from './command.js';
import { chosenDevice, deviceOption, workersOption } from './device-option.js';
import { checkpointOption, secondsOf } from './duration-option.js';
import { snapshotsOption } from './snapshots-option.js';
import { chosenEnv, envOperand } from './env-operand.js';
import { envOptionsIn, envSetOption } from './env-set-option.js';
import { checkInput, InputError, UsageError } from './errors.js';
import { settingsHelp } from './settings.js';
import { watchTraining } from './watch-training.js';

/** Help needs no more than what it is: where it comes from is among the settings. */
const { source: _, ...steps } = loopFields.steps;

/** `psl train`: a training, and the run directory that it leaves. */
export const trainCommand = defineCommand({
  operands: {
    env: ifGiven(envOperand('The environment; psl envs lists them. Or the path of your own, ./my-env.ts.')),
  },
  options: {
    algo: ifGiven(
      choice(algorithmNames(), { about: 'The algorithm; psl algos lists them.' }),
      'the first that fits the environment',
    ),
    preset: ifGiven(
      choice(presetNames, {
        about: 'Settings that go together: those of the paper, those that win, or those of some minutes.',
      }),
      'quick',
    ),
    from: ifGiven(
      text({
        placeholder: 'RUN',
        allowed: 'the path of a run',
        about: 'Begin with what a run has learned; --steps are more.',
      }),
    ),
    steps: ifGiven(steps, "the preset's"),
    seed: ifGiven(integer({ min: 0, max: LARGEST_SEED, about: 'The same seed gives the same run, bit for bit.' }), '1'),
    replicas: integer({
      default: 1,
      min: 1,
      max: MOST_REPLICAS,
      about:
        'Train this many side by side, with seeds that count up from --seed; each gets a run directory of its own.',
    }),
    device: ifGiven(deviceOption, 'cpu'),
    workers: ifGiven(workersOption, 'as many as pay, and none with cpu:1'),
    keys: ifGiven(
      text({
        placeholder: 'RUN',
        allowed: 'the path of a run that has key solutions',
        about: 'Start from the key solutions of another run.',
      }),
      'as the setting keys says',
    ),
    checkpointEvery: checkpointOption,
    snapshots: snapshotsOption,
    out: ifGiven(
      text({
        placeholder: 'FOLDER',
        allowed: 'the path of a folder that is new or empty',
        about: 'The folder of the run.',
      }),
      'a new one in runs/',
    ),
    set: repeated(
      text({
        placeholder: 'NAME=VALUE',
        allowed: 'NAME=VALUE',
        about: 'A setting over that of the preset, such as alpha=0.1 or hidden=256,256.',
      }),
    ),
    vary: repeated(
      text({
        placeholder: 'NAME=V1,V2,...',
        allowed: 'NAME=V1,V2,...',
        about: 'Train with each of these values of a setting side by side, in one program; combines with --replicas.',
      }),
    ),
    variant: repeated(
      text({
        placeholder: 'NAME=VALUE,...',
        allowed: 'NAME=VALUE,NAME=VALUE,...',
        about: 'One more side by side, with these settings; several are the rows of a design that is no grid.',
      }),
    ),
    envSet: envSetOption,
  },
  notes: () => ['psl train --help settings lists all settings; psl algos NAME those of one algorithm.'],
  topics: { settings: settingsHelp },

  async run({ env: given, ...rest }, output) {
    const { out, from, keys: keyRun } = rest;
    const parent = from === undefined ? undefined : await openedParent(from);
    const env = given === undefined && parent !== undefined ? parent.plan.env : await chosenEnv('ENV', given);
    const keys = keyRun === undefined ? undefined : keysIn(keyRun, env);
    const plan = await checkInput(() => readingParent(() => planOf({ ...rest, env }, parent, keys)));
    if (keyRun !== undefined && plan.algorithm.usesKeys?.(plan.config) === false) {
      throw new UsageError(
        '--keys',
        keyRun,
        `left out where ${plan.algorithm.name} has no use for key solutions, with these settings`,
      );
    }
    checkInput(() => checkOut(out, '--out'));
    const onDevice = { ...plan, device: await chosenDevice(plan.device, output) };
    await prepareEnv(plan.env);
    const checkpointEvery = secondsOf(rest.checkpointEvery);
    return watchTraining(
      onDevice,
      'training',
      (options) =>
        trainRun(onDevice, {
          ...options,
          checkpointEvery,
          snapshots: rest.snapshots,
          ...(out !== undefined && { out }),
        }),
      output,
    );
  },
});

interface Values {
  readonly env: string;
  readonly algo: string | undefined;
  readonly preset: (typeof presetNames)[number] | undefined;
  readonly steps: number | undefined;
  readonly seed: number | undefined;
  readonly replicas: number;
  readonly device: string | undefined;
  readonly workers: number | undefined;
  readonly set: readonly string[];
  readonly vary: readonly string[];
  readonly variant: readonly string[];
  readonly envSet: readonly string[];
}

async function planOf(values: Values, parent: Run | undefined, keys: KeyReturns | undefined): Promise<TrainingPlan> {
  const { env, algo, preset, steps, seed, replicas, device, workers, set, vary, variant, envSet } = values;
  const envOptions = envOptionsIn(env, envSet);
  const request = { env, algorithm: algo, preset, seed, replicas, device, envOptions, workers, keys };
  const { algorithm } = parent?.plan ?? planTraining(request);
  const settings = parseSettings(settingsOf(algorithm), set);
  const varied = variedIn(vary);
  const variants = variant.map(variantIn);
  checkGivenOnce(settings, steps, varied, variants);
  const whole = {
    ...request,
    settings: { ...settings, ...(steps !== undefined && { steps }) },
    vary: varied,
    ...(variants.length > 0 && { variants }),
  };
  return parent === undefined ? planTraining(whole) : planFromRun(parent.folder, whole).catch(namedAsTyped);
}

/** The library calls options of an environment by the name that they have in a request. */
function namedAsTyped(error: unknown): never {
  if (!(error instanceof RangeError) || !error.message.startsWith('envOptions ')) throw error;
  throw new InputError(error.message.replace('envOptions', '--env-set'), { cause: error });
}

/** Refuses a value that another argument would silently replace. */
function checkGivenOnce(
  settings: Readonly<Record<string, unknown>>,
  steps: number | undefined,
  varied: Readonly<Record<string, unknown>>,
  variants: readonly Variant[],
): void {
  const refuse = (argument: string, value: unknown, other: string): never => {
    throw new UsageError(argument, value, `left out with ${other}`);
  };
  if (steps !== undefined && Object.hasOwn(settings, 'steps')) refuse('--set steps', settings.steps, '--steps');
  for (const name of Object.keys(varied)) {
    if (Object.hasOwn(settings, name)) refuse(`--set ${name}`, settings[name], `--vary ${name}`);
    const variant = variants.find((one) => Object.hasOwn(one, name));
    if (variant !== undefined) refuse(`--variant ${name}`, variant[name], `--vary ${name}`);
  }
  for (const [name, value] of Object.entries(settings)) {
    // Otherwise it is that of the variants without one of their own.
    const isReplaced = variants.length > 0 && variants.every((variant) => Object.hasOwn(variant, name));
    if (isReplaced) refuse(`--set ${name}`, value, `${name} in every --variant`);
  }
}

/** The run that a training is to begin with. */
function openedParent(folder: string): Promise<Run> {
  return readingParent(async () => {
    await importRunModules(folder);
    return openRun(folder);
  });
}

/** Runs something that reads the run of --from, whose defects are the user's to know. */
async function readingParent<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    throw new UsageError('--from', error.folder, `a run that a training can begin with (${error.problem})`);
  }
}

/** The key solutions of another run on an environment. */
function keysIn(folder: string, env: string): KeyReturns {
  const refusal = (problem: string) =>
    new UsageError('--keys', folder, `a finished run on ${env} that has key solutions (${problem})`);
  try {
    const { plan } = openRun(folder);
    if (plan.env !== env) throw refusal(`this one is on ${plan.env}`);
    return readKeys(folder);
  } catch (error) {
    throw error instanceof RunError ? refusal(error.problem) : error;
  }
}

/** A value that replicas differ in. A text that is no number is refused where the training is planned, as --set does it. */
function valueIn(text: string): number {
  return (readNumber(text) ?? text) as number;
}

function variedIn(texts: readonly string[]): Record<string, number[]> {
  const varied: Record<string, number[]> = {};
  for (const given of texts) {
    const end = given.indexOf('=');
    const name = given.slice(0, end).trim();
    const values = given
      .slice(end + 1)
      .split(',')
      .map((part) => part.trim());
    if (end < 1 || values.includes('')) throw new UsageError('--vary', given, 'NAME=V1,V2,...');
    if (Object.hasOwn(varied, name)) throw new UsageError('--vary', given, `given once with all values of ${name}`);
    varied[name] = values.map(valueIn);
  }
  return varied;
}

function variantIn(given: string): Variant {
  const parts = given.split(',').map((part): [string, string] => {
    const end = part.indexOf('=');
    return [part.slice(0, Math.max(0, end)).trim(), part.slice(end + 1).trim()];
  });
  const isPartial = parts.some(([name, text]) => name === '' || text === '');
  if (isPartial || new Set(parts.map(([name]) => name)).size < parts.length) {
    throw new UsageError('--variant', given, 'NAME=VALUE,NAME=VALUE,... with each name once');
  }
  return Object.fromEntries(parts.map(([name, text]) => [name, valueIn(text)]));
}
