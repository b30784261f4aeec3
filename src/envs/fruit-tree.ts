/**
 * Fruit tree navigation: one of 32 to 128 leaves of a binary tree, each with six nutrients, all of them Pareto-optimal.
 */
import type { Continuous, Discrete, Environment } from './contract.js';
import { LEAVES, type Depth } from './fruit-tree-data.js';
import { checkDiscount, defineEnv } from './registration.js';
import type { EnvSettings } from './registration.js';
import { continuous, cube, discrete } from './spaces.js';
import { environmentOf, loadInteger, type World } from './world.js';

const OBJECTIVES = ['Protein', 'Carbs', 'Fats', 'Vitamins', 'Minerals', 'Water'].map((name) => ({ name }));
const ACTIONS = discrete(2);
const ENCODINGS = ['row-column', 'scaled', 'path', 'one-hot'] as const;
type Encoding = (typeof ENCODINGS)[number];

const DEEPEST: readonly EnvSettings[] = [
  // The paper's table gives alpha by depth.
  { presets: ['paper'], algorithms: ['psl-ddqn'], settings: { alpha: 0.1 } },
  // Some of its 128 leaves are best by a thousandth, at a single preference of the grid. Q is a table whose entries a wide
  // hypernetwork generates, learned from large batches, and errors of w.Q weigh most (results/ddqn-screening.md).
  {
    presets: ['best'],
    algorithms: ['psl-ddqn'],
    options: { encoding: 'one-hot' },
    settings: {
      hidden: [],
      hyperHidden: [1024, 1024],
      hyperFeatures: 512,
      alpha: 0.5,
      learningRate: 3e-3,
      finalLearningRate: 1e-3,
      tau: 0.02,
      utilityError: 100,
      batch: 4096,
      groups: 256,
      updatesPerStep: 4,
      steps: 50_000,
    },
  },
];

/**
 * Fruit tree navigation (Yang et al., NeurIPS 2019): walk down a full binary tree, 0 to the left and 1 to the right.
 * Only the leaf rewards, with its six nutrients, and it ends the episode. Nothing is random.
 */
export function fruitTree(depth: Depth) {
  return defineEnv({
    id: `fruit-tree-d${depth}`,
    summary: `Fruit tree navigation, depth ${depth}: ${2 ** depth} leaves with six nutrients each.`,
    family: 'pd-morl',
    source: 'Yang, Sun and Narasimhan, NeurIPS 2019',
    objectives: OBJECTIVES,
    actionSpace: ACTIONS,
    options: {
      encoding: {
        summary:
          'What is observed of the node: its row and column as published, both scaled to 0..1, the path to it ' +
          '(one entry per level: -1 left, +1 right, 0 not yet taken), or one entry per node that is no leaf (1 at it, else 0).',
        values: ENCODINGS,
        default: 'row-column',
      },
    },
    horizon: depth,
    discount: 0.99,
    discountedReturns: true,
    referencePoint: OBJECTIVES.map(() => 0),
    coverageTolerance: 0.5,
    knownFront(discount) {
      checkDiscount(discount);
      // The leaf rewards the last of `depth` steps, and no leaf dominates another.
      const factor = discount ** (depth - 1);
      return LEAVES[depth].map((leaf) => leaf.map((amount) => amount * factor));
    },
    settings: [{ presets: ['best', 'quick'], options: { encoding: 'path' } }, ...(depth === 7 ? DEEPEST : [])],
    view: { kind: 'tree', leaves: LEAVES[depth] },
    make: ({ encoding }) => makeFruitTree(depth, encoding),
  });
}

function makeFruitTree(depth: Depth, encoding: Encoding): Environment {
  const lastColumn = 2 ** depth - 1;
  const spaces: Record<Encoding, Continuous> = {
    'row-column': continuous([0, 0], [depth, lastColumn]),
    scaled: continuous([0, 0], [1, 1]),
    path: cube(depth, -1, 1),
    'one-hot': cube(lastColumn, 0, 1),
  };
  let row = 0;
  let column = 0;

  const world: World<Discrete> = {
    id: `fruit-tree-d${depth}`,
    observationSpace: spaces[encoding],
    actionSpace: ACTIONS,
    objectives: OBJECTIVES,
    horizon: depth,
    start() {
      row = 0;
      column = 0;
    },
    advance(action, reward) {
      row += 1;
      column = 2 * column + action;
      if (row < depth) return false;
      reward.set(LEAVES[depth][column]);
      return true;
    },
    observe(out) {
      if (encoding === 'path') {
        // Read as a binary number, the column is the turns taken, the first of them in the highest place.
        for (let level = 0; level < row; level++) out[level] = (column >> (row - 1 - level)) & 1 ? 1 : -1;
      } else if (encoding === 'one-hot') {
        // The nodes row by row; a leaf, after which nothing is chosen, is observed as zeros.
        if (row < depth) out[2 ** row - 1 + column] = 1;
      } else {
        const scaled = encoding === 'scaled';
        out[0] = scaled ? row / depth : row;
        out[1] = scaled ? column / lastColumn : column;
      }
    },
    info: () => ({ row, column }),
    save: () => ({ row, column }),
    load(state) {
      const savedRow = loadInteger(state, 'row', depth);
      column = loadInteger(state, 'column', 2 ** savedRow - 1);
      row = savedRow;
    },
  };
  return environmentOf(world);
}
