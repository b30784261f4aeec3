/**
 * Simplification: the same results from fewer operations. Equal expressions are shared (common subexpression elimination),
 * operations without effect are dropped, and transposes move into matrix products. What no result depends on is never
 * visited and so removed.
 */
import { rewrite, withInputs } from './graph.js';
import type { Graph } from './graph.js';
import { broadcastShapes, sameShape } from './shape.js';
import type { OpKind, Tensor } from './tensor.js';

export function simplify(graph: Graph): Graph {
  /** The tensor for each expression that was met. */
  const shared = new Map<string, Tensor>();
  const ids = new Map<Tensor, number>();
  const share = (node: Tensor): Tensor => {
    const key = keyOf(node, ids);
    const equal = shared.get(key);
    if (equal !== undefined) return equal;
    shared.set(key, node);
    ids.set(node, ids.size);
    return node;
  };
  /** Applies rules until none fits. The tensors that a rule makes are simplified and shared in turn. */
  const settle = (node: Tensor): Tensor => {
    if (ids.has(node)) return node;
    const settled = withInputs(node, node.inputs.map(settle));
    const better = improve(settled);
    return better === settled ? share(settled) : settle(better);
  };
  return rewrite(graph, (node, inputs) => settle(withInputs(node, inputs)));
}

const broadcasting: ReadonlySet<OpKind> = new Set<OpKind>([
  ...(['add', 'sub', 'mul', 'div', 'minimum', 'maximum', 'less', 'lessEqual', 'equal', 'select'] as const),
]);

/** One rule applied at the root, or the tensor itself where none fits. */
function improve(node: Tensor): Tensor {
  const { op, inputs } = node;
  const [a, b] = inputs;
  if (broadcasting.has(op.kind)) {
    const bare = withoutBroadcasts(node);
    if (bare !== node) return bare;
  }
  switch (op.kind) {
    case 'stopGradient':
      return a;
    case 'neg':
      return a.op.kind === 'neg' ? a.inputs[0] : node;
    case 'add':
      if (isNumber(b, 0) && sameShape(a.shape, node.shape)) return a;
      if (isNumber(a, 0) && sameShape(b.shape, node.shape)) return b;
      return b.op.kind === 'neg' ? a.sub(b.inputs[0]) : node;
    case 'sub':
      if (isNumber(b, 0) && sameShape(a.shape, node.shape)) return a;
      return b.op.kind === 'neg' ? a.add(b.inputs[0]) : node;
    case 'mul':
      return improveProduct(node);
    case 'div':
      return isNumber(b, 1) && sameShape(a.shape, node.shape) ? a : node;
    case 'reshape':
      return a.op.kind === 'reshape' ? a.inputs[0].reshape(node.shape) : node;
    case 'broadcast':
      return a.op.kind === 'broadcast' ? a.inputs[0].broadcastTo(node.shape) : node;
    case 'transpose': {
      if (a.op.kind !== 'transpose') return node;
      const inner = a.op.order;
      return a.inputs[0].transpose(op.order.map((axis) => inner[axis]));
    }
    case 'slice': {
      if (a.op.kind === 'slice' && a.op.axis === op.axis) {
        return a.inputs[0].slice(op.axis, a.op.start + op.start, node.shape[op.axis]);
      }
      return a.op.kind === 'concat' && a.op.axis === op.axis ? sliceOfConcat(node, a, op.axis, op.start) : node;
    }
    case 'matmul': {
      const [left, flipA] = untransposed(a);
      const [right, flipB] = untransposed(b);
      if (!flipA && !flipB) return node;
      return left.matmul(right, { transA: op.transA !== flipA, transB: op.transB !== flipB });
    }
    default:
      return node;
  }
}

