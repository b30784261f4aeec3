/** The row of `values` with the largest utility, its product with the preference; the first of equal ones. */
export function bestRow(values: ArrayLike<number>, preference: ArrayLike<number>): number {
  const objectives = preference.length;
  let best = 0;
  let largest = -Infinity;
  for (let row = 0; row * objectives < values.length; row++) {
    let utility = 0;
    for (let k = 0; k < objectives; k++) utility += preference[k] * values[row * objectives + k];
    if (utility > largest) {
      largest = utility;
      best = row;
    }
  }
  return best;
}
