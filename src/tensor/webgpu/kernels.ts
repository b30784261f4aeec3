/**
 * Writes kernels as WGSL: maps, reductions, and matrix products that are too small for tiles. The large products, where a
 * step spends its time, are in `tiled-product.ts`. What is computed for a single entry comes from `expression.ts`.
 */
import { sizeOf } from '../shape.js';
import type { Tensor } from '../tensor.js';
import { join, number, plus, split, times, variable } from './affine.js';
import type { Affine } from './affine.js';
import { Emitter, insert, operandIndices, parameter } from './expression.js';
import { fragmentProductCode } from './fragment-product.js';
import { SIDE } from './fragment-tile.js';
import type { Kernel } from './kernel.js';
import { each, storeResults } from './kernel-code.js';
import type { KernelCode, Placement, Target } from './kernel-code.js';
import { innerOf } from './roles.js';
import { tiledProductCode } from './tiled-product.js';

export function codeOf(kernel: Kernel, placement: Placement, target: Target): KernelCode {
  switch (kernel.kind) {
    case 'map':
      return mapCode(kernel, placement, target);
    case 'reduce':
      return reduceCode(kernel, placement, target);
    case 'product':
      if (target.fragmentsFor !== undefined && isFragmented(kernel))
        return fragmentProductCode(kernel, placement, target.threads, target.fragmentsFor(kernel));
      return isTiled(kernel)
        ? tiledProductCode(kernel, placement, target)
        : smallProductCode(kernel, placement, target);
  }
}

/** Entries that a thread of a map computes, one after the other, where there are very many. */
const ENTRIES_PER_THREAD = 4;

function mapCode(kernel: Kernel, placement: Placement, { threads }: Target): KernelCode {
  const { size } = kernel.results[0];
  const turns = size >= threads * 4096 ? ENTRIES_PER_THREAD : 1;
  const emitter = new Emitter(placement.loadOf);
  if (turns > 1) emitter.open(`for (var turn = 0u; turn < ${turns}u; turn++)`);
  emitter.write(`let i = g * ${threads * turns}u + t${turns > 1 ? ` + turn * ${threads}u` : ''};`);
  emitter.open(`if (i < ${size}u)`);
  storeResults(emitter, kernel.results, placement, variable('i', size));
  emitter.close();
  if (turns > 1) emitter.close();
  return { body: withParameters(emitter.take()), groups: Math.ceil(size / (threads * turns)), memory: 0 };
}

/** Marks all numbers of a kernel as parameters, so that kernels that differ only in their shapes share code. */
function withParameters(text: string): string {
  return text.replace(/(#?)\b(\d+)u?\b(#?)/g, (whole, before: string, digits: string, after: string) => {
    const isPlain = before === '' && after === '' && whole.endsWith('u') && Number(digits) > 1;
    return isPlain ? parameter(Number(digits)) : whole;
  });
}

/** Terms that a lane reads before it adds them up, so that several reads are under way together. */
const READS_IN_FLIGHT = 4;

/**
 * A reduction. Several threads, the lanes, share each result: every lane reduces its part of the terms, then a tree in
 * workgroup memory reduces the lanes.
 */
function reduceCode(kernel: Kernel, placement: Placement, { threads }: Target): KernelCode {
  const anchor = kernel.anchor!;
  const { op } = anchor;
  const { count, isContiguous } = termsOf(anchor);
  const results = anchor.size;
  const lanes = op.kind === 'argmax' ? 1 : lanesFor(threads, results, count, isContiguous);
  const perGroup = threads / lanes;
  const emitter = new Emitter(placement.loadOf);
  // Neighbouring threads read neighbouring entries: along the sum if its terms are contiguous, else across the results.
  const [lane, result, apart] = isContiguous
    ? [`t % ${lanes}u`, `t / ${lanes}u`, 1]
    : [`t / ${perGroup}u`, `t % ${perGroup}u`, perGroup];
  emitter.write(`let lane = ${lane};`);
  emitter.write(`let i = g * ${perGroup}u + ${result};`);
  const { earlier, entries } = kernel.rows ?? { earlier: [], entries: [] };
  earlier.forEach((reduction, nth) => {
    emitter.write(`var row${nth}: f32;`);
    emitter.open('');
    reduceTerms(emitter, reduction, { lanes, apart });
    shareTotal(emitter, reduction, `row${nth}`, lanes);
    // All lanes have read the total before the next reduction overwrites it.
    if (lanes > 1) emitter.write('workgroupBarrier();');
    emitter.close();
  });
  reduceTerms(emitter, anchor, { lanes, apart });
  emitter.open(`if (lane == 0u && i < ${results}u)`);
  emitter.given.set(anchor, op.kind === 'argmax' ? 'best' : 'total');
  storeResults(emitter, kernel.results, placement, variable('i', results));
  emitter.close();
  if (entries.length > 0) {
    emitter.write('var row: f32;');
    shareTotal(emitter, anchor, 'row', lanes);
    emitter.open(`if (i < ${results}u)`);
    emitter.open(`for (var k = lane; k < ${count}u; k += ${lanes}u)`);
    storeResults(emitter, entries, placement, plus(times(variable('i', results), count), variable('k', count)));
    emitter.close();
    emitter.close();
  }
  const groups = Math.ceil(results / perGroup);
  return { body: withParameters(emitter.take()), groups, memory: lanes > 1 ? threads : 0 };
}

