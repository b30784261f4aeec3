/**
 * The module of a user's own environment: noted in a run when it begins, and imported when the run is opened again. It is
 * noted by its absolute path, so that a run from elsewhere, whose module is not there, does not make this machine run code.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { envIds, envModule, importEnvs } from '../envs/index.js';
import { CONFIG } from './file-names.js';
import { heldRuns } from './held-runs.js';
import { RunError } from './run-error.js';

/** The file that an environment comes from; undefined where it comes with the package or from no file. */
export function moduleFile(env: string): string | undefined {
  const module = envModule(env);
  return module?.startsWith('file:') === true ? fileURLToPath(module) : undefined;
}

/**
 * Imports the module of the environment of a run, or of those of all runs that a folder holds, unless the environment is
 * known already. Throws a RunError where the module is gone or cannot be imported.
 */
export async function importRunEnvs(folder: string): Promise<void> {
  const held = heldRuns(folder).map((name) => join(folder, name));
  for (const run of held.length === 0 ? [folder] : held) {
    const { env, module } = notedIn(run);
    if (typeof env !== 'string' || typeof module !== 'string' || envIds().includes(env)) continue;
    const problem = (what: string) => new RunError(run, `its environment "${env}" is of ${module}, ${what}`);
    if (!existsSync(module)) throw problem('which is not there; name the module where it is now with --import');
    try {
      await importEnvs(pathToFileURL(module));
    } catch (error) {
      const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
      throw problem(`which cannot be imported (${reason.replace(/\.$/, '')})`);
    }
    if (!envIds().includes(env)) throw problem('which does not have it any more');
  }
}

/** As far as it can be read: what is wrong with a run is said when it is opened. */
function notedIn(folder: string): { readonly env?: unknown; readonly module?: unknown } {
  try {
    return (JSON.parse(readFileSync(join(folder, CONFIG), 'utf8')) ?? {}) as object;
  } catch {
    return {};
  }
}
