/**
 * Matrix products in tiles: a workgroup computes one tile of the result, and its threads share parts of both operands
 * through workgroup memory. Software pipelining hides the latency of memory: while one part is multiplied, the next
 * is already being read into registers. `tile.ts` chooses the size of the tile.
 *
 * Workgroup memory is read as vectors of four floats; one float at a time, reading takes twice as long as multiplying. The
 * four are a quarter of the tile apart, so that neighbouring threads also read neighbouring entries of the operands.
 */
import { sizeOf } from '../shape.js';
import { divide, join, modulo, number, plus, split, textOf, times, variable } from './affine.js';
import type { Affine } from './affine.js';
import { Emitter, insert, operandIndices } from './expression.js';
import { termsPerSum } from './kernel.js';
import type { Kernel } from './kernel.js';
import { each, storeResults } from './kernel-code.js';
import type { KernelCode, Placement, Target } from './kernel-code.js';
import { storeEntries } from './product-results.js';
import type { ResultLayout } from './product-results.js';
import { innerOf } from './roles.js';
import { slicesOf } from './tile.js';
import type { Product, Tile } from './tile.js';

/** The product of a kernel, as the choice of its tile sees it. */
export function productOf(kernel: Kernel, concurrent: Pick<Product, 'share' | 'isBesideUpdate'>): Product {
  const { anchor, results } = kernel;
  if (anchor?.op.kind !== 'matmul') throw new Error('a product is a matmul');
  const [rows, columns] = anchor.shape.slice(-2);
  const inner = innerOf(anchor.inputs[0], anchor.op.transA);
  const terms = termsPerSum(kernel);
  const batch = sizeOf(anchor.shape.slice(0, -2)) / terms;
  return { rows, columns, inner, batch, terms, results: results.length, ...concurrent };
}

