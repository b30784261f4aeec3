/**
 * Chooses the tile of a matrix product on tensor cores, as `tile.ts` does for the other units: how much of the result a
 * workgroup computes, and how its subgroups share that. `fragment-product.ts` writes the code for a tile.
 */
import { panelsOf } from './fragment-panels.js';
import type { Run } from './fragment-panels.js';
import type { Product } from './tile.js';

/** Rows and columns of a fragment, the matrix that a subgroup multiplies at a time. */
export const SIDE = 16;
/** Threads of a subgroup. */
export const SUBGROUP = 32;

/** How a workgroup covers a matrix product. */
export interface FragmentTile {
  readonly height: number;
  readonly width: number;
  /** How much of the inner dimension is in workgroup memory at a time. */
  readonly depth: number;
  /** Subgroups one below the other and side by side; each computes an equal part of the tile. */
  readonly down: number;
  readonly across: number;
  /** Rounds in which the results pass through workgroup memory, each some whole rows of subgroups. */
  readonly rounds: number;
  /** Parts of the operands that are in workgroup memory: with two, one is multiplied while the next is written. */
  readonly buffers: 1 | 2;
  /** Neighbouring entries of an operand that a thread reads, rounds and writes together. */
  readonly run: Run;
}

/** Height, width, and subgroups down and across; the sizes divide layers of 400 units and of multiples of 64. */
export const fragmentShapes: readonly (readonly [number, number, number, number])[] = [
  [256, 80, 8, 1],
  [256, 64, 8, 1],
  [128, 160, 4, 2],
  [128, 128, 4, 2],
  [128, 80, 8, 1],
  [128, 64, 4, 2],
  [64, 160, 4, 2],
  [64, 128, 2, 4],
  [64, 64, 4, 2],
  [32, 256, 1, 8],
  [32, 128, 2, 4],
  [128, 80, 4, 1],
  [128, 64, 4, 1],
  [80, 64, 1, 4],
  [64, 80, 4, 1],
  [64, 64, 2, 2],
  [32, 128, 1, 4],
  [32, 64, 2, 2],
  [32, 32, 2, 2],
  [80, 80, 5, 1],
  [64, 80, 2, 5],
  [32, 80, 2, 5],
];

/** Sizes of a workgroup that some shape has. */
export const fragmentThreads: readonly number[] = [...new Set(fragmentShapes.map(threadsOf))];

const DEPTHS = [16, 32, 48, 64, 80];
/** One by one, as it was measured. Two entries would be one word of workgroup memory, of which fragments were not read on a GPU yet. */
const RUN: Run = 1;
/** Registers of a thread for sums, fragments and operands on their way, so that two workgroups fit a multiprocessor. */
const MOST_REGISTERS = 120;
/** Workgroups that a large GPU runs at full speed: one for each of its multiprocessors. */
const MULTIPROCESSORS = 132;

export interface FragmentChoice {
  readonly tile: FragmentTile;
  /** Cycles that the product takes by the model. */
  readonly time: number;
}

type Shares = Pick<FragmentTile, 'height' | 'width' | 'down' | 'across'>;

/** Bytes of workgroup memory that a tile may take: for operands, for results, and together. */
export interface FragmentMemoryLimit {
  readonly operands: number;
  readonly results: number;
  readonly total: number;
}

export type FragmentChooser = (product: Product, threads: number, limit: FragmentMemoryLimit) => FragmentChoice;

/** The limit for the products of a dispatch, all of which get the most that any takes of either kind of memory. */
export function limitFor(total: number, tilesWith: (limit: FragmentMemoryLimit) => readonly FragmentTile[]) {
  const alone: FragmentMemoryLimit = { operands: total, results: total, total };
  const tiles = tilesWith(alone);
  const together = Math.max(0, ...tiles.map(operandBytes)) + Math.max(0, ...tiles.map(resultBytes));
  if (together <= total) return alone;
  return { operands: (total * 5) / 8, results: (total * 3) / 8, total };
}

/** The tile that takes the least time by the model. */
export function chooseFragments(product: Product, threads: number, limit: FragmentMemoryLimit): FragmentChoice {
  const choices = fragmentShapes
    .filter((shape) => threadsOf(shape) === threads)
    .flatMap((shape) => DEPTHS.flatMap((depth) => fragmentTilesOf(product, shape, depth, limit)))
    .map((tile) => ({ tile, time: timeOf(product, tile) }));
  if (choices.length === 0) throw new Error(`${limit.total} bytes of workgroup memory hold no tile`);
  return choices.reduce((a, b) => (b.time < a.time ? b : a));
}

