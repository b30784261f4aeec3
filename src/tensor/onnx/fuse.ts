import type { Graph } from '../graph.js';
import { sameShape } from '../shape.js';
import type { Tensor } from '../tensor.js';
import { arithmetic } from './wasm.js';

/**
 * State updates that are arithmetic on tensors of one shape, entry by entry: an optimiser's step, a soft update.
 * onnxruntime would run them one operation at a time and its Node binding copies every result once more; as one
 * loop they read and write each number once, in place. `npm run bench -- engine` measures both.
 */
export interface UpdateGroup {
  /** What is computed, each after its inputs. */
  readonly body: readonly Tensor[];
  /** State entries that are read, by the leaf that stands for them. */
  readonly state: ReadonlyMap<Tensor, string>;
  /** Tensors of the same shape that the rest of the graph has to provide. */
  readonly arrays: readonly Tensor[];
  /** Single numbers, one for each entry of the first axis where there are replicas. */
  readonly scalars: readonly Tensor[];
  /** The state entries that are written. */
  readonly updates: ReadonlyMap<string, Tensor>;
}

export interface Partition {
  readonly groups: readonly UpdateGroup[];
  /** Updates that are left to the rest of the graph. */
  readonly rest: ReadonlyMap<string, Tensor>;
}

export function partition(graph: Graph): Partition {
  const entries = new Map([...graph.state].map(([name, leaf]) => [leaf, name]));
  const islands = [...graph.updates]
    .filter(([, root]) => root.size > 1 && isFusible(root))
    .map(([name, root]) => exploreIsland(name, root, entries));
  const groups = joinIslands(islands)
    .map(toGroup)
    // An array that comes in costs as much as one that goes out: without a gain in number there is none in time.
    .filter((group) => group.arrays.length < group.updates.size);
  const fused = new Set(groups.flatMap((group) => [...group.updates.keys()]));
  return { groups, rest: new Map([...graph.updates].filter(([name]) => !fused.has(name))) };
}

interface Island {
  readonly updates: Map<string, Tensor>;
  readonly body: Set<Tensor>;
  readonly state: Map<Tensor, string>;
  readonly arrays: Set<Tensor>;
  readonly scalars: Set<Tensor>;
}

function exploreIsland(name: string, root: Tensor, entries: ReadonlyMap<Tensor, string>): Island {
  const island: Island = {
    updates: new Map([[name, root]]),
    body: new Set(),
    state: new Map(),
    arrays: new Set(),
    scalars: new Set(),
  };
  const visit = (node: Tensor): void => {
    if (island.body.has(node) || isNumber(node)) return;
    const entry = entries.get(node);
    if (!sameShape(node.shape, root.shape)) {
      island.scalars.add(node);
    } else if (entry !== undefined) {
      island.state.set(node, entry);
    } else if (isFusible(node)) {
      node.inputs.forEach(visit);
      // After its inputs: a set keeps the order.
      island.body.add(node);
    } else {
      island.arrays.add(node);
    }
  };
  visit(root);
  return island;
}

/** Islands that share work, or of which one reads what the other writes, run as one. */
function joinIslands(islands: readonly Island[]): Island[] {
  const joined: Island[] = [];
  for (const island of islands) {
    const touched = namesOf(island);
    const related = joined.filter(
      (other) =>
        [...island.body].some((node) => other.body.has(node)) || [...namesOf(other)].some((name) => touched.has(name)),
    );
    for (const other of related) joined.splice(joined.indexOf(other), 1);
    joined.push([...related, island].reduce(merge));
  }
  return joined;
}

function namesOf(island: Island): Set<string> {
  return new Set([...island.updates.keys(), ...island.state.values()]);
}

function merge(a: Island, b: Island): Island {
  return {
    updates: new Map([...a.updates, ...b.updates]),
    body: new Set([...a.body, ...b.body]),
    state: new Map([...a.state, ...b.state]),
    arrays: new Set([...a.arrays, ...b.arrays]),
    scalars: new Set([...a.scalars, ...b.scalars]),
  };
}

function toGroup(island: Island): UpdateGroup {
  return { ...island, body: [...island.body], arrays: [...island.arrays], scalars: [...island.scalars] };
}

function isFusible(node: Tensor): boolean {
  if (node.dtype !== 'float32' || !(Object.hasOwn(arithmetic, node.op.kind) || node.op.kind === 'relu')) return false;
  return node.inputs.every((input) => sameShape(input.shape, node.shape) || isScalarFor(input, node));
}

/** One number, or one for each entry of the first axis: what a scalar becomes in replicas. */
function isScalarFor(x: Tensor, node: Tensor): boolean {
  return x.size === 1 || (x.rank === node.rank && x.rank > 1 && x.size === x.shape[0]);
}

export function isNumber(x: Tensor): boolean {
  return x.op.kind === 'constant' && x.size === 1;
}