export function tiledProductCode(kernel: Kernel, placement: Placement, target: Target): KernelCode {
  const { threads } = target;
  const { epilogueSum } = kernel;
  const anchor = kernel.anchor!;
  const { op, shape, inputs } = anchor;
  if (op.kind !== 'matmul') throw new Error('a product is a matmul');
  const [rows, columns] = shape.slice(-2);
  const inner = innerOf(inputs[0], op.transA);
  const tile = target.tileFor(kernel);
  const { height, width, depth, rounds, perThread } = tile;
  const [down, across] = [height / perThread.rows, width / perThread.columns];
  const slices = slicesOf(tile, threads);
  const active = slices * down * across;
  // The terms of a sum in the epilogue are side by side in a tile, each with the same columns of the product.
  const tileColumns = width / termsPerSum(kernel);
  const [tilesDown, tilesAcross] = [Math.ceil(rows / height), Math.ceil(columns / tileColumns)];
  const quarters = [height / 4, width / 4];
  // Odd, so that neighbouring threads use different banks in either direction.
  const pitches = quarters.map((quarter) => quarter + (quarter % 2 === 0 ? 1 : 0));
  const startB = depth * pitches[0];
  const parts = Math.ceil(inner / depth);
  const thread = variable('t', threads);
  const batch = shape.slice(0, -2).filter((_, axis) => axis !== epilogueSum?.axis);
  const z = split(variable('z', sizeOf(batch)), batch);
  const indexOf = (row: Affine, column: Affine, term: Affine): Affine[] => [
    ...(epilogueSum === undefined ? z : insert(z, [epilogueSum.axis], [term])),
    row,
    column,
  ];

  const emitter = new Emitter(placement.loadOf);
  emitter.write(`let z = g / ${tilesDown * tilesAcross}u;`);
  emitter.write(`let top = g % ${tilesDown * tilesAcross}u / ${tilesAcross}u * ${height}u;`);
  emitter.write(`let left = g % ${tilesAcross}u * ${tileColumns}u;`);
  // Threads beyond the active ones repeat the work of the last one and store nothing.
  if (active < threads) emitter.write(`let worker = min(t, ${active - 1}u);`);
  const activeThread = active < threads ? variable('worker', active) : thread;
  const [slice, position] = [divide(activeThread, down * across), modulo(activeThread, down * across)];
  emitter.write(`let down = ${textOf(divide(position, across))};`);
  // Every other row runs backwards: eight consecutive threads then always read neighbours, which are in different banks.
  emitter.write(`let along = ${textOf(modulo(position, across))};`);
  emitter.write(
    `let across = ${across % 8 === 0 ? 'along' : `select(along, ${across - 1}u - along, down % 2u == 1u)`};`,
  );
  for (const name of accumulators(perThread)) emitter.write(`var ${name} = vec4f();`);

  const operands = ([0, 1] as const).map((which) => {
    const [extent, limit, first] = which === 0 ? [height, rows, 'top'] : [tileColumns, columns, 'left'];
    const quarter = quarters[which];
    const isInnerContiguous = which === 0 ? !op.transA : op.transB;
    const count = quarter * depth;
    const turns = each(Math.ceil(count / threads), (turn) => {
      const isGuarded = (turn + 1) * threads > count;
      const unguarded = plus(number(turn * threads), thread);
      const entry = isGuarded ? variable(`min(${textOf(unguarded)}, ${count - 1}u)`, count) : unguarded;
      const [k, x] = isInnerContiguous
        ? [modulo(entry, depth), divide(entry, depth)]
        : [divide(entry, quarter), modulo(entry, quarter)];
      const register = `${which === 0 ? 'a' : 'b'}In${turn}`;
      return { k, x, register, guard: isGuarded ? `${textOf(unguarded)} < ${count}u` : undefined };
    });
    /** Reads stay within the operand where the tile overhangs; what they bring is then unused, or replaced by zero. */
    const load = (): void => {
      for (const { k, x, register } of turns) {
        emitter.open('');
        const term = variable(clamped(`k0 + ${textOf(k)}`, inner, depth), inner);
        const values = each(4, (i) => {
          const offset = plus(x, number(i * quarter));
          const [summand, offsetInTile] = [divide(offset, extent), modulo(offset, extent)];
          const line = variable(clamped(`${first} + ${textOf(offsetInTile)}`, limit, extent), limit);
          const index = which === 0 ? indexOf(line, number(0), number(0)) : indexOf(number(0), line, summand);
          return emitter.value(inputs[which], operandIndices(anchor, index, term)[which]);
        });
        const value = `vec4f(${values.join(', ')})`;
        const isInside = `k0 + ${textOf(k)} < ${inner}u`;
        emitter.write(`${register} = ${inner % depth === 0 ? value : `select(vec4f(), ${value}, ${isInside})`};`);
        emitter.close();
      }
    };
    const store = (): void => {
      for (const { k, x, register, guard } of turns) {
        const address = plus(number(which === 0 ? 0 : startB), plus(times(k, pitches[which]), x));
        const line = `tile_[${textOf(address)}] = ${register};`;
        emitter.write(guard === undefined ? line : `if (${guard}) { ${line} }`);
      }
    };
    for (const { register } of turns) emitter.write(`var ${register} = vec4f();`);
    return { load, store };
  });

  // The accumulators change in one place and unconditionally: around a branch compilers copy them back and forth.
  emitter.write('var k0 = 0u;');
  for (const { load } of operands) load();
  emitter.open(`for (var part = 1u; part <= ${parts}u; part++)`);
  for (const { store } of operands) store();
  emitter.write('workgroupBarrier();');
  if (parts > 1) {
    emitter.open(`if (part < ${parts}u)`);
    emitter.write(`k0 = part * ${depth}u;`);
    for (const { load } of operands) load();
    emitter.close();
  }
  multiply(emitter, { slice, slices, depth, down, across, perThread, pitches, startB, unroll: target.unroll });
  emitter.write('workgroupBarrier();');
  emitter.close();

  // The results pass through workgroup memory, in rounds of whole quarters of the rows: there the slices are added up,
  // and neighbouring threads store neighbouring entries.
  const area = (height * width) / rounds;
  const cells = area / 4;
  emitter.open(`for (var round = 0u; round < ${rounds}u; round++)`);
  each(rounds, (round) => {
    emitter.open(`if (${active < threads ? `t < ${active}u && ` : ''}round == ${round}u)`);
    each(perThread.rows, (i) => {
      if (Math.floor(((i % 4) * rounds) / 4) !== round) return;
      const row = `(down + ${Math.floor(i / 4) * down + ((i % 4) - (4 / rounds) * round) * quarters[0]}u)`;
      each(perThread.columns / 4, (j) => {
        const cell = `${row} * ${quarters[1]}u + across + ${j * across}u`;
        emitter.write(`tile_[${textOf(times(slice, cells))} + ${cell}] = c${i}_${j};`);
      });
    });
    emitter.close();
  });
  emitter.write('workgroupBarrier();');
  const partial = each(slices, (i) => `tile_[cell${i > 0 ? ` + ${i * cells}u` : ''}]`);
  const layout: ResultLayout = {
    height,
    rounds,
    threads,
    tileColumns,
    cells,
    quarter: quarters[1],
    totals: partial.join(' + '),
    indexOf,
  };
  storeEntries(emitter, kernel, placement, layout);
  if (epilogueSum !== undefined) storeSums(emitter, kernel, placement, layout);
  if (rounds > 1) emitter.write('workgroupBarrier();');
  emitter.close();
  return {
    body: emitter.take(),
    groups: sizeOf(batch) * tilesDown * tilesAcross,
    memory: 0,
    tiles: Math.max(startB + depth * pitches[1], (slices * area) / 4),
  };
}

