/** `--import FILE`, which every command understands: the environments of a module, registered before the command runs. */
import { importFile } from './env-operand.js';

const ALLOWED = 'the path of a module whose default export is an environment, as of defineEnv, or a list of them';

export async function importEnvironments(files: readonly (string | undefined)[]): Promise<void> {
  for (const file of files) await importFile('--import', file, ALLOWED);
}