/** Gives every lane of a row the total that the first one has. */
function shareTotal(emitter: Emitter, reduction: Tensor, name: string, lanes: number): void {
  if (lanes > 1) emitter.write('workgroupBarrier();');
  emitter.write(`${name} = ${lanes > 1 ? 'shared_[t - lane]' : 'total'};`);
  emitter.given.set(reduction, name);
}

/** Reduces the terms of entry `i` of a tensor; afterwards the first of its lanes, which are `apart` threads apart, has the total. */
function reduceTerms(
  emitter: Emitter,
  reduction: Tensor,
  { lanes, apart }: { readonly lanes: number; readonly apart: number },
): void {
  const { op, size: results } = reduction;
  const terms = termsOf(reduction);
  const isMax = op.kind !== 'sum' && op.kind !== 'matmul';
  const identity = isMax ? '-3.4028234e38f' : '0.0f';
  emitter.write(`var total = ${identity};`);
  if (op.kind === 'argmax') emitter.write('var best = 0i;');
  emitter.open(`if (i < ${results}u)`);
  const unrolled = op.kind === 'argmax' ? 1 : Math.min(READS_IN_FLIGHT, Math.ceil(terms.count / lanes));
  const isEven = terms.count % (lanes * unrolled) === 0;
  emitter.open(`for (var k = lane; k < ${terms.count}u; k += ${lanes * unrolled}u)`);
  const index = split(variable('i', results), reduction.shape);
  for (let u = 0; u < unrolled; u++) {
    emitter.write(`var term${u}: f32;`);
    emitter.open('');
    emitter.write(`let term = ${u === 0 ? 'k' : `k + ${u * lanes}u`};`);
    const k = variable(isEven || u === 0 ? 'term' : `min(term, ${terms.count - 1}u)`, terms.count);
    const term = terms.at(emitter, index, k);
    const isInside = `term < ${terms.count}u`;
    emitter.write(`term${u} = ${isEven || u === 0 ? term : `select(${identity}, ${term}, ${isInside})`};`);
    emitter.close();
  }
  const all = each(unrolled, (u) => `term${u}`);
  if (op.kind === 'argmax') emitter.write('if (term0 > total || k == 0u) { total = term0; best = i32(k); }');
  else
    emitter.write(
      `total = ${isMax ? all.reduce((x, y) => `max(${x}, ${y})`, 'total') : ['total', ...all].join(' + ')};`,
    );
  emitter.close();
  emitter.close();
  if (lanes > 1) {
    emitter.write('shared_[t] = total;');
    emitter.open(`for (var half = ${lanes / 2}u; half > 0u; half >>= 1u)`);
    emitter.write('workgroupBarrier();');
    const other = `shared_[t + half${apart > 1 ? ` * ${apart}u` : ''}]`;
    emitter.write(
      `if (lane < half) { total ${isMax ? `= max(total, ${other})` : `+= ${other}`}; shared_[t] = total; }`,
    );
    emitter.close();
  }
}

/** What one result of a reduction is the sum, maximum or product of. */
interface Terms {
  readonly count: number;
  /** Whether the terms of one result are contiguous in memory. */
  readonly isContiguous: boolean;
  /** Code for term `k` of the result at an index. */
  at(emitter: Emitter, index: readonly Affine[], k: Affine): string;
}

