/** Four rooms: collect shapes of three kinds on the way to a goal. */
import { defineEnv, foundOnce } from './registration.js';
import { circle, polygon, rectangle } from './scene.js';
import { continuous, cube, discrete } from './spaces.js';
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
const GOAL = cells.find(({ row, column }) => MAP[row][column] === 'g')!;
const HORIZON = 200;
const ENCODINGS = ['row-column', 'one-hot'] as const;

/** As MO-Gymnasium has it (docs/fidelity.md), after the grid of Barreto et al. */
export const fourRoom = defineEnv({
  id: 'four-room-v0',
  summary: 'Four rooms: collect squares, triangles and circles on the way to a goal.',
  family: 'mo-gymnasium',
  source: 'Barreto et al., NeurIPS 2017',
  objectives: [{ name: 'Squares' }, { name: 'Triangles' }, { name: 'Circles' }],
  actionSpace: discrete(MOVES.length),
  options: {
    encoding: {
      summary:
        'What is observed of the position: row and column as published, or one entry per row and per column (1 at it, else 0).',
      values: ENCODINGS,
      default: 'row-column',
    },
  },
  horizon: HORIZON,
  discount: 0.99,
  // Without a discount there would be time for all shapes.
  discountedReturns: true,
  referencePoint: [0, 0, 0],
  knownFront: foundOnce(roomsFront),
  settings: [
    { presets: ['best', 'quick'], options: { encoding: 'one-hot' } },
    // One step at a time, values are soon as high as the best return everywhere, and greedy policies go in circles
    // (docs/benchmarks.md).
    {
      presets: ['quick'],
      algorithms: ['psl-ddqn', 'pd-ddqn'],
      settings: {
        nStep: 8,
        double: true,
        utilityError: 10,
        boundedTargets: true,
        hidden: [128, 128],
        batch: 128,
        updatesPerStep: 0.5,
        tau: 0.02,
        finalLearningRate: 0.01,
        epsilonEnd: 0.2,
        epsilonDecay: 0.5,
        children: 20,
        recent: 0.5,
        steps: 100_000,
        evaluations: 10,
      },
    },
  ],
  view: { kind: 'scene', width: SIZE, height: SIZE, draw },
  make({ encoding }) {
    const isOneHot = encoding === 'one-hot';
    /** Of the shapes, after what is observed of the position. */
    const first = isOneHot ? 2 * SIZE : 2;
    let { row, column } = START;
    /** The shapes that were collected, as bits. */
    let collected = 0;
    return {
      observationSpace: isOneHot
        ? cube(2 * SIZE + SHAPES.length, 0, 1)
        : continuous([0, 0, ...SHAPES.map(() => 0)], [SIZE - 1, SIZE - 1, ...SHAPES.map(() => 1)]),
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
        if (isOneHot) out[row] = out[SIZE + column] = 1;
        else out.set([row, column]);
        SHAPES.forEach((_, i) => (out[first + i] = (collected >> i) & 1));
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

/** Walls, the goal, the shapes that are still there, and who collects them. */
function draw(observation: readonly number[]) {
  const at = (row: number, column: number) => [column + 0.5, SIZE - row - 0.5] as const;
  const walls = cells.filter(({ row, column }) => MAP[row][column] === '#');
  const left = SHAPES.filter((_, i) => observation[observation.length - SHAPES.length + i] === 0);
  const isOneHot = observation.length > 2 + SHAPES.length;
  const [row, column] = isOneHot ? [observation.indexOf(1), observation.indexOf(1, SIZE) - SIZE] : observation;
  return [
    ...walls.map(({ row, column }) => rectangle('ground', [column, SIZE - row - 1], 1, 1)),
    rectangle('mark', [GOAL.column + 0.1, SIZE - GOAL.row - 0.9], 0.8, 0.8),
    ...left.map(({ row, column }) => {
      const kind = Number(MAP[row][column]) - 1;
      const [x, y] = at(row, column);
      if (kind === 0) return rectangle(kind, [x - 0.3, y - 0.3], 0.6, 0.6);
      if (kind === 2) return circle(kind, [x, y], 0.33);
      return polygon(kind, [
        [x - 0.36, y - 0.3],
        [x + 0.36, y - 0.3],
        [x, y + 0.36],
      ]);
    }),
    circle('actor', at(row, column), 0.25),
  ];
}

interface Cell {
  readonly row: number;
  readonly column: number;
}

/** The steps from a cell to every other one, row by row. Nobody comes past the goal, which is in a corner. */
function stepsFrom(from: Cell): number[][] {
  const steps = MAP.map((row) => Array.from(row, () => Infinity));
  steps[from.row][from.column] = 0;
  const reached = [from];
  for (const { row, column } of reached) {
    for (const [down, right] of MOVES) {
      const to = { row: row + down, column: column + right };
      if ((MAP[to.row]?.[to.column] ?? '#') === '#' || steps[to.row][to.column] < Infinity) continue;
      steps[to.row][to.column] = steps[row][column] + 1;
      reached.push(to);
    }
  }
  return steps;
}

/** Sums of powers differ in their last digits by the order in which they are added up. */
const ROUNDING = 1e-12;

function isAsGood(a: readonly number[], b: readonly number[]): boolean {
  return a[0] >= b[0] - ROUNDING && a[1] >= b[1] - ROUNDING && a[2] >= b[2] - ROUNDING;
}

/**
 * The returns of all orders in which shapes can be collected, each on the shortest way to the next one. Of two ways that have collected
 * the same shapes and end at the same one, the one that is not later and has earned no less leads to everything that the other does.
 * A way is also given up where not even all other shapes at once, each as soon as it could be reached alone, would be worth it.
 */
function roomsFront(discount: number): number[][] {
  const places = [...SHAPES, START, GOAL];
  const [start, goal] = [SHAPES.length, SHAPES.length + 1];
  const steps = places.map((from) => {
    const all = stepsFrom(from);
    return places.map(({ row, column }) => all[row][column]);
  });
  const kinds = SHAPES.map(({ row, column }) => Number(MAP[row][column]) - 1);
  const nearest = steps.map((to) => [...kinds.keys()].sort((a, b) => to[a] - to[b]));
  /** Of a step, counted from 1. */
  const worth = Array.from({ length: HORIZON + 1 }, (_, step) => discount ** (step - 1));
  const ways = new Map<number, { readonly time: number; readonly earned: readonly number[] }[]>();
  let front: number[][] = [];

  function goOn(at: number, collected: number, time: number, earned: readonly number[]): void {
    const whole = earned.map((value) => value + worth[time + steps[at][goal]]);
    if (!front.some((other) => isAsGood(other, whole))) {
      front = [...front.filter((other) => !isAsGood(whole, other)), whole];
    }
    const next = nearest[at].filter((shape) => {
      return !((collected >> shape) & 1) && time + steps[at][shape] + steps[shape][goal] <= HORIZON;
    });
    const hoped = [...whole];
    for (const shape of next) hoped[kinds[shape]] += worth[time + steps[at][shape]];
    if (front.some((other) => isAsGood(other, hoped))) return;
    for (const shape of next) {
      const arrival = time + steps[at][shape];
      const sum = earned.with(kinds[shape], earned[kinds[shape]] + worth[arrival]);
      const key = ((collected | (1 << shape)) << 4) | shape;
      const known = ways.get(key) ?? [];
      if (known.some((way) => way.time <= arrival && isAsGood(way.earned, sum))) continue;
      const others = known.filter((way) => !(arrival <= way.time && isAsGood(sum, way.earned)));
      ways.set(key, [...others, { time: arrival, earned: sum }]);
      goOn(shape, collected | (1 << shape), arrival, sum);
    }
  }

  goOn(start, 0, 0, [0, 0, 0]);
  return front;
}
