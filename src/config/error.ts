import { refusal, type Allowed } from './refusal.js';

/** A setting that does not exist or has a value that is not allowed. Its message is one sentence for users. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  /**
   * @param field the name of the field, or what else is wrong, such as `setting`
   * @param value what was given for it
   * @param allowed what could have been given
   */
  constructor(
    readonly field: string,
    readonly value: unknown,
    readonly allowed: Allowed,
  ) {
    super(refusal(field, value, allowed));
  }
}
