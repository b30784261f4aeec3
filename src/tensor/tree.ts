/**
 * Named values in nested records: parameters of a layer, layers of a network, networks of a learner.
 * Flattened, a leaf is named by its path: `actor.layer0.weight`.
 */
export type Tree<T> = T | { readonly [name: string]: Tree<T> };

/** A tree of the same form with other leaves. */
export type MapTree<S, From, To> = S extends From ? To : { readonly [K in keyof S]: MapTree<S[K], From, To> };

type IsLeaf<T> = (node: Tree<T>) => node is T;

export function flatten<T>(tree: Tree<T>, isLeaf: IsLeaf<T>, prefix = ''): Map<string, T> {
  const out = new Map<string, T>();
  const visit = (node: Tree<T>, path: string): void => {
    if (isLeaf(node)) {
      out.set(path, node);
      return;
    }
    for (const [name, child] of Object.entries(node as Record<string, Tree<T>>)) {
      if (name === '' || name.includes('.'))
        throw new Error(`name '${name}' in '${path}' must not be empty or contain a dot`);
      visit(child, path === '' ? name : `${path}.${name}`);
    }
  };
  visit(tree, prefix);
  return out;
}

export function mapTree<T, U, S extends Tree<T>>(
  tree: S,
  isLeaf: IsLeaf<T>,
  map: (leaf: T, path: string) => U,
  path = '',
): MapTree<S, T, U> {
  if (isLeaf(tree)) return map(tree, path) as MapTree<S, T, U>;
  const entries = Object.entries(tree as Record<string, Tree<T>>).map(([name, child]) => [
    name,
    mapTree(child, isLeaf, map, path === '' ? name : `${path}.${name}`),
  ]);
  return Object.fromEntries(entries) as MapTree<S, T, U>;
}
