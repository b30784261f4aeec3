import { sizeOf } from '../shape.js';
import type { Tensor } from '../tensor.js';
import { divide, join, modulo, number, plus, split, textOf, times, variable } from './affine.js';
import type { Affine } from './affine.js';
import { Emitter, insert, operandIndices, parameter, wgslType } from './expression.js';
import type { Place } from './expression.js';
import { foldedBy, innerOf } from './plan.js';
import type { Kernel } from './plan.js';
import { slicesOf } from './tile.js';
import type { Product, Tile } from './tile.js';

/** A kernel as the body of a WGSL function of its workgroup's number `g` and the thread's `t`. */
export interface KernelCode {
  readonly body: string;
  readonly groups: number;
  /** Floats of workgroup memory (`shared_`) that it uses. */
  readonly memory: number;
  /** Fours of floats of workgroup memory (`tile_`) that it uses. */
  readonly tiles?: number;
}

export interface Stores {
  /** Everywhere that a result is kept. */
  readonly placesOf: (result: Tensor) => readonly Place[];
  /** Where something is that the kernel reads rather than works out. */
  readonly placeOf: (tensor: Tensor) => Place | undefined;
}

/** What code is written for. */
export interface Target {
  /** Threads of every workgroup: all kernels of a level run in one dispatch. */
  readonly threads: number;
  /** How a product is cut. */
  readonly tileFor: (kernel: Kernel) => Tile;
  /** Sums that the innermost loop of a product writes out; a software adapter takes minutes to compile many. */
  readonly writtenOut: number;
}

export function codeOf(kernel: Kernel, stores: Stores, target: Target): KernelCode {
  switch (kernel.kind) {
    case 'map':
      return mapCode(kernel, stores, target);
    case 'reduce':
      return reduceCode(kernel, stores, target);
    case 'product':
      return isSlim(kernel) ? slimCode(kernel, stores, target) : productCode(kernel, stores, target);
  }
}

/** Works the results out at one place and stores them. */
function storeResults(emitter: Emitter, { results }: Kernel, stores: Stores, linear: Affine): void {
  const values = results.map((result) => emitter.value(result, split(linear, result.shape)));
  // After all are known: an update may overwrite what another still reads.
  results.forEach((result, i) => {
    for (const place of stores.placesOf(result)) emitter.store(result, values[i], place, linear);
  });
}

/** Entries that a thread of a map works out, one after the other, where there are very many. */
const MANY = 4;

function mapCode(kernel: Kernel, stores: Stores, { threads }: Target): KernelCode {
  const { size } = kernel.results[0];
  const turns = size >= threads * 4096 ? MANY : 1;
  const emitter = new Emitter(stores.placeOf);
  if (turns > 1) emitter.open(`for (var turn = 0u; turn < ${turns}u; turn++)`);
  emitter.write(`let i = g * ${threads * turns}u + t${turns > 1 ? ` + turn * ${threads}u` : ''};`);
  emitter.open(`if (i < ${size}u)`);
  storeResults(emitter, kernel, stores, variable('i', size));
  emitter.close();
  if (turns > 1) emitter.close();
  return { body: withParameters(emitter.take()), groups: Math.ceil(size / (threads * turns)), memory: 0 };
}

/** All numbers of a kernel as parameters, so that the same work on other shapes shares its code. */
function withParameters(text: string): string {
  return text.replace(/(#?)\b(\d+)u?\b(#?)/g, (whole, before: string, digits: string, after: string) => {
    const isPlain = before === '' && after === '' && whole.endsWith('u') && Number(digits) > 1;
    return isPlain ? parameter(Number(digits)) : whole;
  });
}

/** Terms that a lane reads at a time, so that it waits for memory less often. */
const AT_A_TIME = 4;