function termsOf(anchor: Tensor): Terms {
  const { op, inputs } = anchor;
  const [x, y] = inputs;
  if (op.kind === 'matmul') {
    // By the larger operand, which is most of what is read.
    const isContiguous = x.size >= y.size ? !op.transA : op.transB;
    const at: Terms['at'] = (emitter, index, k) => emitter.productTerm(anchor, index, k);
    return { count: innerOf(x, op.transA), isContiguous, at };
  }
  if (op.kind !== 'sum' && op.kind !== 'max' && op.kind !== 'argmax') throw new Error(`${op.kind} is no reduction`);
  const axes = op.kind === 'argmax' ? [op.axis] : op.axes;
  const sizes = axes.map((axis) => x.shape[axis]);
  return {
    count: sizeOf(sizes),
    isContiguous: axes.includes(x.rank - 1),
    at: (emitter, index, k) => emitter.value(x, insert(index, axes, split(k, sizes))),
  };
}

/**
 * The number of lanes: enough to occupy a large GPU, or to finish long sums soon; few enough that each has terms, and
 * that lanes across the results read whole cache lines.
 */
function lanesFor(threads: number, results: number, count: number, isContiguous: boolean): number {
  // The tree halves the lanes, so they are the largest power of two that divides the threads, or less.
  const powerOfTwo = threads & -threads;
  const most = Math.min(powerOfTwo, isContiguous ? threads : threads / 8);
  let lanes = 1;
  while (lanes < most && lanes * 2 * READS_IN_FLIGHT <= count && (results * lanes < 65536 || count / lanes > 64))
    lanes *= 2;
  return lanes;
}

/** Rows and inner dimension up to which a product is not tiled: a thread computes whole columns of it. */
const SMALL = 16;

/** Whether a kernel is a matrix product that is cut into tiles. */
export function isTiled({ kind, anchor, epilogueSum }: Kernel): boolean {
  if (kind !== 'product' || anchor?.op.kind !== 'matmul') return false;
  const isSmall = anchor.shape[anchor.rank - 2] <= SMALL && innerOf(anchor.inputs[0], anchor.op.transA) <= SMALL;
  return epilogueSum !== undefined || !isSmall;
}

/** Whether a product is large enough for tensor cores, where there are some; those with a sum in their epilogue stay with floats. */
export function isFragmented(kernel: Kernel): boolean {
  if (!isTiled(kernel) || kernel.epilogueSum !== undefined) return false;
  const { shape, inputs, op } = kernel.anchor!;
  const isDeep = op.kind === 'matmul' && innerOf(inputs[0], op.transA) >= SIDE;
  return isDeep && Math.min(...shape.slice(-2)) >= 2 * SIDE;
}

/**
 * A product with few rows and a short inner dimension, as when a hypernetwork generates a layer: the left operand is kept in
 * workgroup memory, and each entry of the right one is read once.
 */
function smallProductCode(kernel: Kernel, placement: Placement, { threads }: Target): KernelCode {
  const anchor = kernel.anchor!;
  const { op, shape, inputs } = anchor;
  if (op.kind !== 'matmul') throw new Error('a product is a matmul');
  const [rows, columns] = shape.slice(-2);
  const batch = shape.slice(0, -2);
  const inner = innerOf(inputs[0], op.transA);
  const groups = Math.ceil(columns / threads);
  const z = split(variable('z', sizeOf(batch)), batch);
  const indices = (row: Affine, column: Affine, k: Affine): [Affine[], Affine[]] =>
    operandIndices(anchor, [...z, row, column], k);

  const emitter = new Emitter(placement.loadOf);
  emitter.write(`let z = g / ${groups}u;`);
  emitter.write(`let column = g % ${groups}u * ${threads}u + t;`);
  emitter.open(`for (var e = t; e < ${rows * inner}u; e += ${threads}u)`);
  const [row, k] = split(variable('e', rows * inner), [rows, inner]);
  emitter.write(`shared_[e] = ${emitter.value(inputs[0], indices(row, number(0), k)[0])};`);
  emitter.close();
  emitter.write('workgroupBarrier();');
  emitter.open(`if (column < ${columns}u)`);
  const column = variable('column', columns);
  const right = each(inner, (i) => emitter.value(inputs[1], indices(number(0), column, number(i))[1]));
  const entries = each(rows, (r) => {
    const terms = right.map((value, i) => `shared_[${parameter(r * inner + i)}] * ${value}`);
    emitter.write(`let total${r} = ${terms.join(' + ')};`);
    emitter.given.set(anchor, `total${r}`);
    const position = join([...z, number(r), column], shape);
    const values = kernel.results.map((result) => emitter.value(result, split(position, result.shape)));
    return { position, values };
  });
  for (const { position, values } of entries) {
    kernel.results.forEach((result, i) => {
      for (const place of placement.storesOf(result)) emitter.store(result, values[i], place, position);
    });
  }
  emitter.close();
  return { body: withParameters(emitter.take()), groups: sizeOf(batch) * groups, memory: rows * inner };
}
