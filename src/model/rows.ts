/** The rows of a table [count, size], as views. */
export function rowsOf(table: Float32Array, size: number): Float32Array[] {
  return Array.from({ length: table.length / size }, (_, row) => table.subarray(row * size, (row + 1) * size));
}
