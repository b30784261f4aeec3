import { readNumber, text } from '../config/index.js';
import { envInfo } from '../envs/index.js';
import { repeated } from './arguments.js';
import { UsageError } from './errors.js';

/** `--env-set`: options of the environment, one at a time. */
export const envSetOption = repeated(
  text({
    placeholder: 'NAME=VALUE',
    allowed: 'NAME=VALUE',
    about: 'An option of the environment.',
  }),
);

/** The options of an environment that were given so; whether they exist and what they may be is checked where they are used. */
export function envOptionsIn(env: string, texts: readonly string[]): Record<string, string | number> {
  const { options } = envInfo(env);
  return Object.fromEntries(
    texts.map((given) => {
      const end = given.indexOf('=');
      if (end < 1) throw new UsageError('--env-set', given, 'NAME=VALUE');
      const name = given.slice(0, end).trim();
      const value = given.slice(end + 1).trim();
      const isNumber = Object.hasOwn(options, name) && typeof options[name].default === 'number';
      return [name, isNumber ? (readNumber(value) ?? value) : value];
    }),
  );
}