/** Adds up the terms of the epilogue's sum, which are in workgroup memory, and stores what is computed from it. */
function storeSums(emitter: Emitter, kernel: Kernel, placement: Placement, layout: ResultLayout): void {
  const { threads, tileColumns, quarter, height, rounds, indexOf } = layout;
  const { shape } = kernel.anchor!;
  const { sum, axis } = kernel.epilogueSum!;
  const [rows, columns] = shape.slice(-2);
  const sums = (height / rounds) * tileColumns;
  emitter.write('workgroupBarrier();');
  emitter.open(`for (var turn = 0u; turn < ${Math.ceil(sums / threads)}u; turn++)`);
  emitter.write(`let place = turn * ${threads}u + t;`);
  const [down, across] = split(variable('place', sums), [height / rounds, tileColumns]);
  emitter.write(`let row = top + round * ${height / rounds}u + ${textOf(down)};`);
  emitter.write(`let column = left + ${textOf(across)};`);
  const checks = [
    ...(sums % threads === 0 ? [] : [`place < ${sums}u`]),
    ...(rows % height === 0 ? [] : [`row < ${rows}u`]),
    ...(columns % tileColumns === 0 ? [] : [`column < ${columns}u`]),
  ];
  emitter.open(checks.length > 0 ? `if (${checks.join(' && ')})` : '');
  const terms = each(shape[axis], (i) => {
    const offset = plus(number(i * tileColumns), across);
    const cell = plus(times(down, quarter), modulo(offset, quarter));
    return `tile_[${textOf(cell)}][${textOf(divide(offset, quarter))}]`;
  });
  emitter.write(`let sum = ${terms.join(' + ')};`);
  emitter.given.clear();
  emitter.given.set(sum, 'sum');
  const index = indexOf(variable('row', rows), variable('column', columns), number(0)).toSpliced(axis, 1);
  storeResults(emitter, kernel.results, placement, join(index, sum.shape));
  emitter.close();
  emitter.close();
}

/** A position that is kept within its operand if tiles overhang it. */
function clamped(position: string, limit: number, extent: number): string {
  return limit % extent === 0 ? `(${position})` : `min(${position}, ${limit - 1}u)`;
}

/** Names of a thread's accumulators, each of four columns. */
function accumulators(perThread: Tile['perThread']): string[] {
  return each(perThread.rows, (i) => each(perThread.columns / 4, (j) => `c${i}_${j}`)).flat();
}

/** The inner loop: each thread multiplies its rows and columns of the parts in workgroup memory. */
function multiply(
  emitter: Emitter,
  tile: {
    readonly slice: Affine;
    readonly slices: number;
    readonly depth: number;
    readonly down: number;
    readonly across: number;
    readonly perThread: Tile['perThread'];
    readonly pitches: readonly number[];
    readonly startB: number;
    readonly unroll: number;
  },
): void {
  const { slice, slices, depth, down, across, perThread, pitches, startB, unroll } = tile;
  const steps = depth / slices;
  const most = Math.max(1, Math.floor(unroll / (perThread.rows * perThread.columns)));
  const unrolled = each(most, (i) => most - i).find((count) => steps % count === 0)!;
  emitter.write(`var atA = ${textOf(times(slice, pitches[0]))} + down;`);
  emitter.write(`var atB = ${textOf(plus(number(startB), times(slice, pitches[1])))} + across;`);
  emitter.open(`for (var step = 0u; step < ${steps / unrolled}u; step++)`);
  for (let u = 0; u < unrolled; u++) {
    emitter.open('');
    each(perThread.rows / 4, (i) => emitter.write(`let a${i} = tile_[atA + ${u * slices * pitches[0] + i * down}u];`));
    each(perThread.columns / 4, (j) => {
      emitter.write(`let b${j} = tile_[atB + ${u * slices * pitches[1] + j * across}u];`);
    });
    each(perThread.rows, (i) => {
      const factor = `vec4f(a${Math.floor(i / 4)}.${'xyzw'[i % 4]})`;
      each(perThread.columns / 4, (j) => emitter.write(`c${i}_${j} = fma(${factor}, b${j}, c${i}_${j});`));
    });
    emitter.close();
  }
  emitter.write(`atA += ${unrolled * slices * pitches[0]}u;`);
  emitter.write(`atB += ${unrolled * slices * pitches[1]}u;`);
  emitter.close();
}
