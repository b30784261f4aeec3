/** Numbers as people read them. */

/** A share in percent, for people. */
export function percent(share: number): string {
  return `${Number((100 * share).toFixed(1))} %`;
}

/** A number for people: seven digits are more than any metric here deserves. A dash stands for what has no value. */
export function shown(value: number | null): string {
  return value === null ? '-' : String(Number(value.toPrecision(7)));
}
