/**
 * What the GPU runs: a kernel is one loop over the entries of the tensors that it stores. `fusion.ts` decides which
 * operations a kernel contains, `plan.ts` when it runs, and `kernels.ts` writes it as WGSL.
 */
import type { Tensor } from '../tensor.js';

export interface Kernel {
  /** A map computes each entry by itself; the others are built around a reduction or a tiled matrix product. */
  readonly kind: 'map' | 'reduce' | 'product';
  /** The sum, maximum or product that the kernel is built around; a map has none. */
  readonly anchor?: Tensor;
  /** A sum over products of a batch that the epilogue of a product computes. */
  readonly epilogueSum?: EpilogueSum;
  /** What it stores; all have the same number of entries. */
  readonly results: Tensor[];
  /** The further work of a reduction on its rows. */
  rows?: RowWork;
  /** Its topological level: kernels of one level are independent, those of the next one wait for all of them. */
  level: number;
}

/** A short sum over a batch axis of a product: one workgroup computes all terms of an entry, so it can add them up. */
export interface EpilogueSum {
  readonly sum: Tensor;
  /** The axis of the product that is summed over. */
  readonly axis: number;
  /** Tensors before the sum that the kernel stores as well, because other kernels read them. */
  readonly storedTerms: readonly Tensor[];
}

/**
 * What a reduction over the last axis does beside it, as layer normalisation needs it: the threads that share a row compute
 * several reductions of it, one after the other, and then entries of the row from them.
 */
export interface RowWork {
  /** Reductions of the same rows that are computed before the anchor, whose terms may depend on them. */
  readonly earlier: readonly Tensor[];
  /** Tensors that are stored with an entry for each term, such as a normalised row. */
  readonly entries: readonly Tensor[];
}

/** How many products of a batch a kernel adds up in its epilogue; 1 where it has no sum there. */
export function termsPerSum({ anchor, epilogueSum }: Kernel): number {
  return epilogueSum === undefined ? 1 : anchor!.shape[epilogueSum.axis];
}

/** Every tensor that a kernel writes to memory. */
export function storedBy({ epilogueSum, results, rows }: Kernel): readonly Tensor[] {
  return [...(epilogueSum?.storedTerms ?? []), ...results, ...(rows?.entries ?? [])];
}
