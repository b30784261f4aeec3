/** Data that people write by hand. */
import { readFileSync } from 'node:fs';
import { reasonOf } from '../files/index.js';
import { UsageError } from './errors.js';

/** Whether an argument is data itself, and not the path of a file. */
export function isDataItself(given: string): boolean {
  return given.trimStart().startsWith('{');
}

/** What a file says, YAML where its name ends so and JSON otherwise, or the argument itself where that is JSON. */
export async function readData(given: string, argument: string): Promise<unknown> {
  const isYaml = !isDataItself(given) && /\.ya?ml$/i.test(given);
  try {
    const text = isDataItself(given) ? given : readFileSync(given, 'utf8');
    return isYaml ? ((await import('yaml')).parse(text) as unknown) : (JSON.parse(text) as unknown);
  } catch (error) {
    // Those of YAML go on with a picture of the place.
    const [reason] = reasonOf(error).split('\n', 1);
    throw new UsageError(argument, given, `a file of ${isYaml ? 'YAML' : 'JSON'} (${reason.replace(/[.:]$/, '')})`);
  }
}
