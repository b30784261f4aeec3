/**
 * Writes the WGSL that computes single entries of tensors. Starting from a result, it goes back through the operations that
 * are inlined until it reaches tensors in memory, and reuses what a scope has computed already. Kernels
 * (`kernels.ts`, `tiled-product.ts`) put loops around this code.
 */
import type { DType, Shape } from '../shape.js';
import { sizeOf } from '../shape.js';
import type { Tensor } from '../tensor.js';
import { join, maximum, number, plus, split, textOf, variable } from './affine.js';
import type { Affine } from './affine.js';
import { innerOf, isIota, isLiteral } from './roles.js';

/** Where a tensor is in memory: a buffer by its name in the shader, and an offset in entries. */
export interface Place {
  readonly buffer: string;
  readonly offset: number;
}

/** Types of variables. Buffers hold 32-bit words, which loads and stores reinterpret as these. */
export const wgslType: Readonly<Record<DType, string>> = { float32: 'f32', int32: 'i32', bool: 'bool' };

/** A concatenation reads up to this many entries of its parts and selects one, rather than branch. */
const BRANCHLESS_READS = 4;

/** Collects lines of code in nested scopes. Views do not become code: they change the index at which something is read. */
export class Emitter {
  private lines: string[] = [];
  private readonly scopes = [new Map<string, string>()];
  private readonly ids = new Map<Tensor, number>();
  private fresh = 0;

  /** `placeOf` finds tensors that are read from memory; `given` holds those that are in a variable already. */
  constructor(
    private readonly placeOf: (tensor: Tensor) => Place | undefined,
    readonly given = new Map<Tensor, string>(),
  ) {}

  /** The lines that were written since the last call. */
  take(): string {
    const text = this.lines.join('\n');
    this.lines = [];
    return text;
  }

  /** Starts a block; variables that are defined in it end with it. */
  open(line: string): void {
    this.lines.push(`${line} {`);
    this.scopes.push(new Map());
  }

  close(): void {
    this.scopes.pop();
    this.lines.push('}');
  }

  write(line: string): void {
    this.lines.push(line);
  }

  /** Computes one entry; returns the name of its variable, or a literal. */
  value(tensor: Tensor, index: readonly Affine[]): string {
    const available = this.given.get(tensor) ?? literalOf(tensor, index);
    if (available !== undefined) return available;
    const key = `${this.idOf(tensor)}[${index.map(textOf).join()}]`;
    for (const scope of this.scopes) {
      const known = scope.get(key);
      if (known !== undefined) return known;
    }
    const place = this.placeOf(tensor);
    const name =
      place === undefined
        ? this.compute(tensor, index)
        : this.bind(load(tensor.dtype, place, join(index, tensor.shape)));
    this.scopes[this.scopes.length - 1].set(key, name);
    return name;
  }

  store(tensor: Tensor, value: string, { buffer, offset }: Place, position: Affine): void {
    const word = tensor.dtype === 'bool' ? `select(0u, 1u, ${value})` : `bitcast<u32>(${value})`;
    this.lines.push(`${buffer}[${parameter(offset)} + ${textOf(position)}] = ${word};`);
  }

  private bind(expression: string): string {
    const name = `v${this.fresh++}`;
    this.lines.push(`let ${name} = ${expression};`);
    return name;
  }

  private idOf(tensor: Tensor): number {
    const id = this.ids.get(tensor) ?? this.ids.size;
    this.ids.set(tensor, id);
    return id;
  }

  private compute(tensor: Tensor, index: readonly Affine[]): string {
    const { op, inputs, shape } = tensor;
    const [a, b] = inputs;
    switch (op.kind) {
      case 'leaf':
      case 'constant':
      case 'scatterAdd':
        throw new Error(`${op.kind} is not computed entry by entry`);
      case 'reshape':
        return this.value(a, split(join(index, shape), a.shape));
      case 'transpose':
        return this.value(
          a,
          a.shape.map((_, axis) => index[op.order.indexOf(axis)]),
        );
      case 'broadcast':
        return this.value(a, broadcastIndex(index, a.shape));
      case 'slice':
        return this.value(a, index.with(op.axis, plus(index[op.axis], number(op.start))));
      case 'concat':
        return this.concat(tensor, op.axis, index);
      case 'gather': {
        const rows = a.shape[op.batchAxes];
        const row = this.value(b, index.slice(0, b.rank));
        // Clamped, so that no index leaves the buffer: Dawn's own checks are off.
        const clamped = variable(`min(u32(${row}), ${rows - 1}u)`, rows);
        return this.value(a, [...index.slice(0, op.batchAxes), clamped, ...index.slice(b.rank)]);
      }
      case 'sum':
      case 'max': {
        const terms = eachIndex(op.axes.map((axis) => a.shape[axis])).map((term) =>
          this.value(a, insert(index, op.axes, term.map(number))),
        );
        return this.bind(op.kind === 'sum' ? terms.join(' + ') : terms.reduce((x, y) => `max(${x}, ${y})`));
      }
      case 'argmax':
        return this.argmax(a, op.axis, index);
      case 'matmul': {
        const inner = Array.from({ length: innerOf(a, op.transA) }, (_, k) => number(k));
        return this.bind(inner.map((k) => this.productTerm(tensor, index, k)).join(' + '));
      }
      default: {
        const operands = inputs.map((input) => this.value(input, broadcastIndex(index, input.shape)));
        return this.bind(operation(tensor, operands));
      }
    }
  }

