/** A row of a table [count, size], as a view. */
export function rowOf(table: Float32Array, row: number, size: number): Float32Array {
  return table.subarray(row * size, (row + 1) * size);
}

/** All of them. */
export function rowsOf(table: Float32Array, size: number): Float32Array[] {
  return Array.from({ length: table.length / size }, (_, row) => rowOf(table, row, size));
}
