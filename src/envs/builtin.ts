import { deepSeaTreasure, deepSeaTreasureConcave } from './deep-sea-treasure.js';
import { fruitTree } from './fruit-tree.js';
import type { EnvEntry } from './registration.js';

/** The environments that come with the package, in the order in which they are listed. */
export const BUILTIN: readonly EnvEntry[] = [
  fruitTree(5),
  fruitTree(6),
  fruitTree(7),
  deepSeaTreasure,
  deepSeaTreasureConcave,
];
