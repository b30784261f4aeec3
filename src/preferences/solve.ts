/**
 * Solves A X = B by Gaussian elimination with partial pivoting. `a` holds the n rows of A, `b` those of B, which may have
 * any number of columns; both are overwritten, `b` by X. Returns false if A is singular. For the few dozen unknowns of an
 * interpolator; nothing here is blocked or cached.
 */
export function solveInPlace(a: Float64Array[], b: Float64Array[]): boolean {
  const n = a.length;
  for (let k = 0; k < n; k++) {
    let pivot = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(a[i][k]) > Math.abs(a[pivot][k])) pivot = i;
    if (a[pivot][k] === 0) return false;
    [a[k], a[pivot]] = [a[pivot], a[k]];
    [b[k], b[pivot]] = [b[pivot], b[k]];
    for (let i = k + 1; i < n; i++) {
      const factor = a[i][k] / a[k][k];
      subtractMultiple(a[i], factor, a[k]);
      subtractMultiple(b[i], factor, b[k]);
    }
  }
  for (let k = n - 1; k >= 0; k--) {
    for (let i = k + 1; i < n; i++) subtractMultiple(b[k], a[k][i], b[i]);
    for (let j = 0; j < b[k].length; j++) b[k][j] /= a[k][k];
  }
  return true;
}

function subtractMultiple(row: Float64Array, factor: number, other: Float64Array): void {
  for (let j = 0; j < row.length; j++) row[j] -= factor * other[j];
}
