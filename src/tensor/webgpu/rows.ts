/**
 * Kernels that work row by row. Layer normalisation and softmax reduce each row to a few numbers and compute the row's entries
 * from them; as one kernel, that is one dispatch instead of three. This file finds out where the planner may
 * merge kernels so: what one needs of the other must belong to the row that its threads work on.
 */
import { sameShape } from '../shape.js';
import type { Tensor } from '../tensor.js';
import type { Kernel } from './kernel.js';
import { isElementwise } from './roles.js';

/** Whether a kernel is a sum or maximum over the last axis: each of its results is that of a row. */
export function isRowReduction({ kind, anchor }: Kernel): boolean {
  if (kind !== 'reduce' || (anchor!.op.kind !== 'sum' && anchor!.op.kind !== 'max')) return false;
  const { axes } = anchor!.op;
  return axes.length === 1 && axes[0] === anchor!.inputs[0].rank - 1;
}

/**
 * Whether two reductions have the same rows, and the terms of the later one depend on the results of the earlier one, but only
 * on those of their own row. Where only its epilogue depends on them, both can run at the same time.
 */
export function canFollowInRow(later: Kernel, earlier: Kernel, isRead: (tensor: Tensor) => boolean): boolean {
  if (!isRowReduction(later) || !isRowReduction(earlier)) return false;
  const [terms] = later.anchor!.inputs;
  if (!sameShape(terms.shape, earlier.anchor!.inputs[0].shape)) return false;
  const uses = new RowUses(later, earlier, isRead);
  return uses.visit(terms, 'entry') && uses.isAny && later.results.every((result) => uses.visit(result, 'row'));
}

/** Whether the results of a map are entries of the rows of a reduction, and each depends on it only through its own row. */
export function isMapOfRows(map: Kernel, reduction: Kernel, isRead: (tensor: Tensor) => boolean): boolean {
  if (!isRowReduction(reduction)) return false;
  const { shape } = reduction.anchor!.inputs[0];
  const uses = new RowUses(map, reduction, isRead);
  return map.results.every((result) => sameShape(result.shape, shape) && uses.visit(result, 'entry'));
}

/** How a tensor is indexed where it is used: by the row, by the row and the position in it, or in any other way. */
type Index = 'row' | 'entry' | 'other';

/** The uses that a kernel makes of what a reduction of rows stores. */
class RowUses {
  /** Whether there was any use in what was visited. */
  isAny = false;
  private readonly visited: Record<Index, Set<Tensor>> = { row: new Set(), entry: new Set(), other: new Set() };
  private readonly ownReductions: ReadonlySet<Tensor | undefined>;

  constructor(
    kernel: Kernel,
    private readonly reduction: Kernel,
    private readonly isRead: (tensor: Tensor) => boolean,
  ) {
    this.ownReductions = new Set([...(kernel.rows?.earlier ?? []), kernel.anchor]);
  }

  /** Whether a tensor of the kernel, indexed in a given way, uses only what belongs to its own row. */
  visit(node: Tensor, by: Index): boolean {
    const { results, rows } = this.reduction;
    if (results.includes(node) || rows?.entries.includes(node)) {
      this.isAny = true;
      return by === (results.includes(node) ? 'row' : 'entry');
    }
    if (this.visited[by].has(node) || this.isRead(node)) return true;
    this.visited[by].add(node);
    const isReduced = by === 'row' && this.ownReductions.has(node);
    return node.inputs.every((input) => this.visit(input, isReduced ? 'entry' : indexOfInput(input, node, by)));
  }
}

/** How an input is indexed where its user is indexed in a given way. */
function indexOfInput(input: Tensor, user: Tensor, by: Index): Index {
  const { op, shape } = user;
  if (op.kind === 'reshape') return by === 'row' || input.shape.at(-1) === shape.at(-1) ? by : 'other';
  if (!isElementwise(user) && op.kind !== 'broadcast') return 'other';
  if (sameShape(input.shape, shape)) return by;
  return by === 'entry' && sameShape(input.shape, [...shape.slice(0, -1), 1]) ? 'row' : 'other';
}
