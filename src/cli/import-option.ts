/**
 * `--import FILE`, which every command understands: the environments of a module, registered before the command asks which
 * ones there are. A run does not name the module that it needs: opening somebody else's run must not run their code.
 */
import { relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { envModule, importEnvs } from '../envs/index.js';
import { UsageError } from './errors.js';
import { typedPath } from './result.js';

const ALLOWED = 'the path of a module whose default export is an environment, as of defineEnv, or a list of them';

export async function importEnvironments(files: readonly (string | undefined)[]): Promise<void> {
  for (const file of files) {
    if (file === undefined) throw new UsageError('--import', file, ALLOWED);
    try {
      await importEnvs(pathToFileURL(resolve(file)));
    } catch (error) {
      const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
      throw new UsageError('--import', file, `${ALLOWED} (${reason.replace(/\.$/, '')})`);
    }
  }
}

/** What has to be added to a command that is to find an environment again; nothing for those that come with the package. */
export function importOf(env: string): string {
  const module = envModule(env);
  return module === undefined ? '' : ` --import ${typedPath(relative(process.cwd(), fileURLToPath(module)))}`;
}