/** A number of threads, the lanes, share each result: every lane adds up its part, then the lanes are added up. */
function reduceCode(kernel: Kernel, stores: Stores, { threads }: Target): KernelCode {
  const anchor = kernel.anchor!;
  const { op } = anchor;
  const terms = termsOf(anchor);
  const results = anchor.size;
  const lanes = op.kind === 'argmax' ? 1 : lanesFor(threads, results, terms.count, terms.isContiguous);
  const perGroup = threads / lanes;
  const emitter = new Emitter(stores.placeOf);
  // Threads side by side read entries side by side: along the sum, or else across the results.
  const [lane, result, apart] = terms.isContiguous
    ? [`t % ${lanes}u`, `t / ${lanes}u`, 1]
    : [`t / ${perGroup}u`, `t % ${perGroup}u`, perGroup];
  emitter.write(`let lane = ${lane};`);
  emitter.write(`let i = g * ${perGroup}u + ${result};`);
  const isMax = op.kind !== 'sum' && op.kind !== 'matmul';
  const nothing = isMax ? '-3.4028234e38f' : '0.0f';
  emitter.write(`var total = ${nothing};`);
  if (op.kind === 'argmax') emitter.write('var best = 0i;');
  emitter.open(`if (i < ${results}u)`);
  const together = op.kind === 'argmax' ? 1 : Math.min(AT_A_TIME, Math.ceil(terms.count / lanes));
  const isEven = terms.count % (lanes * together) === 0;
  emitter.open(`for (var k = lane; k < ${terms.count}u; k += ${lanes * together}u)`);
  const index = split(variable('i', results), anchor.shape);
  for (let u = 0; u < together; u++) {
    emitter.write(`var term${u}: f32;`);
    emitter.open('');
    emitter.write(`let at = ${u === 0 ? 'k' : `k + ${u * lanes}u`};`);
    const at = variable(isEven || u === 0 ? 'at' : `min(at, ${terms.count - 1}u)`, terms.count);
    const term = terms.at(emitter, index, at);
    const isInside = `at < ${terms.count}u`;
    emitter.write(`term${u} = ${isEven || u === 0 ? term : `select(${nothing}, ${term}, ${isInside})`};`);
    emitter.close();
  }
  const all = each(together, (u) => `term${u}`);
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
  emitter.open(`if (lane == 0u && i < ${results}u)`);
  emitter.given.set(anchor, op.kind === 'argmax' ? 'best' : 'total');
  storeResults(emitter, kernel, stores, variable('i', results));
  emitter.close();
  const groups = Math.ceil(results / perGroup);
  return { body: withParameters(emitter.take()), groups, memory: lanes > 1 ? threads : 0 };
}

interface Terms {
  readonly count: number;
  /** Terms of one result lie side by side in memory. */
  readonly isContiguous: boolean;
  at(emitter: Emitter, index: readonly Affine[], k: Affine): string;
}

/** What a result of a reduction is the sum, maximum or product of. */
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
 * Enough lanes to keep a large GPU busy, or to end soon; few enough for each to have terms, and across the results to read
 * whole cache lines.
 */
function lanesFor(threads: number, results: number, count: number, isContiguous: boolean): number {
  // Lanes are added up in halves, and all threads have a place among them.
  const whole = threads & -threads;
  const most = Math.min(whole, isContiguous ? threads : threads / 8);
  let lanes = 1;
  while (lanes < most && lanes * 2 * AT_A_TIME <= count && (results * lanes < 65536 || count / lanes > 64)) lanes *= 2;
  return lanes;
}

/** Rows and inner dimension up to which a thread works out whole columns of a product. */
const SLIM = 16;

/** Whether a product has so few rows and terms that it is not cut into tiles. */
export function isSlim({ anchor, fold }: Kernel): boolean {
  if (anchor?.op.kind !== 'matmul' || fold !== undefined) return false;
  return anchor.shape[anchor.rank - 2] <= SLIM && innerOf(anchor.inputs[0], anchor.op.transA) <= SLIM;
}

/** A product of a few rows and terms, as when networks are generated: each entry of the right operand is read once. */
function slimCode(kernel: Kernel, stores: Stores, { threads }: Target): KernelCode {
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

  const emitter = new Emitter(stores.placeOf);
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
  const stored = each(rows, (r) => {
    const terms = right.map((value, i) => `shared_[${parameter(r * inner + i)}] * ${value}`);
    emitter.write(`let total${r} = ${terms.join(' + ')};`);
    emitter.given.set(anchor, `total${r}`);
    const linear = join([...z, number(r), column], shape);
    const values = kernel.results.map((result) => emitter.value(result, split(linear, result.shape)));
    return { linear, values };
  });
  for (const { linear, values } of stored) {
    kernel.results.forEach((result, i) => {
      for (const place of stores.placesOf(result)) emitter.store(result, values[i], place, linear);
    });
  }
  emitter.close();
  return { body: withParameters(emitter.take()), groups: sizeOf(batch) * groups, memory: rows * inner };
}

