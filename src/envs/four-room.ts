/** Four rooms: collect shapes of three kinds on the way to a goal. */
import { defineEnv } from './registration.js';
import { continuous, discrete } from './spaces.js';
import { loadInteger } from './world.js';

/** # is a wall, s where episodes begin, g the goal; the kinds of shapes are 1 (squares), 2 (triangles) and 3 (circles). */
const MAP = [
  '1....2#.....g',
  '......#......',
  '......1......',
  '.............',
  '......#......',
  '2....3#......',
  '##3.#####.1##',
  '......#2....3',
  '......#......',
  '.............',
  '......2......',
  '......#......',
  's.....#3....1',
];
const SIZE = MAP.length;
/** Left, up, right, down, as steps in row and column. */
const MOVES = [
  [0, -1],
  [-1, 0],
  [0, 1],
  [1, 0],
] as const;

const cells = [...new Array(SIZE * SIZE).keys()].map((i) => ({ column: Math.floor(i / SIZE), row: i % SIZE }));
/** In the order in which they are observed: column by column. */
const SHAPES = cells.filter(({ row, column }) => '123'.includes(MAP[row][column]));
const START = cells.find(({ row, column }) => MAP[row][column] === 's')!;

/** As MO-Gymnasium has it (docs/fidelity.md), after the grid of Barreto et al. */
export const fourRoom = defineEnv({
  id: 'four-room-v0',
  summary: 'Four rooms: collect squares, triangles and circles on the way to a goal.',
  family: 'mo-gymnasium',
  source: 'Barreto et al., NeurIPS 2017',
  objectives: [{ name: 'Squares' }, { name: 'Triangles' }, { name: 'Circles' }],
  actionSpace: discrete(MOVES.length),
  horizon: 200,
  discount: 0.99,
  // Without a discount there would be time for all shapes.
  discountedReturns: true,
  referencePoint: [0, 0, 0],
  make() {
    let { row, column } = START;
    /** The shapes that were collected, as bits. */
    let collected = 0;
    return {
      observationSpace: continuous([0, 0, ...SHAPES.map(() => 0)], [SIZE - 1, SIZE - 1, ...SHAPES.map(() => 1)]),
      start() {
        ({ row, column } = START);
        collected = 0;
      },
      advance(action, reward) {
        const to = { row: row + MOVES[action][0], column: column + MOVES[action][1] };
        const cell = MAP[to.row]?.[to.column] ?? '#';
        if (cell === '#') return false;
        ({ row, column } = to);
        const shape = SHAPES.findIndex((other) => other.row === row && other.column === column);
        if (shape >= 0 && !((collected >> shape) & 1)) {
          collected |= 1 << shape;
          reward[Number(cell) - 1] = 1;
        }
        if (cell !== 'g') return false;
        reward.fill(1);
        return true;
      },
      observe(out) {
        out[0] = row;
        out[1] = column;
        SHAPES.forEach((_, i) => (out[2 + i] = (collected >> i) & 1));
      },
      info: () => ({ row, column }),
      save: () => ({ row, column, collected }),
      load(state) {
        const savedRow = loadInteger(state, 'row', SIZE - 1);
        const savedColumn = loadInteger(state, 'column', SIZE - 1);
        collected = loadInteger(state, 'collected', 2 ** SHAPES.length - 1);
        row = savedRow;
        column = savedColumn;
      },
    };
  },
});
