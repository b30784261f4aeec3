/** A folder that is no run, or not one that can be used so. */
export class RunError extends RangeError {
  override readonly name = 'RunError';

  /**
   * @param problem what is wrong with it, naming the file
   * @param allowed what it must be
   */
  constructor(
    readonly folder: string,
    readonly problem: string,
    allowed = 'a folder that psl train has finished',
  ) {
    super(`run is "${folder}", but must be ${allowed}: ${problem}.`);
  }
}
