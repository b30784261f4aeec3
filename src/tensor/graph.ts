/**
 * The graph of a traced step and how passes walk over it. Differentiation, replication, simplification and lowering are all
 * written with the topological order and the rewriting that are defined here.
 */
import { Tensor } from './tensor.js';

/** What a device compiles: named inputs and outputs, and state that stays on the device between runs. */
export interface Graph {
  readonly inputs: ReadonlyMap<string, Tensor>;
  readonly state: ReadonlyMap<string, Tensor>;
  readonly outputs: ReadonlyMap<string, Tensor>;
  /** The new values of the state entries that a run changes. */
  readonly updates: ReadonlyMap<string, Tensor>;
}

/** All tensors that the roots depend on, each after its inputs. Iterative, because steps are deep. */
export function topological(roots: Iterable<Tensor>): Tensor[] {
  const order: Tensor[] = [];
  const done = new Set<Tensor>();
  const pending = [...roots].reverse();
  while (pending.length > 0) {
    const node = pending[pending.length - 1];
    if (done.has(node)) {
      pending.pop();
      continue;
    }
    const missing = node.inputs.filter((input) => !done.has(input));
    if (missing.length === 0) {
      pending.pop();
      done.add(node);
      order.push(node);
    } else {
      pending.push(...missing.reverse());
    }
  }
  return order;
}

/** Rebuilds the graph by a rule, which is given each tensor together with its rebuilt inputs, in topological order. */
export function rewrite(graph: Graph, rule: (node: Tensor, inputs: readonly Tensor[]) => Tensor): Graph {
  const rebuilt = new Map<Tensor, Tensor>();
  for (const node of topological([...graph.outputs.values(), ...graph.updates.values()])) {
    rebuilt.set(
      node,
      rule(
        node,
        node.inputs.map((input) => rebuilt.get(input)!),
      ),
    );
  }
  // A leaf that no result uses is still an input or state entry of the program.
  const leaf = (node: Tensor): Tensor => rebuilt.get(node) ?? rule(node, []);
  const each = (from: ReadonlyMap<string, Tensor>): Map<string, Tensor> =>
    new Map([...from].map(([name, node]) => [name, leaf(node)]));
  return {
    inputs: each(graph.inputs),
    state: each(graph.state),
    outputs: each(graph.outputs),
    updates: each(graph.updates),
  };
}

/** The same operation on other inputs; the tensor itself if they are the same. */
export function withInputs(node: Tensor, inputs: readonly Tensor[]): Tensor {
  return inputs.every((input, i) => input === node.inputs[i])
    ? node
    : new Tensor(node.op, inputs, node.shape, node.dtype);
}
