/** A folder that is no run, or not a whole one. */
export class RunError extends RangeError {
  override readonly name = 'RunError';

  /** @param problem what is wrong with it, naming the file */
  constructor(
    readonly folder: string,
    readonly problem: string,
  ) {
    super(`run is "${folder}", but must be a folder that psl train has finished: ${problem}.`);
  }
}
