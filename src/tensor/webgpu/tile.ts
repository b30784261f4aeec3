export interface Product {
  readonly rows: number;
  readonly columns: number;
  readonly inner: number;
  readonly batch: number;
  /** Products whose sum is taken at once, and which lie side by side in a tile: more than one in each of the batch then. */
  readonly terms: number;
  /** Its part of the work that is done at the same time. */
  readonly share: number;
  /** Tensors that are worked out of it and stored. */
  readonly results: number;
  /** An optimiser runs at the same time, maybe its own: it waits for memory for most of the time, and needs threads for that. */
  readonly isBesideUpdate: boolean;
}

/** How a workgroup covers a matrix product. */
export interface Tile {
  readonly height: number;
  readonly width: number;
  /** Terms of the inner dimension that are brought in at a time. */
  readonly depth: number;
  /** Rounds in which results pass through workgroup memory: 1, 2 or 4. */
  readonly rounds: number;
  /**
   * What each thread adds up itself, in fours both ways; threads that this leaves over share the inner dimension in
   * slices.
   */
  readonly perThread: { readonly rows: number; readonly columns: number };
}

/** Height, width, and rows and columns per thread; the first ones fit networks of 400 and of 64 n units. */
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

/** Tiles for the sum of so many products: 4, 8 or 16 columns of each. */
export function shapesForSums(terms: number): readonly (readonly [number, number, number, number])[] {
  const sizes = [8, 16, 32, 64, 128].flatMap((height) =>
    [4, 8, 16].map((covered) => [height, terms * covered] as const),
  );
  const places = [8, 4].flatMap((rows) => [4, 8].map((columns) => [rows, columns] as const));
  return sizes
    .flatMap(([height, width]) => places.map(([rows, columns]) => [height, width, rows, columns] as const))
    .filter(([height, width, rows, columns]) => height % rows === 0 && width % columns === 0);
}

/** Workgroups that a large GPU works on at full speed. */
const ROOM = 132;
/** Registers of a thread for what is on its way into the tile. */
const ON_THE_WAY = 37;
/** Terms at a time at most, also where an optimiser follows, which needs registers too. */
const DEEP = { product: 80, update: 16 } as const;
/** How much longer bringing operands in takes where the last part is not whole, which has to be checked everywhere. */
const OVERHANG = 1.3;
/** Cycles for one more round of results through workgroup memory. */
const AGAIN = 2000;
/** Share of the work from which on a product decides how many registers all of it has. */
const ASIDE = 0.2;

export interface Choice {
  readonly tile: Tile;
  /** Cycles that the product takes by the model. */
  readonly time: number;
}

/** The tile that takes the least time by a model of a large GPU. */
export function chooseTile(product: Product, threads: number, memoryLimit: number): Choice {
  const shapes = product.terms === 1 ? tileShapes : shapesForSums(product.terms);
  // Beside other work, which would have its registers, it makes do with few, if there is such a tile.
  const slim = shapes.filter(([, , rows, columns]) => rows * columns <= 16);
  const isAside = product.share < ASIDE || product.isBesideUpdate;
  const best = (isAside ? fastest(slim) : undefined) ?? fastest(shapes);
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

/** How many threads share the terms of each of a tile's places. */
export function slicesOf({ height, width, perThread }: Omit<Tile, 'depth' | 'rounds'>, threads: number): number {
  return Math.floor((threads * perThread.rows * perThread.columns) / (height * width));
}

/** A tile with the depth that suits it, or undefined where threads or memory do not suffice. */
export function tileOf(
  { inner, results }: Product,
  { height, width, perThread }: Omit<Tile, 'depth' | 'rounds'>,
  threads: number,
  memoryLimit: number,
): Tile | undefined {
  const slices = slicesOf({ height, width, perThread }, threads);
  const most = Math.min(
    Math.floor((ON_THE_WAY * threads) / (height + width)),
    // The rows of a tile have a gap of four floats.
    Math.floor(memoryLimit / (height + width + 8)),
    results > 1 ? DEEP.update : DEEP.product,
  );
  const rounds = [1, 2, 4].find((count) => (slices * height * width) / count <= memoryLimit);
  // Threads without a place are of use only for bringing operands in.
  if (
    slices < 1 ||
    (slices * height * width) / (perThread.rows * perThread.columns) < 0.75 * threads ||
    rounds === undefined ||
    slices * (height + width + 8) > memoryLimit
  )
    return undefined;
  // Whole slices may be more than was asked for, but not more than there is memory for.
  const fitting = Math.floor(memoryLimit / (height + width + 8) / slices) * slices;
  const depth = Math.min(fitting, depthFor(inner, slices, Math.max(most, slices)));
  return { height, width, perThread, rounds, depth };
}

/**
 * Cycles of an H200. Its constants were fitted so that of 490 tiles measured for 13 products, of 1 to 192 networks, and of
 * 112 pairs for gradients side by side, those come first that were fastest: what it says of any single part of the work is
 * not to be taken at its word.
 */
function timeOf(product: Product, tile: Tile, threads: number): number {
  const { height, width, depth } = tile;
  const { rows, columns } = tile.perThread;
  const across = width / columns;
  const slices = slicesOf(tile, threads);
  const isFolded = product.terms > 1;
  const covered = width / product.terms;
  const groups = product.batch * Math.ceil(product.rows / height) * Math.ceil(product.columns / covered);
  // Next to something much larger it still finds room.
  const rounds = groups / (ROOM * Math.max(0.1, product.share));
  const parts = Math.ceil(product.inner / depth);
  // A term of the sum takes instructions, of which four schedulers give out one each, and reads of 128 bytes at a time. The
  // schedulers wait for the one that has the most threads.
  const instructions = (rows * columns + rows / 4 + columns / 4 + 1) / 4;
  const reads = rows / 4 + (columns / 4) * Math.ceil(Math.min(32, across) / 8);
  const evenly = 1 + 2.2 * ((Math.ceil(threads / 128) * 128) / threads - 1);
  const sums = ((parts * depth) / slices) * (threads / 32) * evenly * (instructions + reads);
  // The operands' way into the tile, and what is done with the results, which is more for an optimiser.
  const brought = parts * depth * (height + width) * (isFolded && product.inner % depth > 0 ? OVERHANG : 1);
  const stored = (height * width * (175 + 9 * slices + 20 * (product.results - 1))) / 32;
  const again = isFolded ? AGAIN * (tile.rounds - 1) : 0;
  // The last round is not full.
  return (rounds <= 1 ? 1 : rounds + 0.36) * (sums + brought + stored) + 990 * parts + again;
}

/** Terms at a time: at most so many, a whole number for each slice, and where possible without overhang. */
function depthFor(inner: number, slices: number, most: number): number {
  const parts = Math.ceil(inner / most);
  for (let count = parts; count <= 2 * parts; count++) {
    if (inner % count === 0 && (inner / count) % slices === 0) return inner / count;
  }
  return Math.ceil(Math.ceil(inner / parts) / slices) * slices;
}
