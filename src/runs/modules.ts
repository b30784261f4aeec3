/**
 * Modules of users: their own environments, learners and policy families. A run notes where those that it was trained with
 * come from, and they are imported when the run is opened again. They are noted by absolute paths without links, and no
 * others are followed, nor those into the folder that is opened, unless one works in it: a run from elsewhere can name a
 * file, but only one that is at the very same place here and did not come in that folder.
 */
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { algorithmNames, familyNames } from '../algorithms/index.js';
import { envIds, envModule, importEnvs } from '../envs/index.js';
import type { TrainingPlan } from '../training/index.js';
import { allowTypeScript } from '../typescript/index.js';
import { CONFIG } from './file-names.js';
import { heldRuns } from './held-runs.js';
import { RunError } from './run-error.js';

/** What a module can add, and the names of all that there are. */
const PARTS = { environment: envIds, algorithm: algorithmNames, family: familyNames } as const;
/** A part of a training that a module can bring. */
export type ModulePart = keyof typeof PARTS;
const parts = Object.keys(PARTS) as ModulePart[];

/** The module of each algorithm and family; environments know theirs. */
const sources = { algorithm: new Map<string, string>(), family: new Map<string, string>() } as const;

function sourceOf(part: ModulePart, name: string): string | undefined {
  return part === 'environment' ? envModule(name) : sources[part].get(name);
}

/** Names of what a module adds. */
export type Imported = Readonly<Record<ModulePart, readonly string[]>>;

/**
 * Imports a module that exports environments, or registers environments, algorithms or families. Throws a RangeError
 * where it does neither. Importing it again changes nothing.
 * @param url such as new URL('./my-learner.js', import.meta.url)
 */
export async function importModule(url: string | URL): Promise<Imported> {
  const module = String(url);
  allowTypeScript(module);
  const before = { algorithm: algorithmNames(), family: familyNames() };
  await importEnvs(module, { mayBeEmpty: true });
  for (const part of ['algorithm', 'family'] as const) {
    for (const name of PARTS[part]()) if (!before[part].includes(name)) sources[part].set(name, module);
  }
  const namesOf = (part: ModulePart) => PARTS[part]().filter((name) => sourceOf(part, name) === module);
  const added = { environment: namesOf('environment'), algorithm: namesOf('algorithm'), family: namesOf('family') };
  if (parts.every((part) => added[part].length === 0)) {
    throw new RangeError(
      `${module} must export an environment, as of defineEnv, or a list of them as its default, or register an algorithm or a family.`,
    );
  }
  return added;
}

/**
 * The files that the parts of a training come from; those that come with the package, or from no file, have none. Throws a
 * RangeError where one of them is gone.
 */
export function moduleFiles(plan: TrainingPlan): Partial<Record<ModulePart, string>> {
  const names = namesIn({ env: plan.env, algorithm: plan.algorithm.name, settings: plan.config });
  return Object.fromEntries(
    parts.flatMap((part) => {
      const module = sourceOf(part, String(names[part]));
      if (module?.startsWith('file:') !== true) return [];
      const file = fileURLToPath(module);
      if (existsSync(file)) return [[part, realpathSync(file)]];
      throw new RangeError(`${part} "${String(names[part])}" was imported from ${file}, which is not there any more.`);
    }),
  );
}

/**
 * Imports the modules that a run was trained with, or all runs that a folder holds, unless what they add is known already.
 * Throws a RunError where a module is gone or cannot be imported.
 */
export async function importRunModules(folder: string): Promise<void> {
  const held = heldRuns(folder).map((name) => join(folder, name));
  for (const run of held.length === 0 ? [folder] : held) {
    const config = configIn(run);
    const names = namesIn(config);
    for (const part of parts) {
      const [name, module] = [names[part], config.modules?.[part]];
      if (typeof name !== 'string' || typeof module !== 'string' || PARTS[part]().includes(name)) continue;
      const problem = (what: string) => new RunError(run, `its ${part} "${name}" is of ${module}, ${what}`);
      const trusted = 'if it can be trusted, name it with --import';
      if (ELSEWHERE.test(module)) throw problem(`which is on another machine; ${trusted}`);
      if (resolve(module) !== module) throw problem('which no training notes; name the module with --import');
      if (!existsSync(module)) throw problem('which is not there; name the module where it is now with --import');
      if (realpathSync(module) !== module) throw problem(`which is a link; ${trusted}`);
      if (isInside(module, cameFrom(folder, run))) throw problem(`which came with the run; ${trusted}`);
      try {
        await importModule(pathToFileURL(module));
      } catch (error) {
        const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
        throw problem(`which cannot be imported (${reason.replace(/\.$/, '')})`);
      }
      if (!PARTS[part]().includes(name)) throw problem('which does not have it any more');
    }
  }
}

/**
 * Paths on other machines, of which a look for the file already tells that somebody asks: shares of Windows, and where Unix
 * mounts what is asked for.
 */
const ELSEWHERE = /^(?:[\\/]{2}|\/(?:net|afs)\/)/i;

/** What may have come together with a run. A folder that one works in is one's own, with runs and modules in it. */
function cameFrom(folder: string, run: string): string[] {
  return isInside(join(process.cwd(), CONFIG), [folder]) ? [run] : [folder, run];
}

/** Whether a file lies in one of some folders, however these are written: file systems may ignore case, or mount one twice. */
function isInside(file: string, folders: readonly string[]): boolean {
  const identify = (path: string) => {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev} ${ino}`;
  };
  const known = new Set(folders.map(identify));
  for (let place = dirname(file); ; place = dirname(place)) {
    if (known.has(identify(place))) return true;
    if (place === dirname(place)) return false;
  }
}

interface Config {
  readonly env?: unknown;
  readonly algorithm?: unknown;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly modules?: Readonly<Record<string, unknown>>;
}

function namesIn({ env, algorithm, settings }: Config): Record<ModulePart, unknown> {
  return { environment: env, algorithm, family: settings?.family };
}

/** As far as it can be read: what is wrong with a run is said when it is opened. */
function configIn(folder: string): Config {
  try {
    return (JSON.parse(readFileSync(join(folder, CONFIG), 'utf8')) ?? {}) as Config;
  } catch {
    return {};
  }
}