  /** Term `k` of the sum that an entry of a matrix product is. */
  productTerm(product: Tensor, index: readonly Affine[], k: Affine): string {
    const [left, right] = operandIndices(product, index, k);
    return `${this.value(product.inputs[0], left)} * ${this.value(product.inputs[1], right)}`;
  }

  private concat(tensor: Tensor, axis: number, index: readonly Affine[]): string {
    const along = index[axis];
    const parts: { part: Tensor; start: number; end: number }[] = [];
    let end = 0;
    for (const part of tensor.inputs) {
      const start = end;
      end += part.shape[axis];
      const isPast = along.terms.length === 0 && along.constant >= end;
      if (!isPast && start <= maximum(along)) parts.push({ part, start, end });
    }
    const [first] = parts;
    if (parts.length === 1) return this.value(first.part, index.with(axis, plus(along, number(-first.start))));
    const position = this.bind(textOf(along));
    if (parts.reduce((sum, { part }) => sum + this.readsOf(part), 0) <= BRANCHLESS_READS) {
      // All parts are read and one is selected: branches would keep a thread from having several reads under way. A position
      // outside a part is clamped to it; below its start the subtraction wraps around to a large number.
      const values = parts.map(({ part, start }) => {
        const inside = variable(`min(${position} - ${start}u, ${part.shape[axis] - 1}u)`, part.shape[axis]);
        return { start, value: this.value(part, index.with(axis, inside)) };
      });
      const chosen = values.reduce(
        (text, { start, value }) => (text === '' ? value : `select(${text}, ${value}, ${position} >= ${start}u)`),
        '',
      );
      return this.bind(chosen);
    }
    const name = `v${this.fresh++}`;
    this.lines.push(`var ${name}: ${wgslType[tensor.dtype]};`);
    parts.forEach(({ part, start, end: stop }, i) => {
      const condition = i === parts.length - 1 ? '' : `if (${position} < ${stop}u)`;
      this.open(i === 0 ? condition : `else ${condition}`);
      // A variable rather than a sum, because in its branch the position is within this part.
      const inside = variable(start === 0 ? position : `(${position} - ${start}u)`, part.shape[axis]);
      this.lines.push(`${name} = ${this.value(part, index.with(axis, inside))};`);
      this.close();
    });
    return name;
  }

  /** Entries that are read for one entry of a tensor in memory, or of a view of such; infinite for all others. */
  private readsOf(tensor: Tensor): number {
    if (isLiteral(tensor) || this.placeOf(tensor) !== undefined) return 1;
    switch (tensor.op.kind) {
      case 'reshape':
      case 'transpose':
      case 'slice':
      case 'broadcast':
      case 'concat':
        return tensor.inputs.reduce((sum, x) => sum + this.readsOf(x), 0);
      case 'gather':
        // The index is usually read for other entries too, so only the larger of the two counts.
        return Math.max(...tensor.inputs.map((x) => this.readsOf(x)));
      default:
        return Infinity;
    }
  }

  private argmax(x: Tensor, axis: number, index: readonly Affine[]): string {
    const best = `v${this.fresh++}`;
    const argument = `v${this.fresh++}`;
    const values = Array.from({ length: x.shape[axis] }, (_, i) => this.value(x, insert(index, [axis], [number(i)])));
    this.lines.push(`var ${best} = ${values[0]};`, `var ${argument} = 0i;`);
    values.slice(1).forEach((value, i) => {
      this.lines.push(`if (${value} > ${best}) { ${best} = ${value}; ${argument} = ${i + 1}i; }`);
    });
    return argument;
  }
}

/** Marks a number in which kernels that share code may differ. */
export function parameter(value: number): string {
  return `#${value}#`;
}

function load(dtype: DType, { buffer, offset }: Place, position: Affine): string {
  const word = `${buffer}[${parameter(offset)} + ${textOf(position)}]`;
  return dtype === 'bool' ? `${word} != 0u` : `bitcast<${wgslType[dtype]}>(${word})`;
}

/** The index at which an operand that is broadcast is read. */
export function broadcastIndex(index: readonly Affine[], shape: Shape): Affine[] {
  const lead = index.length - shape.length;
  return shape.map((size, axis) => (size === 1 ? number(0) : index[lead + axis]));
}

