/**
 * The end of a matrix product that is cut into tiles: its epilogue, which reads the results of the product from workgroup
 * memory, and stores what it computes. `tiled-product.ts` and `fragment-product.ts` put the results there.
 */
import { divide, join, modulo, number, plus, split, textOf, variable } from './affine.js';
import type { Affine } from './affine.js';
import { wgslType } from './expression.js';
import type { Emitter } from './expression.js';
import type { Kernel } from './kernel.js';
import { each } from './kernel-code.js';
import type { Placement } from './kernel-code.js';

/** How the results of one round are laid out in workgroup memory, as cells of four floats. */
export interface ResultLayout {
  /** Rows of the product that a tile covers, and the rounds in which they pass through workgroup memory. */
  readonly height: number;
  readonly rounds: number;
  readonly threads: number;
  /** Columns of the product that a tile covers. */
  readonly tileColumns: number;
  /** Cells of one round. */
  readonly cells: number;
  /** The distance in columns between the four floats of a cell: a quarter of the tile's width. */
  readonly quarter: number;
  /** The four floats of the cell with the number `cell`, as WGSL. */
  readonly totals: string;
  readonly indexOf: (row: Affine, column: Affine, term: Affine) => Affine[];
}

/** Computes the epilogue of the results of a round and stores it; a thread has four entries of a row at a time. */
export function storeEntries(
  emitter: Emitter,
  { anchor, epilogueSum, results }: Kernel,
  placement: Placement,
  layout: ResultLayout,
): void {
  const { threads, tileColumns, cells, quarter, height, rounds, indexOf } = layout;
  const { shape } = anchor!;
  const [rows, columns] = shape.slice(-2);
  const stored = epilogueSum === undefined ? results : epilogueSum.storedTerms;
  const computed = epilogueSum === undefined ? results : [...epilogueSum.storedTerms, epilogueSum.sum.inputs[0]];
  const turns = Math.ceil(cells / threads);
  emitter.open(`for (var turn = 0u; turn < ${turns}u; turn++)`);
  emitter.write(`let cell = turn * ${threads}u + t;`);
  const cell = variable('cell', cells);
  emitter.write(`let row = top + round * ${height / rounds}u + ${textOf(divide(cell, quarter))};`);
  const checks = [
    ...(cells % threads === 0 ? [] : [`cell < ${cells}u`]),
    ...(rows % height === 0 ? [] : [`row < ${rows}u`]),
  ];
  emitter.open(checks.length > 0 ? `if (${checks.join(' && ')})` : '');
  emitter.write(`let totals = ${layout.totals};`);
  // All four are computed before any is stored, so that their reads are under way together.
  const names = (i: number): string[] => computed.map((_, r) => `result${i}_${r}`);
  const entries = each(4, (i) => {
    const offset = plus(modulo(cell, quarter), number(i * quarter));
    const column = `column${i}`;
    emitter.write(`let ${column} = left + ${textOf(modulo(offset, tileColumns))};`);
    const index = indexOf(variable('row', rows), variable(column, columns), divide(offset, tileColumns));
    const condition = columns % tileColumns === 0 ? '' : `if (${column} < ${columns}u)`;
    return { i, position: join(index, shape), condition };
  });
  for (const { i, position, condition } of entries) {
    computed.forEach(({ dtype }, r) => emitter.write(`var ${names(i)[r]}: ${wgslType[dtype]};`));
    emitter.open(condition);
    emitter.given.set(anchor!, `totals.${'xyzw'[i]}`);
    computed.forEach((result, r) => {
      emitter.write(`${names(i)[r]} = ${emitter.value(result, split(position, result.shape))};`);
    });
    emitter.close();
  }
  if (epilogueSum !== undefined) emitter.write(`tile_[cell] = vec4f(${each(4, (i) => names(i).at(-1)!).join(', ')});`);
  for (const { i, position, condition } of entries) {
    emitter.open(condition);
    stored.forEach((result, r) => {
      for (const place of placement.storesOf(result)) emitter.store(result, names(i)[r], place, position);
    });
    emitter.close();
  }
  emitter.close();
  emitter.close();
}
