/** An environment as it is typed: its name, or the path of the user's own module that has it. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { choice, type Described } from '../config/index.js';
import { envIds } from '../envs/index.js';
import { importModule, type Imported } from '../runs/index.js';
import { firstLineOf, UsageError } from './errors.js';

/** A module, and behind # one of its environments where it has several. */
const MODULE = /^(.*\.[cm]?[jt]s)(?:#([\w.-]+))?$/s;

/** Takes any text, because what it stands for is only known when its module is imported: `chosenEnv` does that. */
export function envOperand(about: string): Described<string> {
  return {
    ...choice(envIds(), { about }),
    accepts: (value): value is string => typeof value === 'string',
  };
}

/**
 * The name of an environment that was typed; the module is imported where it is the path of one.
 * @param argument as the help shows it
 */
export async function chosenEnv(argument: string, given: string | undefined): Promise<string> {
  if (given === undefined) throw new UsageError(argument, given, envIds());
  if (envIds().includes(given)) return given;
  const match = MODULE.exec(given);
  if (match === null) {
    const modules =
      'the path of a module in TypeScript or JavaScript (.ts, .mts, .js, .mjs), or a name that psl envs lists';
    throw new UsageError(argument, given, /[/\\]/.test(given) ? modules : envIds());
  }
  const [, file, name] = match as unknown as readonly [string, string, string | undefined];
  const allowed = 'the path of a module whose default export is an environment';
  const { environment: ids } = await importFile(argument, file, allowed);
  if (ids.length === 0) throw new UsageError(argument, given, allowed);
  if (name === undefined && ids.length === 1) return ids[0];
  if (name !== undefined && ids.includes(name)) return name;
  const named = ids.map((id) => `${file}#${id}`);
  throw new UsageError(argument, given, name === undefined ? `one of: ${named.join(', ')}` : named);
}

/** Imports a module of the user's own; what is wrong with it is the user's to know. */
export async function importFile(argument: string, file: string | undefined, allowed: string): Promise<Imported> {
  if (file === undefined) throw new UsageError(argument, file, allowed);
  const path = resolve(file);
  if (!existsSync(path)) throw new UsageError(argument, file, `${allowed} (there is no file ${path})`);
  const refusal = (reason: string) => new UsageError(argument, file, `${allowed} (${reason.replace(/\.$/, '')})`);
  // A module that calls process.exit, or waits for something that never comes, would end everything without a word.
  const tell = () => {
    process.stderr.write(`psl: ${refusal('the program ended while it was imported').message}\n`);
    process.exitCode = 2;
  };
  process.once('exit', tell);
  try {
    return await importModule(pathToFileURL(path));
  } catch (error) {
    throw refusal(firstLineOf(error));
  } finally {
    process.off('exit', tell);
  }
}