/** The indices of the two factors of term `k` of a matrix product. */
export function operandIndices(product: Tensor, index: readonly Affine[], k: Affine): [Affine[], Affine[]] {
  const { op, inputs } = product;
  if (op.kind !== 'matmul') throw new Error('only products have operands');
  const [row, column] = index.slice(-2);
  const batch = index.slice(0, -2);
  const [a, b] = inputs;
  return [
    [...broadcastIndex(batch, a.shape.slice(0, -2)), ...(op.transA ? [k, row] : [row, k])],
    [...broadcastIndex(batch, b.shape.slice(0, -2)), ...(op.transB ? [column, k] : [k, column])],
  ];
}

/** An index with entries inserted at the given axes, which are those of the longer index in ascending order. */
export function insert(index: readonly Affine[], axes: readonly number[], entries: readonly Affine[]): Affine[] {
  const full = [...index];
  axes.forEach((axis, i) => full.splice(axis, 0, entries[i]));
  return full;
}

function eachIndex(shape: Shape): number[][] {
  const count = sizeOf(shape);
  return Array.from({ length: count }, (_, i) => split(number(i), shape).map(({ constant }) => constant));
}

function literalOf(tensor: Tensor, index: readonly Affine[]): string | undefined {
  const { op, dtype, shape } = tensor;
  if (op.kind !== 'constant' || !isLiteral(tensor)) return undefined;
  if (op.values.length > 1 && isIota(op.values)) return `${wgslType[dtype]}(${textOf(join(index, shape))})`;
  return literal(op.values[0], dtype);
}

export function literal(value: number, dtype: DType): string {
  if (dtype === 'bool') return String(value !== 0);
  if (dtype === 'int32') return value === -2147483648 ? 'i32(-2147483648)' : `${value}i`;
  const rounded = Math.fround(value);
  const digits = Object.is(rounded, -0) ? '-0' : String(rounded);
  return `${/[.e]/.test(digits) ? digits : `${digits}.0`}f`;
}

function operation(tensor: Tensor, [a, b, c]: readonly string[]): string {
  const { op, inputs, dtype } = tensor;
  switch (op.kind) {
    case 'neg':
      return `-(${a})`;
    case 'abs':
    case 'exp':
    case 'log':
    case 'sqrt':
      return `${op.kind}(${a})`;
    case 'tanh':
      return `accurateTanh(${a})`;
    case 'acos':
      return `accurateAcos(${a})`;
    case 'relu':
      return `max(${a}, 0.0f)`;
    case 'add':
      return `${a} + ${b}`;
    case 'sub':
      return `${a} - ${b}`;
    case 'mul':
      return `${a} * ${b}`;
    case 'div':
      return `${a} / ${b}`;
    case 'minimum':
      return `min(${a}, ${b})`;
    case 'maximum':
      return `max(${a}, ${b})`;
    case 'less':
      return `${a} < ${b}`;
    case 'lessEqual':
      return `${a} <= ${b}`;
    case 'equal':
      return `${a} == ${b}`;
    case 'select':
      return `select(${c}, ${b}, ${a})`;
    case 'stopGradient':
      return a;
    case 'cast': {
      if (dtype === 'bool') return inputs[0].dtype === 'int32' ? `${a} != 0i` : `${a} != 0.0f`;
      return inputs[0].dtype === 'bool'
        ? `select(${literal(0, dtype)}, ${literal(1, dtype)}, ${a})`
        : `${wgslType[dtype]}(${a})`;
    }
    default:
      throw new Error(`${op.kind} is not an operation on single entries`);
  }
}

/**
 * WGSL's own functions are imprecise: acos may be off by 1e-3, and a tanh made of exponentials overflows. These are accurate
 * to a few units in the last place (acos after the rational approximation of fdlibm's asinf).
 */
const functions = {
  accurateTanh: `
fn accurateTanh(x: f32) -> f32 {
  let size = abs(x);
  let square = x * x;
  let terms = -0.0539682f + square * (0.0218694f + square * (-0.0088632f + square * 0.0030f));
  let small = x + x * square * (-0.33333333f + square * (0.13333333f + square * terms));
  let large = sign(x) * (1.0f - 2.0f / (exp(2.0f * min(size, 10.0f)) + 1.0f));
  return select(large, small, size < 0.5f);
}`,
  accurateAcos: `
fn asinExcess(z: f32) -> f32 {
  return z * (0.16666587f + z * (-0.042743422f + z * -0.008656363f)) / (1.0f - 0.70662963f * z);
}
fn accurateAcos(x: f32) -> f32 {
  let size = abs(x);
  let half = (1.0f - size) * 0.5f;
  let root = sqrt(half);
  let near = 2.0f * (root + root * asinExcess(half));
  let centre = 1.5707964f - (x + x * asinExcess(x * x));
  return select(select(near, 3.1415927f - near, x < 0.0f), centre, size < 0.5f);
}`,
};

/** The definitions of those functions that some code calls. */
export function functionsFor(code: readonly string[]): string[] {
  return Object.entries(functions).flatMap(([name, definition]) =>
    code.some((text) => text.includes(`${name}(`)) ? [definition] : [],
  );
}
