/**
 * Tracing, the first stage: a step is an ordinary function over symbolic tensors, and calling it once records its graph. The
 * author writes it for one learner; `replicate.ts` makes it work for many.
 */
import { topological } from './graph.js';
import type { Graph } from './graph.js';
import { mapSpecs, tensorsOf } from './sets.js';
import { format, sameShape, ShapeError } from './shape.js';
import type { Spec } from './shape.js';
import { leaf } from './tensor.js';
import type { Tensor } from './tensor.js';
import type { MapTree, Tree } from './tree.js';

export type SpecTree = Tree<Spec>;
export type Specs = Readonly<Record<string, Spec>>;
export type Tensors<S> = MapTree<S, Spec, Tensor>;
export type PartialTree<S> = S extends Spec ? Tensor : { readonly [K in keyof S]?: PartialTree<S[K]> };

/** One step of a computation. State stays on the device between runs; the body returns the new values of what changes. */
export interface Step<S extends SpecTree = SpecTree, I extends Specs = Specs, O extends string = string> {
  readonly state: S;
  readonly inputs: I;
  body(state: Tensors<S>, inputs: Tensors<I>): StepResult<S, O>;
}

export interface StepResult<S, O extends string> {
  readonly state?: PartialTree<S>;
  readonly outputs?: Readonly<Record<O, Tensor>>;
}

/** Defines a step, with its types inferred. */
export function step<const S extends SpecTree, const I extends Specs, O extends string = never>(parts: {
  state: S;
  inputs: I;
  body: (state: Tensors<S>, inputs: Tensors<I>) => StepResult<S, O>;
}): Step<S, I, O> {
  return parts;
}

/** Calls the body once on placeholders and returns the graph that it builds. */
export function trace<S extends SpecTree, I extends Specs, O extends string>(program: Step<S, I, O>): Graph {
  const symbol = (kind: string) => (spec: Spec, path: string) => leaf(`${kind}:${path}`, spec.shape, spec.dtype);
  const state = mapSpecs(program.state, symbol('state'));
  const inputs = mapSpecs(program.inputs, symbol('input'));
  const result = program.body(state, inputs);

  const stateLeaves = tensorsOf(state);
  const updates = tensorsOf(result.state ?? {});
  for (const [name, update] of updates) {
    const entry = stateLeaves.get(name);
    if (entry === undefined) {
      throw new ShapeError(
        `state '${name}' is updated but not declared; declared: ${[...stateLeaves.keys()].join(', ')}`,
      );
    }
    if (!sameShape(entry.shape, update.shape) || entry.dtype !== update.dtype) {
      const is = `${update.dtype} ${format(update.shape)}`;
      throw new ShapeError(`state '${name}' is declared ${entry.dtype} ${format(entry.shape)} and updated with ${is}`);
    }
    // An entry that is returned as it was given does not change.
    if (update === entry) updates.delete(name);
  }
  const outputs = new Map<string, Tensor>(Object.entries(result.outputs ?? {}));
  for (const [name, output] of outputs) {
    if (output.dtype === 'bool') throw new ShapeError(`output '${name}' is bool; use toFloat() to bring it out`);
  }
  const known = new Set([...stateLeaves.values(), ...tensorsOf(inputs).values()]);
  for (const node of topological([...outputs.values(), ...updates.values()])) {
    if (node.op.kind === 'leaf' && !known.has(node)) {
      throw new ShapeError(`leaf '${node.op.name}' is neither state nor input of this step`);
    }
  }
  return { inputs: tensorsOf(inputs), state: stateLeaves, outputs, updates };
}
