/**
 * What all kernels have in common once they are code: the body of a WGSL function, where its operands are in memory, and
 * the hardware it is written for. `kernels.ts` and `tiled-product.ts` write bodies; `shader.ts` puts them together.
 */
import type { Tensor } from '../tensor.js';
import { split } from './affine.js';
import type { Affine } from './affine.js';
import type { Emitter, Place } from './expression.js';
import type { Run } from './fragment-panels.js';
import type { FragmentTile } from './fragment-tile.js';
import type { Kernel } from './kernel.js';
import type { Tile } from './tile.js';

/** A kernel as the body of a WGSL function of the workgroup's number `g` and the thread's number `t`. */
export interface KernelCode {
  readonly body: string;
  /** Workgroups that it takes. */
  readonly groups: number;
  /** Floats of workgroup memory (`shared_`) that it uses. */
  readonly memory: number;
  /** Vectors of four floats in workgroup memory (`tile_`) that it uses. */
  readonly tiles?: number;
  /** What it uses of tensor cores and their workgroup memory. */
  readonly fragments?: FragmentMemory;
}

/** Workgroup memory of a product on tensor cores. */
export interface FragmentMemory {
  /** Numbers of 16 bits for the operands (`half_`), and how many are one entry of the array. */
  readonly halves: number;
  readonly run: Run;
  /** Floats for the results (`cells_`). */
  readonly cells: number;
}

/** Where the operands of a kernel are in memory. */
export interface Placement {
  /** Everywhere that a result is stored. */
  readonly storesOf: (result: Tensor) => readonly Place[];
  /** Where a tensor is read from; undefined if the kernel computes it. */
  readonly loadOf: (tensor: Tensor) => Place | undefined;
}

/** The hardware that code is written for. */
export interface Target {
  /** Threads of every workgroup; the same for all kernels of a level, since they run in one dispatch. */
  readonly threads: number;
  /** How a matrix product is cut into tiles. */
  readonly tileFor: (kernel: Kernel) => Tile;
  /** How one on tensor cores is; undefined where there are none. */
  readonly fragmentsFor?: (kernel: Kernel) => FragmentTile;
  /** Multiply-adds that the inner loop of a product is unrolled to; a software adapter compiles many very slowly. */
  readonly unroll: number;
}

/** Computes results at one position in row-major order and stores them. */
export function storeResults(
  emitter: Emitter,
  results: readonly Tensor[],
  placement: Placement,
  position: Affine,
): void {
  const values = results.map((result) => emitter.value(result, split(position, result.shape)));
  // Only when all are computed: an update may overwrite what another result is computed from.
  results.forEach((result, i) => {
    for (const place of placement.storesOf(result)) emitter.store(result, values[i], place, position);
  });
}

/** A list of what is made for 0, 1, ..., count - 1. */
export function each<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}
