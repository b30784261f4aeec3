/**
 * Matrix products on tensor cores. They multiply fragments, small matrices that a subgroup holds together, of 16-bit numbers and
 * add up in 32 bits. As in `tiled-product.ts`, a workgroup computes one tile of the result, both operands pass through workgroup
 * memory, where they are rounded to 16 bits, and the next part is read into registers while one is multiplied.
 * `fragment-tile.ts` chooses the tile, and `fragment-panels.ts` says what is where.
 */
import { sizeOf } from '../shape.js';
import { divide, modulo, number, plus, split, textOf, times, variable } from './affine.js';
import type { Affine } from './affine.js';
import { Emitter, operandIndices } from './expression.js';
import { copiesOf, panelsOf, placeIn } from './fragment-panels.js';
import type { Panel, Run } from './fragment-panels.js';
import { fragmentsOf, resultPitch, SIDE, SUBGROUP } from './fragment-tile.js';
import type { FragmentTile } from './fragment-tile.js';
import type { Kernel } from './kernel.js';
import { each } from './kernel-code.js';
import type { KernelCode, Placement } from './kernel-code.js';
import { storeEntries } from './product-results.js';
import { innerOf } from './roles.js';

/** Neighbouring entries of an operand, as they are read and as they are in workgroup memory. */
const runTypes: Readonly<Record<Run, { readonly read: string; readonly kept: string }>> = {
  1: { read: 'f32', kept: 'f16' },
  2: { read: 'vec2f', kept: 'vec2<f16>' },
  4: { read: 'vec4f', kept: 'vec4<f16>' },
};

/** What a shader needs for tensor cores: what it enables, and the workgroup memory of its largest product. */
export function fragmentDeclarations(halves: number, run: Run, cells: number): { enable: string[]; memory: string[] } {
  return {
    enable: [
      'enable f16;',
      'enable subgroups;',
      'enable chromium_experimental_subgroup_matrix;',
      // Whole subgroups take every branch around fragments, which the compiler cannot see.
      'diagnostic(off, chromium.subgroup_matrix_uniformity);',
    ],
    memory: [
      `var<workgroup> half_: array<${runTypes[run].kept}, ${halves / run}>;`,
      `var<workgroup> cells_: array<f32, ${cells}>;`,
    ],
  };
}

