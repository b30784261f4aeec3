/**
 * Chooses the tile of a matrix product: how much of the result a workgroup computes, and how its threads share that. The
 * choice minimises a model of the time on a large GPU, which was fitted to measurements. `tiled-product.ts` writes
 * the code for a tile.
 */

export interface Product {
  readonly rows: number;
  readonly columns: number;
  readonly inner: number;
  readonly batch: number;
  /** Products whose sum the epilogue computes, side by side in a tile; 1 where there is no sum. */
  readonly terms: number;
  /** Its share of the multiplications of the dispatch, from 0 to 1. */
  readonly share: number;
  /** Tensors that its epilogue stores. */
  readonly results: number;
  /** Whether an optimiser is part of the dispatch: it mostly waits for memory, which many threads hide. */
  readonly isBesideUpdate: boolean;
}

/** How a workgroup covers a matrix product. */
export interface Tile {
  readonly height: number;
  readonly width: number;
  /** How much of the inner dimension is in workgroup memory at a time. */
  readonly depth: number;
  /** Rounds in which the results pass through workgroup memory: 1, 2 or 4. */
  readonly rounds: number;
  /**
   * The part of the tile that each thread computes, multiples of four both ways. If there are more threads than parts,
   * several compute the same part, each for a slice of the inner dimension.
   */
  readonly perThread: { readonly rows: number; readonly columns: number };
}

/** Height, width, and rows and columns per thread; the sizes divide layers of 400 units and of multiples of 64. */
export const tileShapes: readonly (readonly [number, number, number, number])[] = [
  [256, 80, 4, 20],
  [128, 80, 4, 20],
  [32, 80, 4, 20],
  [200, 80, 8, 8],
  [128, 80, 8, 8],
  [128, 128, 8, 8],
  [32, 200, 8, 8],
  [32, 128, 8, 8],
  [128, 80, 8, 4],
  [128, 64, 8, 4],
  [80, 100, 8, 4],
  [64, 80, 8, 4],
  [64, 64, 8, 4],
  [64, 64, 4, 4],
  [32, 200, 8, 4],
  [32, 128, 8, 4],
  [32, 80, 4, 4],
  [32, 64, 4, 4],
  [32, 40, 4, 4],
  [32, 32, 4, 4],
  [16, 80, 4, 4],
  [16, 64, 4, 4],
  [16, 32, 4, 4],
  [64, 8, 4, 4],
  [8, 128, 4, 4],
  [8, 32, 4, 4],
  [16, 16, 4, 4],
  [8, 8, 4, 4],
];

/** Tile shapes for a sum of so many products: 4, 8 or 16 columns of each. */
export function shapesForSums(terms: number): readonly (readonly [number, number, number, number])[] {
  const sizes = [8, 16, 32, 64, 128].flatMap((height) =>
    [4, 8, 16].map((columns) => [height, terms * columns] as const),
  );
  const perThread = [8, 4].flatMap((rows) => [4, 8].map((columns) => [rows, columns] as const));
  return sizes
    .flatMap(([height, width]) => perThread.map(([rows, columns]) => [height, width, rows, columns] as const))
    .filter(([height, width, rows, columns]) => height % rows === 0 && width % columns === 0);
}

/** Workgroups that a large GPU runs at full speed: one for each of its multiprocessors. */
const MULTIPROCESSORS = 132;
/** Registers of a thread for operands on their way into workgroup memory. */
const STAGING_REGISTERS = 37;
/** The largest depth; smaller where the epilogue is an optimiser, which needs registers too. */
const MOST_DEPTH = { product: 80, update: 16 } as const;
/** How much longer reading operands takes where the last part is not whole, which every read then checks. */
const OVERHANG_FACTOR = 1.3;
/** Cycles for one more round of results through workgroup memory. */
const ROUND_CYCLES = 2000;
/** A product with a smaller share of the dispatch must not take many registers, since all kernels would get as many. */
const MINOR_SHARE = 0.2;

export interface Choice {
  readonly tile: Tile;
  /** Cycles that the product takes by the model. */
  readonly time: number;
}

/** The tile that takes the least time by the model. */
export function chooseTile(product: Product, threads: number, memoryLimit: number): Choice {
  const shapes = product.terms === 1 ? tileShapes : shapesForSums(product.terms);
  // Beside other work, a tile that takes few registers if there is one.
  const frugal = shapes.filter(([, , rows, columns]) => rows * columns <= 16);
  const isMinor = product.share < MINOR_SHARE || product.isBesideUpdate;
  const best = (isMinor ? fastest(frugal) : undefined) ?? fastest(shapes);
  if (best === undefined) throw new Error(`${memoryLimit} floats of workgroup memory hold no tile`);
  return best;

  function fastest(candidates: typeof shapes): Choice | undefined {
    const choices = candidates.flatMap(([height, width, rows, columns]) => {
      const tile = tileOf(product, { height, width, perThread: { rows, columns } }, threads, memoryLimit);
      return tile === undefined ? [] : [{ tile, time: timeOf(product, tile, threads) }];
    });
    return choices.reduce<Choice | undefined>((a, b) => (a === undefined || b.time < a.time ? b : a), undefined);
  }
}

