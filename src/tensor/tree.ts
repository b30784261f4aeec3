/**
 * Trees of named values: parameters of a layer, layers of a network, networks of a learner. A flattened leaf is named by its
 * path, such as `actor.layer0.weight`, which is also its name as a state entry and in model files.
 */

/** A leaf, or a record of trees; entries that are undefined are left out. */
export type Tree<T> = T | { readonly [name: string]: Tree<T> | undefined };

/** The type of a tree whose leaves were mapped. */
export type MapTree<S, From, To> = S extends undefined
  ? undefined
  : S extends From
    ? To
    : { readonly [K in keyof S]: MapTree<S[K], From, To> };

type IsLeaf<T> = (node: Tree<T>) => node is T;

export function flatten<T>(tree: Tree<T>, isLeaf: IsLeaf<T>): Map<string, T> {
  const out = new Map<string, T>();
  const visit = (node: Tree<T>, path: string): void => {
    if (isLeaf(node)) {
      out.set(path, node);
      return;
    }
    for (const [name, child] of childrenOf(node)) {
      if (name === '' || name.includes('.'))
        throw new Error(`name '${name}' in '${path}' must not be empty or contain a dot`);
      visit(child, path === '' ? name : `${path}.${name}`);
    }
  };
  visit(tree, '');
  return out;
}

export function mapTree<T, U, S extends Tree<T>>(
  tree: S,
  isLeaf: IsLeaf<T>,
  map: (leaf: T, path: string) => U,
  path = '',
): MapTree<S, T, U> {
  if (isLeaf(tree)) return map(tree, path) as MapTree<S, T, U>;
  const entries = childrenOf<T>(tree).map(([name, child]) => [
    name,
    mapTree(child, isLeaf, map, path === '' ? name : `${path}.${name}`),
  ]);
  return Object.fromEntries(entries) as MapTree<S, T, U>;
}

function childrenOf<T>(node: Tree<T>): [string, Tree<T>][] {
  const entries = Object.entries(node as Record<string, Tree<T> | undefined>);
  return entries.filter((entry): entry is [string, Tree<T>] => entry[1] !== undefined);
}
