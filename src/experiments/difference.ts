/** What tells something from what it should be, to be said in a sentence. */

export interface Difference {
  readonly name: string;
  readonly is: unknown;
  readonly wanted: unknown;
}

/** Where two objects differ, in the order of the names of the wanted one. */
export function differencesOf(
  is: Readonly<Record<string, unknown>>,
  wanted: Readonly<Record<string, unknown>>,
): Difference[] {
  const own = (object: Readonly<Record<string, unknown>>, name: string) =>
    Object.hasOwn(object, name) ? object[name] : undefined;
  return Object.keys({ ...wanted, ...is })
    .map((name) => ({ name, is: own(is, name), wanted: own(wanted, name) }))
    .filter((one) => JSON.stringify(one.is) !== JSON.stringify(one.wanted));
}

/** How much of a value is shown. */
const LONGEST = 120;

/** To complete a sentence about the thing itself. */
export function differenceText({ name, is, wanted }: Difference): string {
  const shown = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value).slice(0, LONGEST));
  return `has ${shown(is)} as ${name} instead of ${shown(wanted)}`;
}