/** How many threads share each part of a tile, by slices of the inner dimension. */
export function slicesOf({ height, width, perThread }: Omit<Tile, 'depth' | 'rounds'>, threads: number): number {
  return Math.floor((threads * perThread.rows * perThread.columns) / (height * width));
}

/** A tile with a suitable depth, or undefined if threads or memory do not suffice. */
export function tileOf(
  { inner, results }: Product,
  { height, width, perThread }: Omit<Tile, 'depth' | 'rounds'>,
  threads: number,
  memoryLimit: number,
): Tile | undefined {
  const slices = slicesOf({ height, width, perThread }, threads);
  const most = Math.min(
    Math.floor((STAGING_REGISTERS * threads) / (height + width)),
    // Rows in workgroup memory are padded by four floats for each operand.
    Math.floor(memoryLimit / (height + width + 8)),
    results > 1 ? MOST_DEPTH.update : MOST_DEPTH.product,
  );
  const rounds = [1, 2, 4].find((count) => (slices * height * width) / count <= memoryLimit);
  // Threads without a part of the tile only help to read operands, so few may be left over.
  if (
    slices < 1 ||
    (slices * height * width) / (perThread.rows * perThread.columns) < 0.75 * threads ||
    rounds === undefined ||
    slices * (height + width + 8) > memoryLimit
  )
    return undefined;
  // Rounding up to whole slices may exceed what was asked for, but not the memory.
  const fitting = Math.floor(memoryLimit / (height + width + 8) / slices) * slices;
  const depth = Math.min(fitting, depthFor(inner, slices, Math.max(most, slices)));
  return { height, width, perThread, rounds, depth };
}

/**
 * Models the cycles of a product on an H200. The constants were fitted to rank 490 tiles measured for 13 products, of 1 to 192
 * networks, and 112 pairs of gradients that run together, so the single terms below are not accurate by themselves.
 */
function timeOf(product: Product, tile: Tile, threads: number): number {
  const { height, width, depth } = tile;
  const { rows, columns } = tile.perThread;
  const across = width / columns;
  const slices = slicesOf(tile, threads);
  const isSummed = product.terms > 1;
  const tileColumns = width / product.terms;
  const groups = product.batch * Math.ceil(product.rows / height) * Math.ceil(product.columns / tileColumns);
  // Even beside something much larger it gets a tenth of the GPU.
  const waves = groups / (MULTIPROCESSORS * Math.max(0.1, product.share));
  const parts = Math.ceil(product.inner / depth);
  // Each step of the inner loop takes instructions, which four schedulers issue, and reads of 128 bytes from workgroup memory.
  // A multiprocessor waits for the scheduler that has the most threads.
  const instructions = (rows * columns + rows / 4 + columns / 4 + 1) / 4;
  const reads = rows / 4 + (columns / 4) * Math.ceil(Math.min(32, across) / 8);
  const imbalance = 1 + 2.2 * ((Math.ceil(threads / 128) * 128) / threads - 1);
  const multiplied = ((parts * depth) / slices) * (threads / 32) * imbalance * (instructions + reads);
  // Reading the operands, and storing the results, which takes longer for an optimiser.
  const loaded = parts * depth * (height + width) * (isSummed && product.inner % depth > 0 ? OVERHANG_FACTOR : 1);
  const stored = (height * width * (175 + 9 * slices + 20 * (product.results - 1))) / 32;
  const extraRounds = isSummed ? ROUND_CYCLES * (tile.rounds - 1) : 0;
  // The last wave of workgroups does not fill the GPU.
  return (waves <= 1 ? 1 : waves + 0.36) * (multiplied + loaded + stored) + 990 * parts + extraRounds;
}

/** A depth of at most `most`, the same for each slice, and if possible a divisor of the inner dimension. */
function depthFor(inner: number, slices: number, most: number): number {
  const parts = Math.ceil(inner / most);
  for (let count = parts; count <= 2 * parts; count++) {
    if (inner % count === 0 && (inner / count) % slices === 0) return inner / count;
  }
  return Math.ceil(Math.ceil(inner / parts) / slices) * slices;
}
