/** Resource gathering: fetch gold, a gem or both, and come home; two cells are guarded by enemies. */
import { nonDominated } from '../pareto/index.js';
import { quickForFewStates } from './few-states.js';
import { MOVES } from './grid-moves.js';
import { defineEnv, foundOnce } from './registration.js';
import { circle, polygon, rectangle } from './scene.js';
import { continuous, discrete } from './spaces.js';
import { loadInteger } from './world.js';

const SIZE = 5;
const HORIZON = 100;
/** Of being caught by an enemy, with every step onto its cell. */
const RISK = 0.1;
/** H is home, where episodes begin and end, R gold, G a gem, E an enemy. */
const MAP = ['..RE.', '..E.G', '.....', '.....', '..H..'];

interface Place {
  readonly row: number;
  readonly column: number;
  /** Whether it is carried, as 0 or 1. */
  readonly gold: number;
  readonly gem: number;
}

const HOME: Place = { row: 4, column: 2, gold: 0, gem: 0 };

/** Where a move leads; against a wall it leads nowhere. */
function moved({ row, column, gold, gem }: Place, move: number): Place {
  const inside = (place: number) => Math.max(0, Math.min(SIZE - 1, place));
  const to = { row: inside(row + MOVES[move][0]), column: inside(column + MOVES[move][1]) };
  const cell = cellAt(to);
  return { ...to, gold: cell === 'R' ? 1 : gold, gem: cell === 'G' ? 1 : gem };
}

function cellAt({ row, column }: Pick<Place, 'row' | 'column'>): string {
  return MAP[row][column];
}

/**
 * As MO-Gymnasium has it (docs/fidelity.md). A way past no enemy brings everything, but late: with this discount a risk
 * that is taken for less time is Pareto-optimal too.
 */
export const resourceGathering = defineEnv({
  id: 'resource-gathering-v0',
  summary: 'Resource gathering: fetch gold and a gem past enemies.',
  family: 'mo-gymnasium',
  source: 'Barrett and Narayanan, ICML 2008',
  objectives: [{ name: 'Safety' }, { name: 'Gold' }, { name: 'Gem' }],
  actionSpace: discrete(MOVES.length),
  horizon: HORIZON,
  discount: 0.95,
  discountedReturns: true,
  // Being caught is the worst; the others are as far below what coming home with nothing earns.
  referencePoint: [-1, -1, -1],
  coverageTolerance: 0.01,
  knownFront: foundOnce(gatheringFront),
  settings: [quickForFewStates(30_000, 10)],
  view: { kind: 'scene', width: SIZE, height: SIZE, draw },
  make() {
    let at = HOME;
    return {
      observationSpace: continuous([0, 0, 0, 0], [SIZE - 1, SIZE - 1, 1, 1]),
      start: () => void (at = HOME),
      advance(action, reward, random) {
        at = moved(at, action);
        const cell = cellAt(at);
        if (cell === 'E' && random.uniform() < RISK) {
          reward[0] = -1;
          return true;
        }
        if (cell !== 'H') return false;
        reward.set([0, at.gold, at.gem]);
        return true;
      },
      observe: (out) => out.set([at.row, at.column, at.gold, at.gem]),
      info: () => ({ ...at }),
      save: () => ({ ...at }),
      load(state) {
        at = {
          row: loadInteger(state, 'row', SIZE - 1),
          column: loadInteger(state, 'column', SIZE - 1),
          gold: loadInteger(state, 'gold', 1),
          gem: loadInteger(state, 'gem', 1),
        };
      },
    };
  },
});

/** Home, enemies, gold and the gem, which go along once they are taken. */
function draw([row, column, gold, gem]: readonly number[]) {
  const there = [column + 0.5, SIZE - row - 0.5] as const;
  const shapes = [...MAP.keys()].flatMap((y) => {
    return Array.from(MAP[y], (cell, x) => {
      const [left, bottom] = [x, SIZE - 1 - y];
      if (cell === 'H') return [rectangle('mark', [left + 0.1, bottom + 0.1], 0.8, 0.8)];
      if (cell !== 'E') return [];
      return [
        polygon(0, [
          [left + 0.15, bottom + 0.15],
          [left + 0.85, bottom + 0.15],
          [left + 0.5, bottom + 0.85],
        ]),
      ];
    }).flat();
  });
  const carried = [gold, gem];
  const resources = ['R', 'G'].map((letter, k) => {
    const y = MAP.findIndex((cells) => cells.includes(letter));
    const at = [MAP[y].indexOf(letter) + 0.5, SIZE - y - 0.5] as const;
    return circle(
      k + 1,
      carried[k] > 0 ? [there[0] - 0.25 + 0.5 * k, there[1] + 0.3] : at,
      carried[k] > 0 ? 0.12 : 0.25,
    );
  });
  return [...shapes, circle('actor', there, 0.3), ...resources];
}

/** How a way to a place went: the probability of being free, and the discounted one of having been caught. */
interface Way {
  readonly free: number;
  readonly caught: number;
}

/**
 * The expected returns of all ways home, of which there is one for each policy as long as it is not caught. Of the ways
 * that lead to the same place in the same time only those are followed on that no other one is better than. Moves against
 * a wall are none: a policy without memory would make them for ever.
 */
function gatheringFront(discount: number): number[][] {
  const returns: number[][] = [];
  let reached = new Map<number, { readonly place: Place; ways: Way[] }>();
  reached.set(keyOf(HOME), { place: HOME, ways: [{ free: 1, caught: 0 }] });
  for (let step = 0; step < HORIZON; step++) {
    const factor = discount ** step;
    const next: typeof reached = new Map();
    for (const { place: from, ways } of reached.values()) {
      for (const move of MOVES.keys()) {
        const place = moved(from, move);
        if (place.row === from.row && place.column === from.column) continue;
        const cell = cellAt(place);
        for (const { free, caught } of ways) {
          if (cell === 'H') {
            returns.push([0 - caught, factor * free * place.gold, factor * free * place.gem]);
          } else {
            const risk = cell === 'E' ? RISK : 0;
            follow(next, place, { free: free * (1 - risk), caught: caught + factor * free * risk });
          }
        }
      }
    }
    reached = next;
  }
  return nonDominated(returns);
}

function follow(reached: Map<number, { readonly place: Place; ways: Way[] }>, place: Place, way: Way): void {
  const key = keyOf(place);
  const known = reached.get(key);
  if (known === undefined) {
    reached.set(key, { place, ways: [way] });
  } else if (!known.ways.some(({ free, caught }) => free >= way.free && caught <= way.caught)) {
    known.ways = [...known.ways.filter(({ free, caught }) => free > way.free || caught < way.caught), way];
  }
}

function keyOf({ row, column, gold, gem }: Place): number {
  return ((row * SIZE + column) * 2 + gold) * 2 + gem;
}
