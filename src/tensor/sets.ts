/** Trees of tensors and of their specs, which a step's state, a network's parameters and their gradients are. */
import type { Spec } from './shape.js';
import { Tensor } from './tensor.js';
import { flatten, mapTree } from './tree.js';
import type { MapTree, Tree } from './tree.js';

export function isTensor(node: Tree<Tensor>): node is Tensor {
  return node instanceof Tensor;
}

export function isSpec(node: Tree<Spec>): node is Spec {
  return Array.isArray((node as Partial<Spec>).shape) && typeof (node as Partial<Spec>).dtype === 'string';
}

/** The spec of an input, output or state entry. */
export function specOf({ shape, dtype }: Tensor): Spec {
  if (dtype === 'bool') throw new Error('a bool does not leave its program');
  return { shape, dtype };
}

export function tensorsOf(tree: Tree<Tensor>): Map<string, Tensor> {
  return flatten(tree, isTensor);
}

export function specsOf(tree: Tree<Spec>): Map<string, Spec> {
  return flatten(tree, isSpec);
}

export function mapTensors<S extends Tree<Tensor>, U>(
  tree: S,
  map: (tensor: Tensor, path: string) => U,
): MapTree<S, Tensor, U> {
  return mapTree(tree, isTensor, map);
}

export function mapSpecs<S extends Tree<Spec>, U>(tree: S, map: (spec: Spec, path: string) => U): MapTree<S, Spec, U> {
  return mapTree(tree, isSpec, map);
}
