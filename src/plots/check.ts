/** Checks of what is plotted. */

/** Beyond this, differences between values could overflow. */
const LARGEST = 1e300;

export function checkNumber(name: string, value: number): void {
  if (!(Math.abs(value) <= LARGEST)) {
    throw new RangeError(`${name} is ${value}, but must be a finite number of at most ${LARGEST} in size.`);
  }
}

/** Checks that a row holds `length` numbers that can be drawn. */
export function checkRow(name: string, row: ArrayLike<number>, length: number, per: string): void {
  if (row.length !== length) {
    throw new RangeError(`${name} has length ${row.length}, but must have ${length}, ${per}.`);
  }
  for (let k = 0; k < length; k++) checkNumber(`${name}[${k}]`, row[k]);
}

export function checkRows(name: string, rows: readonly ArrayLike<number>[], length: number, per: string): void {
  for (const [i, row] of rows.entries()) checkRow(`${name}[${i}]`, row, length, per);
}
