/**
 * Deep sea treasure: a submarine chooses between near, small treasures and distant, large ones. In the convex map of
 * Envelope Q-learning with the rules of PD-MORL and of MO-Gymnasium, and in MO-Gymnasium's concave and mirrored map.
 */
import type { Discrete, Environment, Objective } from './contract.js';
import { MOVES } from './grid-moves.js';
import { checkDiscount, defineEnv } from './registration.js';
import { continuous, cube, discrete } from './spaces.js';
import { environmentOf, loadInteger, type World } from './world.js';

/** Row 0 is the surface. 0 is water, -10 the sea bed, everything else a treasure. */
export type SeaMap = readonly (readonly number[])[];

// The map of Envelope Q-learning (Yang, Sun and Narasimhan, NeurIPS 2019), used by PD-MORL too.
const CONVEX: SeaMap = [
  [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  [0.7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  [-10, 8.2, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  [-10, -10, 11.5, 0, 0, 0, 0, 0, 0, 0, 0],
  [-10, -10, -10, 14.0, 15.1, 16.1, 0, 0, 0, 0, 0],
  [-10, -10, -10, -10, -10, -10, 0, 0, 0, 0, 0],
  [-10, -10, -10, -10, -10, -10, 0, 0, 0, 0, 0],
  [-10, -10, -10, -10, -10, -10, 19.6, 20.3, 0, 0, 0],
  [-10, -10, -10, -10, -10, -10, -10, -10, 0, 0, 0],
  [-10, -10, -10, -10, -10, -10, -10, -10, 22.4, 0, 0],
  [-10, -10, -10, -10, -10, -10, -10, -10, -10, 23.7, 0],
];

// The concave map of MO-Gymnasium, with the treasures of Vamplew et al. (Machine Learning, 2011).
const CONCAVE: SeaMap = [
  [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  [-10, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  [-10, -10, 3, 0, 0, 0, 0, 0, 0, 0, 0],
  [-10, -10, -10, 5, 8, 16, 0, 0, 0, 0, 0],
  [-10, -10, -10, -10, -10, -10, 0, 0, 0, 0, 0],
  [-10, -10, -10, -10, -10, -10, 0, 0, 0, 0, 0],
  [-10, -10, -10, -10, -10, -10, 24, 50, 0, 0, 0],
  [-10, -10, -10, -10, -10, -10, -10, -10, 0, 0, 0],
  [-10, -10, -10, -10, -10, -10, -10, -10, 74, 0, 0],
  [-10, -10, -10, -10, -10, -10, -10, -10, -10, 124, 0],
];

/** How many cells of water there are on the left of the mirrored map, row by row. */
const BARREN = [10, 10, 9, 8, 7, 4, 4, 4, 2, 2, 1];

// The mirrored map of MO-Gymnasium (Felten et al., 2022): the treasures of the concave one, and on the left a sea of the
// same depth without any.
const MIRRORED: SeaMap = CONCAVE.map((cells, row) => {
  const empty = BARREN[row];
  return [...new Array<number>(empty).fill(0), ...new Array<number>(10 - empty).fill(-10), ...cells.slice(0, 10)];
});

const OBJECTIVES: readonly Objective[] = [{ name: 'Treasure' }, { name: 'Time', unit: 'steps' }];
const ACTIONS = discrete(MOVES.length);
const ENCODINGS = ['row-column', 'one-hot'] as const;
type Encoding = (typeof ENCODINGS)[number];

interface Variant {
  readonly id: string;
  readonly summary: string;
  readonly family: string;
  readonly source: string;
  readonly map: SeaMap;
  /** The column at whose surface episodes begin. */
  readonly start: number;
  /** Whether the sea bed stops the submarine, or can be entered, which wrecks it: -10 and the end of the episode. */
  readonly solidSeaBed: boolean;
  readonly horizon: number;
}

/** As PD-MORL has it. Its test for a blocked cell never holds, so the sea bed can be entered. */
export const deepSeaTreasure = define({
  id: 'deep-sea-treasure',
  summary: 'Deep sea treasure, convex front: ten treasures, the better the farther away.',
  family: 'pd-morl',
  source: 'Yang, Sun and Narasimhan, NeurIPS 2019',
  map: CONVEX,
  start: 0,
  solidSeaBed: false,
  horizon: 30,
});

/** As MO-Gymnasium has it: the sea bed is solid, and there are more steps. */
export const deepSeaTreasureConvex = define({
  id: 'deep-sea-treasure-v0',
  summary: 'Deep sea treasure, convex front, with a solid sea bed: ten treasures, the better the farther away.',
  family: 'mo-gymnasium',
  source: 'Yang, Sun and Narasimhan, NeurIPS 2019',
  map: CONVEX,
  start: 0,
  solidSeaBed: true,
  horizon: 100,
});

/** As MO-Gymnasium has it. No linear preference makes a treasure in the middle of the front the best one. */
export const deepSeaTreasureConcave = define({
  id: 'deep-sea-treasure-concave',
  summary: 'Deep sea treasure, concave front: linear preferences find only its ends.',
  family: 'mo-gymnasium',
  source: 'Vamplew et al., Machine Learning 2011',
  map: CONCAVE,
  start: 0,
  solidSeaBed: true,
  horizon: 100,
});

/** As MO-Gymnasium describes it; a version of its code never leaves the left half (docs/fidelity.md). */
export const deepSeaTreasureMirrored = define({
  id: 'deep-sea-treasure-mirrored-v0',
  summary: 'Deep sea treasure, mirrored: the concave front, and a half of the sea without treasures.',
  family: 'mo-gymnasium',
  source: 'Felten et al., 2022',
  map: MIRRORED,
  start: 10,
  solidSeaBed: true,
  horizon: 100,
});

/** A submarine starts at the surface and looks for treasures; each step costs time. Nothing is random. */
function define(variant: Variant) {
  return defineEnv({
    id: variant.id,
    summary: variant.summary,
    family: variant.family,
    source: variant.source,
    objectives: OBJECTIVES,
    actionSpace: ACTIONS,
    options: {
      encoding: {
        summary:
          'What is observed of the position: row and column as published, or one entry per cell (1 at it, else 0).',
        values: ENCODINGS,
        default: 'row-column',
      },
    },
    horizon: variant.horizon,
    discount: 0.99,
    discountedReturns: true,
    // Times are negative, and a hypervolume from the origin would ignore them all. PD-MORL adds 19, the steps to the
    // farthest treasure, to all of them before it takes the hypervolume, fits its interpolator, or takes the cosine of Q
    // (but not its scalar product): that is to measure from here.
    referencePoint: [0, -19],
    coverageTolerance: 0.3,
    knownFront: (discount) => treasureFront(variant, discount),
    settings: [
      { presets: ['paper', 'best', 'quick'], settings: { evaluationDivisions: 100 } },
      {
        presets: ['paper'],
        algorithms: ['psl-ddqn', 'pd-ddqn'],
        settings: { hidden: [256, 256, 256, 256], preferenceDivisions: 100 },
      },
      { presets: ['best', 'quick'], options: { encoding: 'one-hot' } },
      // Single random actions end an episode at the near treasures, and the far ones are never seen. Where treasures are
      // worth almost the same, w.Q tells them apart only if its own error is learned from (results/ddqn-screening.md).
      {
        presets: ['best', 'quick'],
        algorithms: ['psl-ddqn', 'pd-ddqn'],
        settings: {
          epsilonStart: 0.5,
          epsilonRepeat: 2,
          utilityError: 100,
          boundedTargets: true,
          tau: 0.02,
          finalLearningRate: 0.01,
          hidden: [128, 128],
          updatesPerStep: 0.4,
          groups: 32,
        },
      },
    ],
    view: { kind: 'sea', map: variant.map },
    make: ({ encoding }) => makeDeepSea(variant, encoding),
  });
}

/** The return of the shortest way to each treasure, without those that a small discount makes dominated. */
function treasureFront({ map, start }: Variant, discount: number): number[][] {
  checkDiscount(discount);
  const treasures = map.flatMap((cells, row) =>
    cells.map((value, column) => ({ value, steps: row + Math.abs(column - start) })).filter(({ value }) => value > 0),
  );
  treasures.sort((a, b) => a.steps - b.steps);
  const front: number[][] = [];
  let best = -Infinity;
  for (const { value, steps } of treasures) {
    const treasure = value * discount ** (steps - 1);
    // A later treasure always takes more time, so it is on the front only if it is larger than all before it.
    if (treasure <= best) continue;
    best = treasure;
    let time = 0;
    for (let t = 0; t < steps; t++) time -= discount ** t;
    front.push([treasure, time]);
  }
  return front;
}

function makeDeepSea({ id, map, start, solidSeaBed, horizon }: Variant, encoding: Encoding): Environment {
  const [rows, columns] = [map.length, map[0].length];
  let row = 0;
  let column = start;

  const world: World<Discrete> = {
    id,
    observationSpace: encoding === 'one-hot' ? cube(rows * columns, 0, 1) : continuous([0, 0], [rows - 1, columns - 1]),
    actionSpace: ACTIONS,
    objectives: OBJECTIVES,
    horizon,
    start() {
      row = 0;
      column = start;
    },
    advance(action, reward) {
      const newRow = row + MOVES[action][0];
      const newColumn = column + MOVES[action][1];
      const inside = newRow >= 0 && newRow < rows && newColumn >= 0 && newColumn < columns;
      // A move out of the sea or against something solid is not made, but its time is paid.
      if (inside && !(solidSeaBed && map[newRow][newColumn] < 0)) {
        row = newRow;
        column = newColumn;
      }
      reward[0] = map[row][column];
      reward[1] = -1;
      return reward[0] !== 0;
    },
    observe(out) {
      if (encoding === 'one-hot') {
        out[row * columns + column] = 1;
      } else {
        out[0] = row;
        out[1] = column;
      }
    },
    info: () => ({ row, column }),
    save: () => ({ row, column }),
    load(state) {
      const savedRow = loadInteger(state, 'row', rows - 1);
      column = loadInteger(state, 'column', columns - 1);
      row = savedRow;
    },
  };
  return environmentOf(world);
}
