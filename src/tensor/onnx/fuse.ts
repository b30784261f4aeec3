/**
 * Finds the state updates of a graph that are elementwise arithmetic on tensors of one shape, such as an optimiser's step and
 * soft updates. onnxruntime runs them one operation at a time and its Node binding copies every result; one fused
 * loop reads and writes each number once, in place. `npm run bench -- engine` measures both.
 */
import type { Graph } from '../graph.js';
import { sameShape } from '../shape.js';
import type { Tensor } from '../tensor.js';
import { arithmetic } from './wasm.js';

/** Updates of one shape that share a loop. */
export interface UpdateGroup {
  /** The operations, in topological order. */
  readonly body: readonly Tensor[];
  /** Names of the state entries that are read, by their leaves. */
  readonly state: ReadonlyMap<Tensor, string>;
  /** Tensors of the same shape that the ONNX model computes. */
  readonly arrays: readonly Tensor[];
  /** Single numbers that the ONNX model computes; with replicas one for each entry of the first axis. */
  readonly scalars: readonly Tensor[];
  /** The new values of state entries by name. */
  readonly updates: ReadonlyMap<string, Tensor>;
}

export interface Partition {
  readonly groups: readonly UpdateGroup[];
  /** Updates that are left to the ONNX model. */
  readonly rest: ReadonlyMap<string, Tensor>;
}

export function partition(graph: Graph): Partition {
  const entries = new Map([...graph.state].map(([name, leaf]) => [leaf, name]));
  const regions = [...graph.updates]
    .filter(([, root]) => root.size > 1 && isFusible(root))
    .map(([name, root]) => fusibleRegion(name, root, entries));
  const groups = joinRegions(regions)
    .map(toGroup)
    // Passing an array in takes as long as passing one out, so fusion pays only if there are fewer of them.
    .filter((group) => group.arrays.length < group.updates.size);
  const fused = new Set(groups.flatMap((group) => [...group.updates.keys()]));
  return { groups, rest: new Map([...graph.updates].filter(([name]) => !fused.has(name))) };
}

/** The fusible operations that lead to an update, and what they read. */
interface Region {
  readonly updates: Map<string, Tensor>;
  readonly body: Set<Tensor>;
  readonly state: Map<Tensor, string>;
  readonly arrays: Set<Tensor>;
  readonly scalars: Set<Tensor>;
}

function fusibleRegion(name: string, root: Tensor, entries: ReadonlyMap<Tensor, string>): Region {
  const region: Region = {
    updates: new Map([[name, root]]),
    body: new Set(),
    state: new Map(),
    arrays: new Set(),
    scalars: new Set(),
  };
  const visit = (node: Tensor): void => {
    if (region.body.has(node) || isNumber(node)) return;
    const entry = entries.get(node);
    if (!sameShape(node.shape, root.shape)) {
      region.scalars.add(node);
    } else if (entry !== undefined) {
      region.state.set(node, entry);
    } else if (isFusible(node)) {
      node.inputs.forEach(visit);
      // After its inputs, since a set keeps the order.
      region.body.add(node);
    } else {
      region.arrays.add(node);
    }
  };
  visit(root);
  return region;
}

/** Joins regions that share operations, or of which one reads or writes state that the other does. */
function joinRegions(regions: readonly Region[]): Region[] {
  const joined: Region[] = [];
  for (const region of regions) {
    const touched = namesOf(region);
    const related = joined.filter(
      (other) =>
        [...region.body].some((node) => other.body.has(node)) || [...namesOf(other)].some((name) => touched.has(name)),
    );
    for (const other of related) joined.splice(joined.indexOf(other), 1);
    joined.push([...related, region].reduce(merge));
  }
  return joined;
}

function namesOf(region: Region): Set<string> {
  return new Set([...region.updates.keys(), ...region.state.values()]);
}

function merge(a: Region, b: Region): Region {
  return {
    updates: new Map([...a.updates, ...b.updates]),
    body: new Set([...a.body, ...b.body]),
    state: new Map([...a.state, ...b.state]),
    arrays: new Set([...a.arrays, ...b.arrays]),
    scalars: new Set([...a.scalars, ...b.scalars]),
  };
}

function toGroup(region: Region): UpdateGroup {
  return { ...region, body: [...region.body], arrays: [...region.arrays], scalars: [...region.scalars] };
}

function isFusible(node: Tensor): boolean {
  if (node.dtype !== 'float32' || !(Object.hasOwn(arithmetic, node.op.kind) || node.op.kind === 'relu')) return false;
  return node.inputs.every((input) => sameShape(input.shape, node.shape) || isScalarFor(input, node));
}

/** Whether an operand is one number, or one for each entry of the first axis, which replication makes of a scalar. */
function isScalarFor(x: Tensor, node: Tensor): boolean {
  return x.size === 1 || (x.rank === node.rank && x.rank > 1 && x.size === x.shape[0]);
}

export function isNumber(x: Tensor): boolean {
  return x.op.kind === 'constant' && x.size === 1;
}
