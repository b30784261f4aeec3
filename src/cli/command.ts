/** One command of `psl`. */
export interface Command {
  /** One line for `psl --help`. */
  readonly summary: string;
  /** Runs the command with the arguments after its name; resolves to the exit code. */
  readonly run: (args: readonly string[]) => Promise<number>;
}

/** A mistake in what was typed. It is shown as one sentence, without a stack, and the exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';

  /**
   * @param argument the argument's name as the help shows it, such as `--device`
   * @param value what was given for it
   * @param allowed what could have been given: the values, or a description such as `a positive integer`
   */
  constructor(argument: string, value: string, allowed: string | readonly string[]) {
    const choice = typeof allowed === 'string' ? allowed : `one of: ${allowed.join(', ')}`;
    super(`${argument} is "${value}", but must be ${choice}.`);
  }
}