export function fragmentProductCode(
  kernel: Kernel,
  placement: Placement,
  threads: number,
  tile: FragmentTile,
): KernelCode {
  const anchor = kernel.anchor!;
  const { op, shape, inputs } = anchor;
  if (op.kind !== 'matmul') throw new Error('a product is a matmul');
  const { height, width, depth, down, across, rounds, buffers, run } = tile;
  if (threads !== SUBGROUP * down * across) throw new Error(`a tile of ${down * across} subgroups has other threads`);
  const [rows, columns] = shape.slice(-2);
  const inner = innerOf(inputs[0], op.transA);
  const batch = shape.slice(0, -2);
  const [tilesDown, tilesAcross] = [Math.ceil(rows / height), Math.ceil(columns / width)];
  const parts = Math.ceil(inner / depth);
  const { left, right, size } = panelsOf(tile, !op.transA, op.transB);
  const z = split(variable('z', sizeOf(batch)), batch);

  const emitter = new Emitter(placement.loadOf);
  emitter.write(`let z = g / ${tilesDown * tilesAcross}u;`);
  emitter.write(`let top = g % ${tilesDown * tilesAcross}u / ${tilesAcross}u * ${height}u;`);
  emitter.write(`let left = g % ${tilesAcross}u * ${width}u;`);
  const subgroup = divide(variable('t', threads), SUBGROUP);
  emitter.write(`let down = ${textOf(divide(subgroup, across))};`);
  emitter.write(`let across = ${textOf(modulo(subgroup, across))};`);
  const [below, beside] = [variable('down', down), variable('across', across)];
  const fragments = fragmentsOf(tile);
  each(fragments.rows, (i) => {
    each(fragments.columns, (j) => emitter.write(`var c${i}_${j}: subgroup_matrix_result<f32, ${SIDE}, ${SIDE}>;`));
  });

  const buffer = buffers > 1 ? times(variable('buffer', buffers), size) : number(0);
  const operands = ([0, 1] as const).map((which) => {
    const panel = which === 0 ? left : right;
    const outer =
      which === 0 ? { first: 'top', limit: rows, extent: height } : { first: 'left', limit: columns, extent: width };
    const innerAxis = { first: 'k0', limit: inner, extent: depth };
    const copies = copiesOf(panel, run, threads).map((copy, turn) => ({
      ...copy,
      register: `${which === 0 ? 'a' : 'b'}In${turn}`,
    }));
    /** Reads stay within the operand where the tile overhangs; what they bring is then unused, or replaced by zero. */
    const load = (): void => {
      for (const { line, place, register } of copies) {
        emitter.open('');
        const along = times(place, run);
        const lines = runWithin(panel.isInner ? outer : innerAxis, line, 1);
        const entries = runWithin(panel.isInner ? innerAxis : outer, along, run);
        const values = entries.map((entry) => {
          const [x, k] = panel.isInner ? [lines[0], entry] : [entry, lines[0]];
          const index = which === 0 ? [...z, x, number(0)] : [...z, number(0), x];
          return emitter.value(inputs[which], operandIndices(anchor, index, k)[which]);
        });
        // Beyond the inner dimension both operands are zero.
        const isInside = each(panel.isInner ? run : 1, (i) => {
          return `k0 + ${textOf(panel.isInner ? plus(along, number(i)) : line)} < ${inner}u`;
        });
        const isCut = inner % depth > 0;
        const isCutInRun = isCut && panel.isInner && inner % run > 0;
        const kept = isCutInRun ? values.map((value, i) => `select(0.0f, ${value}, ${isInside[i]})`) : values;
        const value = run === 1 ? kept[0] : `${runTypes[run].read}(${kept.join(', ')})`;
        const zero = `${runTypes[run].read}()`;
        emitter.write(`${register} = ${isCut && !isCutInRun ? `select(${zero}, ${value}, ${isInside[0]})` : value};`);
        emitter.close();
      }
    };
    const store = (): void => {
      for (const { line, place, threads: active, register } of copies) {
        const start = plus(inRuns(plus(buffer, number(panel.start)), run), times(line, panel.pitch / run));
        const text = `half_[${textOf(plus(start, place))}] = ${runTypes[run].kept}(${register});`;
        emitter.write(active === undefined ? text : `if (t < ${active}u) { ${text} }`);
      }
    };
    for (const { register } of copies) emitter.write(`var ${register} = ${runTypes[run].read}();`);
    return { load, store };
  });

  // The accumulators change in one place and unconditionally: around a branch compilers copy them back and forth.
  emitter.write('var k0 = 0u;');
  for (const { load } of operands) load();
  emitter.open(`for (var part = 1u; part <= ${parts}u; part++)`);
  if (buffers > 1) emitter.write(`let buffer = part % ${buffers}u;`);
  for (const { store } of operands) store();
  emitter.write('workgroupBarrier();');
  if (parts > 1) {
    emitter.open(`if (part < ${parts}u)`);
    emitter.write(`k0 = part * ${depth}u;`);
    for (const { load } of operands) load();
    emitter.close();
  }
  multiply(emitter, tile, { left, right, buffer, below, beside });
  // With two buffers the next part is written elsewhere, and the one after it only when all are past the next barrier.
  if (parts > 1 && buffers === 1) emitter.write('workgroupBarrier();');
  emitter.close();

  // The results pass through workgroup memory, some rows of subgroups at a time: which entries of a fragment a thread has is
  // not specified.
  const pitch = resultPitch(tile);
  const perRound = down / rounds;
  emitter.open(`for (var round = 0u; round < ${rounds}u; round++)`);
  emitter.open(rounds > 1 ? `if (${textOf(divide(below, perRound))} == round)` : '');
  each(fragments.rows, (i) => {
    each(fragments.columns, (j) => {
      const row = plus(times(modulo(below, perRound), height / down), number(i * SIDE));
      const column = plus(times(beside, width / across), number(j * SIDE));
      const cell = textOf(plus(times(row, pitch), column));
      emitter.write(`subgroupMatrixStore<row_major>(&cells_, ${cell}, c${i}_${j}, ${pitch}u);`);
    });
  });
  emitter.close();
  emitter.write('workgroupBarrier();');
  const quarter = width / 4;
  const cells = (height / rounds) * quarter;
  const cell = variable('cell', cells);
  const first = plus(times(divide(cell, quarter), pitch), modulo(cell, quarter));
  const totals = each(4, (i) => `cells_[${textOf(plus(first, number(i * quarter)))}]`);
  storeEntries(emitter, kernel, placement, {
    height,
    rounds,
    threads,
    tileColumns: width,
    cells,
    quarter,
    totals: `vec4f(${totals.join(', ')})`,
    indexOf: (row, column) => [...z, row, column],
  });
  if (rounds > 1) emitter.write('workgroupBarrier();');
  emitter.close();
  return {
    body: emitter.take(),
    groups: sizeOf(batch) * tilesDown * tilesAcross,
    memory: 0,
    fragments: { halves: buffers * size, run, cells: (height / rounds) * pitch },
  };
}