/** A product among those that are done at the same time. */
export function productOf(kernel: Kernel, beside: Pick<Product, 'share' | 'isBesideUpdate'>): Product {
  const { anchor, results } = kernel;
  if (anchor?.op.kind !== 'matmul') throw new Error('a product is a matmul');
  const [rows, columns] = anchor.shape.slice(-2);
  const inner = innerOf(anchor.inputs[0], anchor.op.transA);
  const terms = foldedBy(kernel);
  const batch = sizeOf(anchor.shape.slice(0, -2)) / terms;
  return { rows, columns, inner, batch, terms, results: results.length, ...beside };
}

/**
 * Tiles of a matrix product: parts of both operands are brought into workgroup memory and used from there. While one
 * part is used the next is already on its way, in registers.
 *
 * Workgroup memory is read four numbers at a time; one at a time, reading takes twice as long as adding up. The four are
 * a quarter of the tile apart, so that threads side by side also bring in what lies side by side.
 */
function productCode(kernel: Kernel, stores: Stores, target: Target): KernelCode {
  const { threads } = target;
  const { fold } = kernel;
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
  // Terms of a sum that follows lie side by side in a tile, each with the same columns.
  const covered = width / foldedBy(kernel);
  const [tilesDown, tilesAcross] = [Math.ceil(rows / height), Math.ceil(columns / covered)];
  const quarters = [height / 4, width / 4];
  // Odd, so that threads side by side hit different banks whichever way they go.
  const pitches = quarters.map((quarter) => quarter + (quarter % 2 === 0 ? 1 : 0));
  const startB = depth * pitches[0];
  const parts = Math.ceil(inner / depth);
  const thread = variable('t', threads);
  const batch = shape.slice(0, -2).filter((_, axis) => axis !== fold?.axis);
  const z = split(variable('z', sizeOf(batch)), batch);
  const indexOf = (row: Affine, column: Affine, term: Affine): Affine[] => [
    ...(fold === undefined ? z : insert(z, [fold.axis], [term])),
    row,
    column,
  ];

  const emitter = new Emitter(stores.placeOf);
  emitter.write(`let z = g / ${tilesDown * tilesAcross}u;`);
  emitter.write(`let top = g % ${tilesDown * tilesAcross}u / ${tilesAcross}u * ${height}u;`);
  emitter.write(`let left = g % ${tilesAcross}u * ${covered}u;`);
  // Threads without a place of their own do what the last one does, and store nothing.
  if (active < threads) emitter.write(`let own = min(t, ${active - 1}u);`);
  const own = active < threads ? variable('own', active) : thread;
  const [slice, place] = [divide(own, down * across), modulo(own, down * across)];
  emitter.write(`let down = ${textOf(divide(place, across))};`);
  // There and back: eight threads side by side then always read neighbours, which lie in different banks.
  emitter.write(`let along = ${textOf(modulo(place, across))};`);
  emitter.write(
    `let across = ${across % 8 === 0 ? 'along' : `select(along, ${across - 1}u - along, down % 2u == 1u)`};`,
  );
  for (const name of sumsOf(perThread)) emitter.write(`var ${name} = vec4f();`);

  const operands = ([0, 1] as const).map((which) => {
    const [extent, limit, first] = which === 0 ? [height, rows, 'top'] : [covered, columns, 'left'];
    const quarter = quarters[which];
    const isInnerFast = which === 0 ? !op.transA : op.transB;
    const count = quarter * depth;
    const turns = each(Math.ceil(count / threads), (turn) => {
      const isGuarded = (turn + 1) * threads > count;
      const turned = plus(number(turn * threads), thread);
      const entry = isGuarded ? variable(`min(${textOf(turned)}, ${count - 1}u)`, count) : turned;
      const [k, x] = isInnerFast
        ? [modulo(entry, depth), divide(entry, depth)]
        : [divide(entry, quarter), modulo(entry, quarter)];
      const register = `${which === 0 ? 'a' : 'b'}In${turn}`;
      return { k, x, register, guard: isGuarded ? `${textOf(turned)} < ${count}u` : undefined };
    });
    /** What a thread reads lies in the operand, even where the tile does not: that is not used, or replaced by zero. */
    const load = (): void => {
      for (const { k, x, register } of turns) {
        emitter.open('');
        const term = variable(within(`k0 + ${textOf(k)}`, inner, depth), inner);
        const values = each(4, (i) => {
          const place = plus(x, number(i * quarter));
          const [nth, offset] = [divide(place, extent), modulo(place, extent)];
          const at = variable(within(`${first} + ${textOf(offset)}`, limit, extent), limit);
          const index = which === 0 ? indexOf(at, number(0), number(0)) : indexOf(number(0), at, nth);
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
        const at = plus(number(which === 0 ? 0 : startB), plus(times(k, pitches[which]), x));
        const line = `tile_[${textOf(at)}] = ${register};`;
        emitter.write(guard === undefined ? line : `if (${guard}) { ${line} }`);
      }
    };
    for (const { register } of turns) emitter.write(`var ${register} = vec4f();`);
    return { load, store };
  });

  // The sums change in one place and under no condition: a branch around them makes compilers copy them back and forth.
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
  multiply(emitter, { slice, slices, depth, down, across, perThread, pitches, startB, writtenOut: target.writtenOut });
  emitter.write('workgroupBarrier();');
  emitter.close();

  // Through workgroup memory once more, in rounds of whole quarters of the rows: slices are added up, and threads side by
  // side store side by side.
  const area = (height * width) / rounds;
  const cells = area / 4;
  emitter.open(`for (var round = 0u; round < ${rounds}u; round++)`);
  each(rounds, (round) => {
    emitter.open(`if (${active < threads ? `t < ${active}u && ` : ''}round == ${round}u)`);
    each(perThread.rows, (i) => {
      if (Math.floor(((i % 4) * rounds) / 4) !== round) return;
      const row = `(down + ${Math.floor(i / 4) * down + ((i % 4) - (4 / rounds) * round) * quarters[0]}u)`;
      each(perThread.columns / 4, (j) => {
        const at = `${row} * ${quarters[1]}u + across + ${j * across}u`;
        emitter.write(`tile_[${textOf(times(slice, cells))} + ${at}] = c${i}_${j};`);
      });
    });
    emitter.close();
  });
  emitter.write('workgroupBarrier();');
  const cut: Cut = { ...tile, threads, slices, covered, cells, quarter: quarters[1], indexOf };
  storeEntries(emitter, kernel, stores, cut);
  if (fold !== undefined) storeSums(emitter, kernel, stores, cut);
  if (rounds > 1) emitter.write('workgroupBarrier();');
  emitter.close();
  return {
    body: emitter.take(),
    groups: sizeOf(batch) * tilesDown * tilesAcross,
    memory: 0,
    tiles: Math.max(startB + depth * pitches[1], (slices * area) / 4),
  };
}

/** A tile in workgroup memory, or one of the rounds in which it gets there. */
interface Cut extends Tile {
  readonly threads: number;
  readonly slices: number;
  /** Columns of the product in a tile. */
  readonly covered: number;
  /** Fours of a slice in a round. */
  readonly cells: number;
  /** A quarter of the tile's width, which the numbers of a four are apart. */
  readonly quarter: number;
  readonly indexOf: (row: Affine, column: Affine, term: Affine) => Affine[];
}

/** Adds up the slices and stores what follows, four entries of a row for each thread at a time. */
function storeEntries(emitter: Emitter, { anchor, fold, results }: Kernel, stores: Stores, cut: Cut): void {
  const { threads, slices, covered, cells, quarter, height, rounds, indexOf } = cut;
  const { shape } = anchor!;
  const [rows, columns] = shape.slice(-2);
  const stored = fold === undefined ? results : fold.kept;
  const wanted = fold === undefined ? results : [...fold.kept, fold.sum.inputs[0]];
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
  const partial = each(slices, (i) => `tile_[cell${i > 0 ? ` + ${i * cells}u` : ''}]`);
  emitter.write(`let totals = ${partial.join(' + ')};`);
  // All four before any is stored: their reads are then under way together.
  const names = (i: number): string[] => wanted.map((_, r) => `result${i}_${r}`);
  const entries = each(4, (i) => {
    const place = plus(modulo(cell, quarter), number(i * quarter));
    const column = `column${i}`;
    emitter.write(`let ${column} = left + ${textOf(modulo(place, covered))};`);
    const index = indexOf(variable('row', rows), variable(column, columns), divide(place, covered));
    return { i, linear: join(index, shape), condition: columns % covered === 0 ? '' : `if (${column} < ${columns}u)` };
  });
  for (const { i, linear, condition } of entries) {
    wanted.forEach(({ dtype }, r) => emitter.write(`var ${names(i)[r]}: ${wgslType[dtype]};`));
    emitter.open(condition);
    emitter.given.set(anchor!, `totals.${'xyzw'[i]}`);
    wanted.forEach((result, r) => {
      emitter.write(`${names(i)[r]} = ${emitter.value(result, split(linear, result.shape))};`);
    });
    emitter.close();
  }
  if (fold !== undefined) emitter.write(`tile_[cell] = vec4f(${each(4, (i) => names(i).at(-1)!).join(', ')});`);
  for (const { i, linear, condition } of entries) {
    emitter.open(condition);
    stored.forEach((result, r) => {
      for (const to of stores.placesOf(result)) emitter.store(result, names(i)[r], to, linear);
    });
    emitter.close();
  }
  emitter.close();
  emitter.close();
}

/** Adds up the terms, which are in workgroup memory, and stores what follows from their sum. */
function storeSums(emitter: Emitter, kernel: Kernel, stores: Stores, cut: Cut): void {
  const { threads, covered, quarter, height, rounds, indexOf } = cut;
  const { shape } = kernel.anchor!;
  const { sum, axis } = kernel.fold!;
  const [rows, columns] = shape.slice(-2);
  const sums = (height / rounds) * covered;
  emitter.write('workgroupBarrier();');
  emitter.open(`for (var turn = 0u; turn < ${Math.ceil(sums / threads)}u; turn++)`);
  emitter.write(`let place = turn * ${threads}u + t;`);
  const [down, across] = split(variable('place', sums), [height / rounds, covered]);
  emitter.write(`let row = top + round * ${height / rounds}u + ${textOf(down)};`);
  emitter.write(`let column = left + ${textOf(across)};`);
  const checks = [
    ...(sums % threads === 0 ? [] : [`place < ${sums}u`]),
    ...(rows % height === 0 ? [] : [`row < ${rows}u`]),
    ...(columns % covered === 0 ? [] : [`column < ${columns}u`]),
  ];
  emitter.open(checks.length > 0 ? `if (${checks.join(' && ')})` : '');
  const terms = each(shape[axis], (i) => {
    const place = plus(number(i * covered), across);
    const cell = plus(times(down, quarter), modulo(place, quarter));
    return `tile_[${textOf(cell)}][${textOf(divide(place, quarter))}]`;
  });
  emitter.write(`let sum = ${terms.join(' + ')};`);
  emitter.given.clear();
  emitter.given.set(sum, 'sum');
  const index = indexOf(variable('row', rows), variable('column', columns), number(0)).toSpliced(axis, 1);
  storeResults(emitter, kernel, stores, join(index, sum.shape));
  emitter.close();
  emitter.close();
}

/** A position that never leaves its operand, for tiles that overhang. */
function within(position: string, limit: number, extent: number): string {
  return limit % extent === 0 ? `(${position})` : `min(${position}, ${limit - 1}u)`;
}

/** The sums of a thread, four columns in each. */
function sumsOf(perThread: Tile['perThread']): string[] {
  return each(perThread.rows, (i) => each(perThread.columns / 4, (j) => `c${i}_${j}`)).flat();
}

/** What a thread does with the parts in workgroup memory. */
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
    readonly writtenOut: number;
  },
): void {
  const { slice, slices, depth, down, across, perThread, pitches, startB, writtenOut } = tile;
  const steps = depth / slices;
  const most = Math.max(1, Math.floor(writtenOut / (perThread.rows * perThread.columns)));
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

function each<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}
