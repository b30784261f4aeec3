/**
 * Where the operands of a product on tensor cores are in workgroup memory. Of each operand there is a panel: a part as high or
 * as wide as the tile, with a piece of the inner dimension. Its lines run along the axis along which the operand is contiguous,
 * so that neighbouring threads read neighbouring entries and write neighbouring words. `fragment-product.ts` writes the code.
 */
import { divide, join, modulo, number, plus, times, variable } from './affine.js';
import type { Affine } from './affine.js';

/** How many neighbouring entries of an operand a thread copies together. */
export type Run = 1 | 2 | 4;

export interface Panel {
  /** Its first entry in workgroup memory. */
  readonly start: number;
  readonly lines: number;
  /** Entries of a line. */
  readonly extent: number;
  /** Entries from one line to the next. */
  readonly pitch: number;
  /** Whether lines run along the inner dimension, rather than along the rows or columns of the result. */
  readonly isInner: boolean;
}

/** The panels of both operands, and the entries that they take together. */
export function panelsOf(
  { height, width, depth }: { readonly height: number; readonly width: number; readonly depth: number },
  isLeftInner: boolean,
  isRightInner: boolean,
): { readonly left: Panel; readonly right: Panel; readonly size: number } {
  const panel = (outer: number, isInner: boolean, start: number): Panel => {
    const [lines, extent] = isInner ? [outer, depth] : [depth, outer];
    // Eight entries more than a line has: eight lines of a fragment are then in different banks.
    return { start, lines, extent, pitch: extent + 8, isInner };
  };
  const left = panel(height, isLeftInner, 0);
  const right = panel(width, isRightInner, left.lines * left.pitch);
  return { left, right, size: right.start + right.lines * right.pitch };
}

/** Where the entry at a row or column of the tile and at a place of its inner piece is, counted from the panel's first one. */
export function placeIn({ pitch, isInner }: Panel, outer: Affine, inner: Affine): Affine {
  return isInner ? plus(times(outer, pitch), inner) : plus(times(inner, pitch), outer);
}

/** Neighbouring entries of a line that a thread copies together. */
export interface Copy {
  readonly line: Affine;
  /** How many such runs are before it in its line. */
  readonly place: Affine;
  /** The threads that have something to copy; undefined if all do. */
  readonly threads?: number;
}

/** Neighbouring threads that copy neighbouring runs of a line, at most. */
const MOST_LANES = 32;

/**
 * What each thread copies into a panel, in turns. As many lanes as the largest power of two that divides a line are side by side,
 * and the other threads take the lines below, so that addresses need no division, and those of several turns differ by a constant.
 */
export function copiesOf({ lines, extent }: Panel, run: Run, threads: number): Copy[] {
  const perLine = extent / run;
  const lanes = Math.min(MOST_LANES, perLine & -perLine);
  const count = lines * perLine;
  return Array.from({ length: Math.ceil(count / threads) }, (_, turn) => {
    const rest = count - turn * threads;
    const thread = rest < threads ? variable(`min(t, ${rest - 1}u)`, rest) : variable('t', threads);
    const index = plus(number(turn * threads), thread);
    const [lane, below] = [modulo(index, lanes), divide(index, lanes)];
    const place = join([divide(below, lines), lane], [perLine / lanes, lanes]);
    return { line: modulo(below, lines), place, ...(rest < threads && { threads: rest }) };
  });
}
