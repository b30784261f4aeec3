/** All environments by name, those that come with the package and those that are registered or imported. */
import { unknownName } from '../text/index.js';
import { BUILTIN } from './builtin.js';
import type { Environment } from './contract.js';
import { failureIn } from './failure.js';
import { allowedFor, checkEntry, isAllowed } from './registration.js';
import type { EnvEntry, EnvInfo, EnvOption, EnvOptionTable, OptionValues } from './registration.js';

/** Choices by option name. Unknown, because they come from command lines and files. */
export type EnvOptions = Readonly<Record<string, unknown>>;

const entries = new Map<string, EnvEntry>(BUILTIN.map((entry) => [entry.id, entry]));
/** Where those come from that do not come with the package, and of which that is known. */
const modules = new Map<string, string>();
type Prepare = NonNullable<EnvEntry['prepare']>;

/** By what prepares, not by the id: an entry that is made of another one's, or loads the same as it, shares it. */
const prepared = new Set<Prepare>();
const preparing = new Map<Prepare, Promise<void>>();

/**
 * Adds an environment, in this thread alone; from then on it is listed, tested by the contract test and trainable like
 * the others. `importEnvs` adds one for worker threads and the explorer's page too.
 */
export function register<O extends EnvOptionTable>(entry: EnvEntry<O>): void {
  checkEntry(entry);
  if (entries.has(entry.id)) {
    throw new RangeError(`id is "${entry.id}", but must be a name that is not registered yet.`);
  }
  entries.set(entry.id, entry);
}

/**
 * Adds the environments of a module: its default export is one of `defineEnv`, or a list of them; without one, those count
 * that it registers. Worker threads, which have a registry of their own, and the explorer's page import the same module.
 * Importing it again changes nothing.
 * @param url such as new URL('./my-env.js', import.meta.url)
 * @param options `mayBeEmpty`: whether it may have none, because it has something else
 * @returns the ids
 */
export function importEnvs(url: string | URL, { mayBeEmpty = false } = {}): Promise<string[]> {
  // One after the other, so that it is known which module registers what.
  const ids = importing.then(() => importModule(String(url), mayBeEmpty));
  importing = ids.catch(() => undefined);
  return ids;
}

let importing: Promise<unknown> = Promise.resolve();

async function importModule(module: string, mayBeEmpty: boolean): Promise<string[]> {
  // A relative path would be looked for beside this file.
  if (/^\.{1,2}\//.test(module)) {
    throw new RangeError(`url is "${module}", but must be a URL: new URL('${module}', import.meta.url).`);
  }
  const before = envIds();
  const { default: exported } = await load(module);
  const defined: readonly unknown[] = exported === undefined ? [] : Array.isArray(exported) ? exported : [exported];
  if (!defined.every((entry) => typeof entry === 'object' && entry !== null)) throw new RangeError(noEnvIn(module));
  for (const entry of defined as readonly EnvEntry[]) {
    if (entries.get(entry.id) !== entry) register(entry);
    modules.set(entry.id, module);
  }
  for (const id of envIds()) if (!before.includes(id)) modules.set(id, module);
  const ids = envIds().filter((id) => modules.get(id) === module);
  if (ids.length === 0 && !mayBeEmpty) throw new RangeError(noEnvIn(module));
  return ids;
}

async function load(module: string): Promise<{ readonly default?: unknown }> {
  try {
    return (await import(/* @vite-ignore */ module)) as { readonly default?: unknown };
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'ERR_UNKNOWN_FILE_EXTENSION') {
      const reason = 'which this version of Node does not run: use Node 22.18 or newer, or importModule';
      throw new RangeError(`${module} is TypeScript, ${reason}.`, { cause: error });
    }
    // What Node says of a module that it reads as CommonJS, which `npm init` of today asks for.
    if (error instanceof SyntaxError && /import statement outside a module|token 'export'/.test(error.message)) {
      const reason = 'because its package.json does not say otherwise: name it .mjs, or add "type": "module" there';
      throw new RangeError(`${module} is read as CommonJS, ${reason}.`, { cause: error });
    }
    throw error;
  }
}

function noEnvIn(module: string): string {
  return `the default export of ${module} must be an environment, as of defineEnv, or a list of them.`;
}

/** The module that an environment was imported from; undefined where it comes with the package or was registered alone. */
export function envModule(id: string): string | undefined {
  return modules.get(id);
}

/** Whether worker threads can make it: it comes with the package, or it is known which module they have to import. */
export function isKnownToThreads(id: string): boolean {
  return modules.has(id) || BUILTIN.some((entry) => entry.id === id);
}

/** The ids of all environments. */
export function envIds(): string[] {
  return [...entries.keys()];
}

/** What is known about an environment without making one. */
export function envInfo(id: string): EnvInfo {
  return entryOf(id);
}

/** A value for every option of an environment: the given ones, checked, and the defaults of the others. */
export function envOptions(id: string, options: EnvOptions = {}): OptionValues {
  const table = entryOf(id).options;
  const names = Object.keys(table);
  for (const name of Object.keys(options)) {
    if (names.length === 0) throw new RangeError(`option of ${id} is "${name}", but it has no options.`);
    if (!names.includes(name)) throw new RangeError(unknownName(`option of ${id}`, name, names));
  }
  return Object.fromEntries(
    Object.entries(table).map(([name, option]) => {
      const value = options[name] ?? option.default;
      if (isAllowed(option, value)) return [name, value];
      throw new RangeError(refused(`option ${name} of ${id}`, value, option));
    }),
  );
}

/**
 * Loads what an environment needs before it can be made; for most of them nothing. Once per process or page is enough,
 * then `makeEnv` is synchronous for all.
 */
export async function prepareEnv(id: string): Promise<void> {
  const { prepare } = entryOf(id);
  if (prepare === undefined || prepared.has(prepare)) return;
  let pending = preparing.get(prepare);
  if (pending === undefined) {
    // Forgotten when it is over, so that a failed load (a lost connection) can be tried again.
    pending = Promise.resolve()
      .then(prepare)
      .finally(() => preparing.delete(prepare));
    preparing.set(prepare, pending);
  }
  try {
    await pending;
  } catch (error) {
    throw failureIn('prepare()', id, error);
  }
  prepared.add(prepare);
}

/** A new environment. */
export function makeEnv(id: string, options: EnvOptions = {}): Environment {
  const entry = entryOf(id);
  const values = envOptions(id, options);
  if (entry.prepare !== undefined && !prepared.has(entry.prepare)) {
    throw new Error(`makeEnv("${id}") was called before its parts were loaded; await prepareEnv("${id}") first.`);
  }
  try {
    return entry.make(values);
  } catch (error) {
    throw failureIn('make()', id, error);
  }
}

function entryOf(id: string): EnvEntry {
  const entry = entries.get(id);
  if (entry !== undefined) return entry;
  const sentence = unknownName('environment', id, envIds());
  throw new RangeError(sentence.replace(/\.$/, ', or of a module that is imported (importEnvs, psl --import).'));
}

function refused(argument: string, value: unknown, option: EnvOption): string {
  if (typeof value !== 'string') return `${argument} is ${String(value)}, but must be ${allowedFor(option)}.`;
  if ('values' in option) return unknownName(argument, value, option.values);
  return `${argument} is "${value}", but must be ${allowedFor(option)}.`;
}
