/**
 * Replication: rewrites the graph of one learner into the graph of R independent ones. Every input, state entry and result
 * gets a leading axis of R, so that a replica's share of each is a contiguous block.
 */
import { rewrite, withInputs } from './graph.js';
import type { Graph } from './graph.js';
import { padRank } from './shape.js';
import { concat, leaf, scatterAdd, Tensor } from './tensor.js';

/** The graph of R replicas. What depends on no leaf is the same for all of them and gets the axis only if it is a result. */
export function replicate(graph: Graph, replicas: number): Graph {
  if (!Number.isInteger(replicas) || replicas < 1) {
    throw new RangeError(`replicas must be a positive whole number, got ${replicas}`);
  }
  const batched = new Set<Tensor>();
  const lifted = rewrite(graph, (node, inputs) => {
    if (node.op.kind !== 'leaf' && !inputs.some((x) => batched.has(x))) return withInputs(node, inputs);
    const out = lift(node, inputs, batched, replicas);
    batched.add(out);
    return out;
  });
  const withAxis = (results: ReadonlyMap<string, Tensor>): Map<string, Tensor> =>
    new Map([...results].map(([name, x]) => [name, batched.has(x) ? x : x.broadcastTo([replicas, ...x.shape])]));
  return { ...lifted, outputs: withAxis(lifted.outputs), updates: withAxis(lifted.updates) };
}

function lift(node: Tensor, inputs: readonly Tensor[], batched: ReadonlySet<Tensor>, replicas: number): Tensor {
  const { op } = node;
  const [a] = inputs;
  const shape = [replicas, ...node.shape];
  const plain = (): Tensor => new Tensor(op, inputs, shape, node.dtype);
  /** All inputs with the replica axis, for operations that do not broadcast. */
  const full = (): Tensor[] => inputs.map((x) => (batched.has(x) ? x : x.broadcastTo([replicas, ...x.shape])));
  /** Operands for broadcasting: one of lower rank gets its leading ones behind the replica axis. */
  const aligned = (): Tensor[] =>
    inputs.map((x, i) => (batched.has(x) ? x.reshape([replicas, ...padRank(node.inputs[i].shape, node.rank)]) : x));
  switch (op.kind) {
    case 'leaf':
      return leaf(op.name, shape, node.dtype);
    case 'constant':
      throw new Error('a constant has no replicas');
    case 'neg':
    case 'abs':
    case 'exp':
    case 'log':
    case 'sqrt':
    case 'tanh':
    case 'relu':
    case 'acos':
    case 'cast':
    case 'stopGradient':
      return plain();
    case 'reshape':
      return a.reshape(shape);
    case 'add':
    case 'sub':
    case 'mul':
    case 'div':
    case 'minimum':
    case 'maximum':
    case 'less':
    case 'lessEqual':
    case 'equal':
    case 'select':
    case 'matmul':
      return new Tensor(op, aligned(), shape, node.dtype);
    case 'broadcast':
      return aligned()[0].broadcastTo(shape);
    case 'sum':
    case 'max':
      return new Tensor({ kind: op.kind, axes: op.axes.map((axis) => axis + 1) }, inputs, shape, node.dtype);
    case 'argmax':
      return new Tensor({ kind: 'argmax', axis: op.axis + 1 }, inputs, shape, node.dtype);
    case 'gather': {
      const [table, indices] = full();
      return table.gather(indices, op.batchAxes + 1);
    }
    case 'scatterAdd': {
      const [indices, updates] = full();
      return scatterAdd(node.shape[op.batchAxes], indices, updates, op.batchAxes + 1);
    }
    case 'concat':
      return concat(full(), op.axis + 1);
    case 'slice':
      return a.slice(op.axis + 1, op.start, node.shape[op.axis]);
    case 'transpose':
      return a.transpose([0, ...op.order.map((axis) => axis + 1)]);
  }
}
