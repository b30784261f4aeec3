/** Checks of samples, with the sentences that users see. */

/** @param name what the caller calls the argument */
export function checkValues(name: string, values: readonly number[]): void {
  for (let i = 0; i < values.length; i++) {
    if (!Number.isFinite(values[i]))
      throw new RangeError(`${name}[${i}] is ${values[i]}, but must be a finite number.`);
  }
}

/** As `checkValues`, for what has no value without a sample. */
export function checkSomeValues(name: string, values: readonly number[]): void {
  if (values.length === 0) throw new RangeError(`${name} is [], but must hold at least one number.`);
  checkValues(name, values);
}
