/** `--import FILE`, which every command understands: what a module adds, before the command looks. */
import { importFile } from './env-operand.js';

const ALLOWED = 'the path of a module that exports environments, or registers algorithms or families';

export async function importEnvironments(files: readonly (string | undefined)[]): Promise<void> {
  for (const file of files) await importFile('--import', file, ALLOWED);
}
