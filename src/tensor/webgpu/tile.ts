export interface Product {
  readonly rows: number;
  readonly columns: number;
  readonly inner: number;
  readonly batch: number;
  /** Its part of the work that is done at the same time. */
  readonly share: number;
}

/** How a workgroup covers a matrix product. */
export interface Tile {
  readonly height: number;
  readonly width: number;
  /** Terms of the inner dimension that are brought in at a time. */
  readonly depth: number;
  /** What each thread adds up itself; threads that this leaves over share the inner dimension in slices. */
  readonly perThread: { readonly rows: number; readonly columns: number };
}

/** Height, width, and rows and columns per thread. */
const candidates: readonly (readonly [number, number, number, number])[] = [
  [128, 80, 8, 5],
  [64, 80, 4, 5],
  [64, 64, 4, 4],
  [32, 80, 4, 5],
  [32, 64, 4, 4],
  [32, 40, 4, 5],
  [32, 32, 4, 4],
  [16, 64, 4, 4],
  [16, 32, 2, 4],
  [64, 8, 2, 1],
  [8, 128, 4, 1],
  [8, 32, 2, 2],
  [16, 16, 2, 2],
  [8, 8, 1, 1],
];

/** Workgroups that a large GPU works on at full speed. */
const ROOM = 132;

/**
 * The tile with the least time by a model of a workgroup in cycles, which ranks tiles as measured on an H200: products
 * of 256 x 400 x 400 and 400 x 256 x 400 for 2 to 48 networks at a time.
 */
export function chooseTile(product: Product, threads: number, memoryLimit: number): Tile {
  let best: { tile: Tile; time: number } | undefined;
  for (const [height, width, rows, columns] of candidates) {
    const slices = (threads * rows * columns) / (height * width);
    const groups = product.batch * Math.ceil(product.rows / height) * Math.ceil(product.columns / width);
    const rounds = groups / (ROOM * product.share);
    // Deep where few workgroups wait for memory alone.
    const most = Math.min(rounds <= 1 ? 80 : 40, Math.floor(memoryLimit / (height + width + 2)));
    if (slices < 1 || slices * height * width > memoryLimit || most < slices) continue;
    const depth = depthFor(product.inner, slices, most);
    const parts = Math.ceil(product.inner / depth);
    // Instructions of eight warps on four schedulers: sums and their reads, then the operands' way into the tile (for
    // which the index along a width that is no power of two costs a division), then what is done with the results.
    const strain = (rows * columns > 32 ? 1.1 : 1) * (1 + 0.03 * (slices - 1));
    const sums = (2 * (rows * columns + rows + columns) * strain) / slices;
    const brought = 0.094 * (height + width * (Number.isInteger(Math.log2(width)) ? 1 : 1.5));
    const overhangs = product.rows % height !== 0 || product.columns % width !== 0;
    const ofGroup = parts * depth * (sums + brought) * (overhangs ? 1.05 : 1) + 0.3 * height * width + 500;
    // The last round is on average half empty; and workgroups side by side hide each other's waits for memory.
    const waits = (parts * 600) / Math.min(4, Math.max(1, rounds));
    const time = (rounds <= 1 ? 1 : rounds + 0.5) * ofGroup + waits;
    if (best === undefined || time < best.time) {
      best = { tile: { height, width, depth, perThread: { rows, columns } }, time };
    }
  }
  if (best === undefined) throw new Error(`${memoryLimit} floats of workgroup memory hold no tile`);
  return best.tile;
}

/** Terms at a time: at most so many, a whole number for each slice, and without overhang where possible. */
function depthFor(inner: number, slices: number, most: number): number {
  const parts = Math.ceil(inner / most);
  for (let count = parts; count <= 2 * parts; count++) {
    if (inner % count === 0 && (inner / count) % slices === 0) return inner / count;
  }
  return Math.ceil(Math.ceil(inner / parts) / slices) * slices;
}