/** Moves scalar factors to the right and merges them, so that a large tensor is multiplied once: (x * 2) * 3 is x * 6. */
function improveProduct(node: Tensor): Tensor {
  const [a, b] = node.inputs;
  if (node.dtype !== 'float32') return node;
  if (isNumber(b, 1) && sameShape(a.shape, node.shape)) return a;
  if (isNumber(a, 1) && sameShape(b.shape, node.shape)) return b;
  const [narrowA, narrowB] = [isNarrow(a, node), isNarrow(b, node)];
  if (narrowA && !narrowB) return b.mul(a);
  const inner = narrowB ? scaled(a) : undefined;
  if (inner === undefined) return node;
  const [left, right] = [numberOf(inner[1]), numberOf(b)];
  if (left === undefined || right === undefined) return inner[0].mul(inner[1].mul(b));
  // Not where the merged factor overflows or underflows float32: 0 would become NaN, or everything 0.
  const merged = Math.fround(left * right);
  return Number.isFinite(merged) && (merged !== 0 || left === 0 || right === 0) ? inner[0].mul(merged) : node;
}

/** x and s of a product x * s of a large tensor with a scalar. */
function scaled(x: Tensor): readonly [Tensor, Tensor] | undefined {
  if (x.op.kind !== 'mul') return undefined;
  const [wide, narrow] = x.inputs;
  return isNarrow(narrow, x) && sameShape(wide.shape, x.shape) ? [wide, narrow] : undefined;
}

/** Whether a factor is one number, or one for each entry of the first axis, which replication makes of a scalar. */
function isNarrow(x: Tensor, product: Tensor): boolean {
  return product.size > x.size && (x.size === 1 || (x.rank === product.rank && x.size === x.shape[0]));
}

/** Drops broadcasts of operands that an elementwise operation would broadcast by itself. */
function withoutBroadcasts(node: Tensor): Tensor {
  const bare = node.inputs.map((x) => (x.op.kind === 'broadcast' ? x.inputs[0] : x));
  if (bare.every((x, i) => x === node.inputs[i])) return node;
  const shape = broadcastShapes(...bare.map((x) => x.shape));
  if (shape !== undefined && sameShape(shape, node.shape)) return withInputs(node, bare);
  return node;
}

/** A slice that lies within one part of a concatenation needs only that part. */
function sliceOfConcat(node: Tensor, whole: Tensor, axis: number, start: number): Tensor {
  const size = node.shape[axis];
  let first = 0;
  for (const part of whole.inputs) {
    const end = first + part.shape[axis];
    if (start >= first && start + size <= end) return part.slice(axis, start - first, size);
    first = end;
  }
  return node;
}

function untransposed(x: Tensor): [Tensor, boolean] {
  if (x.op.kind !== 'transpose') return [x, false];
  const { order } = x.op;
  const last = order.length - 1;
  const swapsLastTwo = order.every((axis, i) => axis === (i === last ? last - 1 : i === last - 1 ? last : i));
  return swapsLastTwo ? [x.inputs[0], true] : [x, false];
}

function numberOf(x: Tensor): number | undefined {
  const bare = x.op.kind === 'broadcast' ? x.inputs[0] : x;
  return bare.op.kind === 'constant' && bare.size === 1 && bare.dtype === 'float32' ? bare.op.values[0] : undefined;
}

function isNumber(x: Tensor, value: number): boolean {
  return numberOf(x) === value;
}

function keyOf(node: Tensor, ids: ReadonlyMap<Tensor, number>): string {
  const inputs = node.inputs.map((x) => ids.get(x)).join();
  const { kind, ...rest } = node.op;
  const attributes = Object.values(rest as Record<string, unknown>).map((value) =>
    value instanceof Float64Array ? textOf(value, ids) : String(value),
  );
  return `${kind}(${inputs})${attributes.join(';')}:${node.dtype}[${node.shape.join()}]`;
}

/** Small constants compare by value, with the sign of zero; a large table is equal only to itself. */
function textOf(values: Float64Array, ids: ReadonlyMap<Tensor, number>): string {
  if (values.length > 64) return `table ${ids.size}`;
  return Array.from(values, (value) => (Object.is(value, -0) ? '-0' : String(value))).join();
}