/** The tiles of a shape and depth for which registers and memory suffice; none if the product is not as deep. */
export function fragmentTilesOf(
  { inner }: Pick<Product, 'inner'>,
  [height, width, down, across]: (typeof fragmentShapes)[number],
  depth: number,
  limit: FragmentMemoryLimit,
  run: Run = RUN,
): FragmentTile[] {
  const isTooDeep = depth > Math.ceil(inner / SIDE) * SIDE;
  if (isTooDeep || registersOf({ height, width, down, across, depth }) > MOST_REGISTERS) return [];
  const allBuffers = inner > depth ? ([2, 1] as const) : ([1] as const);
  const allRounds = Array.from({ length: down }, (_, i) => i + 1).filter((rounds) => down % rounds === 0);
  return allBuffers
    .flatMap((buffers) => allRounds.map((rounds) => ({ height, width, depth, down, across, rounds, buffers, run })))
    .filter((tile) => {
      const [operands, results] = [operandBytes(tile), resultBytes(tile)];
      return operands <= limit.operands && results <= limit.results && operands + results <= limit.total;
    });
}

/** Rows and columns of fragments that a subgroup computes. */
export function fragmentsOf({ height, width, down, across }: Shares): { rows: number; columns: number } {
  return { rows: height / down / SIDE, columns: width / across / SIDE };
}

/** Floats between two rows of results in workgroup memory: four more than there are, so that rows start in different banks. */
export function resultPitch({ width }: Pick<FragmentTile, 'width'>): number {
  return width + 4;
}

/** Bytes of workgroup memory that the operands take at most, whichever way they are transposed. */
function operandBytes(tile: FragmentTile): number {
  const sizes = [true, false].flatMap((left) => [true, false].map((right) => panelsOf(tile, left, right).size));
  return 2 * tile.buffers * Math.max(...sizes);
}

/** Bytes of workgroup memory that the results of a round take. */
function resultBytes(tile: FragmentTile): number {
  return 4 * (tile.height / tile.rounds) * resultPitch(tile);
}

/** A fragment of sums is eight registers of each thread, one of an operand four. */
function registersOf(tile: Shares & Pick<FragmentTile, 'depth'>): number {
  const { height, width, depth, down, across } = tile;
  const { rows, columns } = fragmentsOf(tile);
  const onTheirWay = ((height + width) * depth) / (SUBGROUP * down * across);
  return 8 * rows * columns + 4 * (Math.min(rows, columns) + 1) + onTheirWay;
}

function threadsOf([, , down, across]: (typeof fragmentShapes)[number]): number {
  return SUBGROUP * down * across;
}

/**
 * Models the cycles of a product on an H200. The constants are those of 48 products of 256 x 400 x 400 with tiles of 128 x 128,
 * taken apart by leaving out what is timed; what the shape of a subgroup's part costs is estimated from the reads of fragments.
 */
function timeOf(product: Product, tile: FragmentTile): number {
  const { height, width, depth, down, across } = tile;
  const groups = product.batch * Math.ceil(product.rows / height) * Math.ceil(product.columns / width);
  // Even beside something much larger it gets a tenth of the GPU.
  const waves = groups / (MULTIPROCESSORS * Math.max(0.1, product.share));
  const parts = Math.ceil(product.inner / depth);
  const { rows, columns } = fragmentsOf(tile);
  const subgroups = down * across;
  // A multiprocessor has four schedulers, and waits for the one that has the most subgroups.
  const imbalance = (Math.ceil(subgroups / 4) * 4) / subgroups;
  const steps = (parts * depth) / SIDE;
  const multiplied = subgroups * imbalance * steps * (2.7 * rows * columns + 4 * (rows + columns));
  const loaded = 0.23 * (height + width) * parts * depth;
  // Threads that have no cell in the last turn of a round wait; an optimiser reads and writes more for each entry.
  const turns = tile.rounds * Math.ceil((height * width) / (4 * tile.rounds * SUBGROUP * subgroups));
  const stored = turns * 4 * SUBGROUP * subgroups * (0.82 + 0.5 * (product.results - 1));
  // The last wave of workgroups does not fill the GPU.
  return (waves <= 1 ? 1 : waves + 0.36) * (multiplied + loaded + stored) + 990 * parts;
}
