/** Mistakes of the user, which are shown as one sentence and end with exit code 2. */
import { refusal, type Allowed } from '../config/index.js';

/** A mistake in what was typed or in a file that was named. Shown as one sentence, without a stack; the exit code is 2. */
export class InputError extends Error {
  override readonly name: string = 'InputError';
}

/** A mistake in one argument. */
export class UsageError extends InputError {
  override readonly name = 'UsageError';

  /**
   * @param argument the argument's name as the help shows it, such as `--device`
   * @param value what was given for it, usually as it was typed; undefined if nothing was
   * @param allowed what could have been given: the values, or a description such as `a positive integer`
   */
  constructor(argument: string, value: unknown, allowed: Allowed) {
    super(refusal(argument, value, allowed));
  }
}

/** What people are told of an error; further lines, such as a picture of the place in a file, are left out. */
export function firstLineOf(error: unknown): string {
  const message = error instanceof Error && error.message !== '' ? error.message : String(error);
  return message.split('\n', 1)[0];
}

/**
 * Runs a part of the library that checks what was typed. The RangeErrors with which it refuses are the user's mistakes
 * here, and exit with 2; anywhere else in a command a RangeError is a defect of the program, like any other error.
 */
export function checkInput<T>(check: () => T): T {
  const refuse = (error: unknown): never => {
    throw error instanceof RangeError ? new InputError(error.message, { cause: error }) : error;
  };
  try {
    const result = check();
    return result instanceof Promise ? (result.catch(refuse) as T) : result;
  } catch (error) {
    return refuse(error);
  }
}