/** The inner loop: each subgroup multiplies its fragments of the parts in workgroup memory. */
function multiply(
  emitter: Emitter,
  tile: FragmentTile,
  at: {
    readonly left: Panel;
    readonly right: Panel;
    readonly buffer: Affine;
    readonly below: Affine;
    readonly beside: Affine;
  },
): void {
  const { height, width, depth, down, across, run } = tile;
  const { rows, columns } = fragmentsOf(tile);
  const steps = depth / SIDE;
  emitter.open(`for (var step = 0u; step < ${steps}u; step++)`);
  const k = times(variable('step', steps), SIDE);
  const load = (name: string, kind: 'left' | 'right', part: Affine): void => {
    const panel = at[kind];
    const place = plus(plus(at.buffer, number(panel.start)), placeIn(panel, part, k));
    // Lines of the left panel along the inner dimension are rows of its fragments, those of the right one columns.
    const order = panel.isInner === (kind === 'left') ? 'row_major' : 'col_major';
    const type = `subgroup_matrix_${kind}<f16, ${SIDE}, ${SIDE}>`;
    const where = `${textOf(inRuns(place, run))}, ${panel.pitch / run}u`;
    emitter.write(`let ${name} = subgroupMatrixLoad<${type}, ${order}>(&half_, ${where});`);
  };
  const loadLeft = (i: number): void => load(`a${i}`, 'left', plus(times(at.below, height / down), number(i * SIDE)));
  const loadRight = (j: number): void =>
    load(`b${j}`, 'right', plus(times(at.beside, width / across), number(j * SIDE)));
  const accumulate = (i: number, j: number): void =>
    emitter.write(`c${i}_${j} = subgroupMatrixMultiplyAccumulate(a${i}, b${j}, c${i}_${j});`);
  // The fewer fragments stay in registers, and the others come one after the other.
  if (rows <= columns) {
    each(rows, loadLeft);
    each(columns, (j) => {
      emitter.open('');
      loadRight(j);
      each(rows, (i) => accumulate(i, j));
      emitter.close();
    });
  } else {
    each(columns, loadRight);
    each(rows, (i) => {
      emitter.open('');
      loadLeft(i);
      each(columns, (j) => accumulate(i, j));
      emitter.close();
    });
  }
  emitter.close();
}

/** A multiple of the entries of a run, counted in runs. */
function inRuns(entries: Affine, run: Run): Affine {
  return divide(entries, run);
}

/** The indices of neighbouring entries along an axis, from an offset in the tile on; within the axis where tiles overhang it. */
function runWithin(
  { first, limit, extent }: { readonly first: string; readonly limit: number; readonly extent: number },
  offset: Affine,
  run: Run,
): Affine[] {
  if (limit % extent === 0) {
    const start = plus(variable(first, limit - extent + 1), offset);
    return each(run, (i) => plus(start, number(i)));
  }
  if (limit % run === 0) {
    const start = variable(`min(${first} + ${textOf(offset)}, ${limit - run}u)`, limit - run + 1);
    return each(run, (i) => plus(start, number(i)));
  }
  return each(run, (i) => variable(`min(${first} + ${textOf(plus(offset, number(i)))}, ${limit - 1}u)`, limit));
}
