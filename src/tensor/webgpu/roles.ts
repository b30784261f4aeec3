/**
 * How the GPU computes each kind of tensor: sources are read from memory, inline tensors are computed inside the kernel
 * that uses them, and reductions and matrix products are the anchors that kernels are built around. The rewriting
 * before planning, the planner and the code generator all ask here, so they agree.
 */
import { sizeOf } from '../shape.js';
import { Tensor } from '../tensor.js';
import type { OpKind } from '../tensor.js';

export type Role = 'source' | 'inline' | 'reduce' | 'product';

/** Sums of up to this many terms are inlined. */
export const INLINE_SUM = 16;
/** Matrix products with an inner dimension up to this are inlined. */
const INLINE_PRODUCT = 4;
/** Likewise where there are few results, because a kernel for so little work would mostly be waiting. */
const INLINE_SMALL_PRODUCT = { inner: 10, results: 4096 } as const;
/** Inner dimension up to which a product is inlined if it is only added to another product, as a low-rank term is. */
const INLINE_ADDEND = 16;
/** Terms in all up to which a thin product is a reduction, in which results do not share what they read. */
const THIN_PRODUCT_TERMS = 2e6;

const elementwise: ReadonlySet<OpKind> = new Set<OpKind>([
  ...(['neg', 'abs', 'exp', 'log', 'sqrt', 'tanh', 'relu', 'acos', 'cast', 'stopGradient'] as const),
  ...(['add', 'sub', 'mul', 'div', 'minimum', 'maximum', 'less', 'lessEqual', 'equal', 'select'] as const),
]);

export function roleOf({ op, inputs, shape }: Tensor): Role {
  switch (op.kind) {
    case 'leaf':
    case 'constant':
      return 'source';
    case 'sum':
    case 'max':
    case 'argmax':
      return inputs[0].size / sizeOf(shape) <= INLINE_SUM ? 'inline' : 'reduce';
    case 'matmul': {
      const [rows, columns] = shape.slice(-2);
      const inner = innerOf(inputs[0], op.transA);
      if (inner <= INLINE_PRODUCT) return 'inline';
      if (inner <= INLINE_SMALL_PRODUCT.inner && sizeOf(shape) <= INLINE_SMALL_PRODUCT.results) return 'inline';
      // Too thin for tiles: each entry is a reduction of its own.
      const isThin = Math.min(rows, columns) <= 12 && inner >= 32 && !sharesLeft({ inputs, shape });
      return isThin && sizeOf(shape) * inner <= THIN_PRODUCT_TERMS ? 'reduce' : 'product';
    }
    case 'scatterAdd':
      throw new Error('a scatter is rewritten as a sum before planning');
    default:
      return 'inline';
  }
}

/** Whether a tensor needs a kernel that is built around it. */
export function isAnchor(x: Tensor): boolean {
  return roleOf(x) === 'product' || roleOf(x) === 'reduce';
}

/** Whether a product is short enough to be inlined where it is added to another product. */
export function isInlineAddend({ op, inputs }: Tensor): boolean {
  return op.kind === 'matmul' && innerOf(inputs[0], op.transA) <= INLINE_ADDEND;
}

/** Whether several products of a batch have the same left operand: together they are one product with more columns. */
export function sharesLeft({ inputs: [left], shape }: Pick<Tensor, 'inputs' | 'shape'>): boolean {
  return sizeOf(left.shape.slice(0, -2)) < sizeOf(shape.slice(0, -2));
}

/** The inner dimension of a matrix product with this left operand. */
export function innerOf(left: Tensor, transA: boolean): number {
  return left.shape[left.rank - (transA ? 2 : 1)];
}

export function isElementwise({ op }: Tensor): boolean {
  return elementwise.has(op.kind);
}

export function isReduction({ op }: Tensor): boolean {
  return op.kind === 'sum' || op.kind === 'max' || op.kind === 'argmax';
}

/** Whether a tensor only selects entries of others, which costs no arithmetic. */
export function isView({ op }: Tensor): boolean {
  return ['reshape', 'transpose', 'slice', 'broadcast', 'concat', 'gather', 'stopGradient'].includes(op.kind);
}

/** Whether a tensor has all entries of its input, in another order or repeated. */
export function isRearrangement({ op }: Tensor): boolean {
  return op.kind === 'reshape' || op.kind === 'transpose' || op.kind === 'broadcast';
}

/** Constants that become literals in the code and need no memory: one value throughout, or 0, 1, 2, ... */
export function isLiteral({ op }: Tensor): boolean {
  if (op.kind !== 'constant') return false;
  const { values } = op;
  const isUniform = Number.isFinite(Math.fround(values[0])) && values.every((value) => Object.is(value, values[0]));
  return isUniform || isIota(values);
}

/** Whether values are 0, 1, 2, ... */
export function isIota(values: Float64Array): boolean {
  return values.every((value, i) => value === i);
}

/** A copy of a tensor, which is computed rather than read. */
export function copyOf(x: Tensor): Tensor {
  return new Tensor({ kind: 'stopGradient' }, [x], x.shape, x.dtype);
}
