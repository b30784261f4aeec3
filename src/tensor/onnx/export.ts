/** Writes traced functions, such as a trained policy, as .onnx files for other programs. */
import { topological } from '../graph.js';
import type { Tensor } from '../tensor.js';
import { simplify } from '../simplify.js';
import { lower, valueOf } from './lower.js';
import { encode } from './model.js';

export interface ExportOptions {
  /** Name of the graph in the file. */
  name?: string;
  /** Uses standard operators only (the default), so that any ONNX runtime loads the file. */
  portable?: boolean;
}

/** A traced function as the bytes of an .onnx file, with its inputs and outputs by name. */
export function exportOnnx(
  inputs: Readonly<Record<string, Tensor>>,
  outputs: Readonly<Record<string, Tensor>>,
  { name = 'psl-morl', portable = true }: ExportOptions = {},
): Uint8Array {
  const leaves = new Map(Object.entries(inputs));
  if (Object.keys(outputs).length === 0) throw new Error('there are no outputs to export');
  for (const output of Object.keys(outputs)) {
    if (leaves.has(output)) throw new Error(`'${output}' names both an input and an output`);
  }
  const { outputs: results } = simplify({
    inputs: leaves,
    state: new Map(),
    outputs: new Map(Object.entries(outputs)),
    updates: new Map(),
  });
  for (const [input, tensor] of leaves) {
    if (tensor.op.kind !== 'leaf' || tensor.op.name !== input) {
      throw new Error(`input '${input}' must be a leaf of that name`);
    }
  }
  for (const node of topological(results.values())) {
    if (node.op.kind === 'leaf' && !leaves.has(node.op.name)) {
      throw new Error(`leaf '${node.op.name}' is used but is not among the inputs: ${[...leaves.keys()].join(', ')}`);
    }
  }
  const values = [...leaves].map(([input, tensor]) => valueOf(input, tensor));
  return encode(lower(values, results, { name, portable }));
}
