/**
 * Theorem 1: if the optimality operator is a contraction in d(Q, Q') = sup |w.(Q - Q')|, the optimum of every preference is
 * its only fixed point, in which learning ends. The condition, and what follows from it, are true of the operator that
 * chooses the next action by w.Q; the condition is not met by the published algorithms, which choose it by S_c(I(w), Q) w.Q
 * with the cosine S_c and the interpolator I(w) of PD-MORL.
 */
import { keysOfFront } from '../../algorithms/index.js';
import { envInfo } from '../../envs/index.js';
import { fitInterpolator, keyPreferences, simplexGrid, uniformSimplex } from '../../preferences/index.js';
import { Random } from '../../random/index.js';
import { dot, shown, type Finding } from './finding.js';
import {
  applyOperator,
  distanceAt,
  iterate,
  randomMdp,
  randomTable,
  similarityScore,
  utilityScore,
  type QTable,
  type Score,
  type TabularMdp,
} from './tabular.js';

const DISCOUNT = 0.9;
const SIZE = { states: 6, actions: 3, objectives: 3 };
/** What rounding may add to a ratio of distances. */
const ROUNDING = 1e-9;

export interface PairOptions {
  readonly mdps: number;
  /** Pairs of Q-tables for each, at a preference of their own. */
  readonly pairs: number;
  readonly seed: number;
}

/** The largest d(CQ, CQ') / d(Q, Q') among random pairs, from far apart to close. */
function largestRatio({ mdps, pairs, seed }: PairOptions, scoreOf: (mdp: TabularMdp) => (w: Float64Array) => Score) {
  const random = new Random(seed);
  let largest = 0;
  for (let i = 0; i < mdps; i++) {
    const mdp = randomMdp(random, SIZE, DISCOUNT);
    const score = scoreOf(mdp);
    for (let j = 0; j < pairs; j++) {
      const w = uniformSimplex(random, new Float64Array(SIZE.objectives));
      const q = randomTable(random, SIZE, 1 / (1 - DISCOUNT));
      // From 10 down to 0.001: close pairs are those that an operator with jumps tears apart.
      const noise = randomTable(random, SIZE, 10 ** (1 - 4 * random.uniform()));
      const other = q.map((actions, s) => actions.map((x, a) => x.map((value, k) => value + noise[s][a][k])));
      const before = distanceAt(w, q, other);
      const after = distanceAt(w, applyOperator(mdp, q, score(w)), applyOperator(mdp, other, score(w)));
      largest = Math.max(largest, after / before);
    }
  }
  return largest;
}

/** The score with S_c of an MDP whose key solutions are optimal returns from its first state. */
function publishedScore(mdp: TabularMdp): (w: Float64Array) => Score {
  const preferences = keyPreferences(SIZE.objectives);
  const returns = preferences.map((w) => {
    const [start] = iterate(mdp, utilityScore(w), 100);
    return start.reduce((best, q) => (dot(w, q) > dot(w, best) ? q : best));
  });
  const interpolate = fitInterpolator(preferences, returns);
  return (w) => similarityScore(w, interpolate(w, new Float64Array(SIZE.objectives)));
}

export function scalarisedContracts(options: PairOptions): Finding {
  const ratio = largestRatio(options, () => utilityScore);
  const pairs = options.mdps * options.pairs;
  return {
    theorem: 1,
    statement: 'The scalarised optimality operator shrinks the distance by at least the discount.',
    holds: ratio <= DISCOUNT + ROUNDING,
    explanation: [
      'With the next action chosen by w.Q the theorem is Bellman optimality at each preference by itself: the utility ' +
        'of the chosen action is a maximum, and maxima of close tables are close.',
    ],
    table: {
      head: ['random MDPs', 'pairs of Q', 'discount', 'largest ratio'],
      rows: [[String(options.mdps), String(pairs), String(DISCOUNT), ratio.toFixed(6)]],
    },
    numbers: { mdps: options.mdps, pairs, discount: DISCOUNT, largestRatio: ratio },
  };
}

export interface PolicyOptions {
  readonly mdps: number;
  readonly seed: number;
  /** How the operator chooses the next action; by w.Q unless another way is tried. */
  readonly scoreOf?: (w: Float64Array) => Score;
}

/** Of MDPs whose policies are few enough to try all of them. */
const FEW = { states: 4, actions: 3, objectives: 3 };
/** After so many applications nothing is left of the start: 0.9^400 is 5e-19. */
const APPLICATIONS = 400;

export function scalarisedIsOptimal({ mdps, seed, scoreOf = utilityScore }: PolicyOptions): Finding {
  const random = new Random(seed);
  let largest = 0;
  for (let i = 0; i < mdps; i++) {
    const mdp = randomMdp(random, FEW, DISCOUNT);
    const w = uniformSimplex(random, new Float64Array(FEW.objectives));
    const fixed = iterate(mdp, scoreOf(w), APPLICATIONS).map((actions) => Math.max(...actions.map((q) => dot(w, q))));
    const best = bestOfAllPolicies(mdp, w);
    largest = Math.max(largest, ...fixed.map((value, s) => Math.abs(value - best[s]) / best[s]));
  }
  const policies = FEW.actions ** FEW.states;
  return {
    theorem: 1,
    statement: 'The fixed point of the scalarised operator is the optimum of every preference.',
    holds: largest <= ROUNDING,
    explanation: [
      'The optimum is found without the operator: every policy of small random MDPs is evaluated, and the best of them compared ' +
        'with the utilities of the fixed point, state by state. That an operator contracts does not show that; one that always ' +
        'chooses the first action does so too.',
    ],
    table: {
      head: ['random MDPs', 'policies of each', 'largest difference'],
      rows: [[String(mdps), String(policies), largest.toExponential(1)]],
    },
    numbers: { mdps, policies, largestDifference: largest },
  };
}

/** The largest utility of each state over all deterministic policies, each evaluated by itself. */
function bestOfAllPolicies({ rewards, next, discount }: TabularMdp, w: Float64Array): number[] {
  const best = rewards.map(() => -Infinity);
  for (let policy = 0; policy < FEW.actions ** FEW.states; policy++) {
    const chosen = rewards.map((_, s) => Math.floor(policy / FEW.actions ** s) % FEW.actions);
    let values = rewards.map(() => 0);
    for (let i = 0; i < APPLICATIONS; i++) {
      const known = values;
      values = chosen.map((a, s) => dot(w, rewards[s][a]) + discount * dot(next[s][a], known));
    }
    for (const [s, value] of values.entries()) best[s] = Math.max(best[s], value);
  }
  return best;
}

export function distanceIsPseudoMetric(): Finding {
  const grid = simplexGrid(2, 4);
  const distance = Math.max(...grid.map((w) => distanceAt(w, [[[0, 0]]], [[orthogonalTo(w)]])));
  const difference = Math.max(...grid.map((w) => Math.hypot(...orthogonalTo(w))));
  return {
    theorem: 1,
    statement: 'The distance is a pseudo-metric: two different Q are at distance 0.',
    holds: distance === 0 && difference > 0,
    explanation: [
      'Q = 0 and Q(s, a, w) = (w2, -w1) differ at every preference, and w.Q is 0 for both. The theorem calls the space a ' +
        'metric space; in truth a fixed point is unique in its utilities w.Q only, not in its vectors.',
    ],
    table: {
      head: ['distance', 'largest difference of vectors'],
      rows: [[shown(distance), shown(difference)]],
    },
    numbers: { distance, difference },
  };
}

const orthogonalTo = ([a, b]: readonly number[]): number[] => [b, -a];

/** Two actions whose order S_c turns around although no utility changes, and the distance after one application. */
function tornApart() {
  const w = [0.5, 0.5];
  const mdp: TabularMdp = { rewards: [[[0, 0]], [[0, 0], [0, 0]]], next: [[[0, 1]], [[1, 0], [1, 0]]], discount: DISCOUNT }; // oxfmt-ignore
  // I(w) = w. The second action has the higher utility, 6; the first, 5, wins when the second points elsewhere.
  const q: QTable = [[[0, 0]], [[5, 5], [6, 6]]]; // oxfmt-ignore
  const turned: QTable = [[[0, 0]], [[5, 5], [12, 0]]]; // oxfmt-ignore
  const score = similarityScore(w, w);
  return {
    before: distanceAt(w, q, turned),
    after: distanceAt(w, applyOperator(mdp, q, score), applyOperator(mdp, turned, score)),
  };
}

export function similarityExpands(options: PairOptions): Finding {
  const ratio = largestRatio(options, publishedScore);
  const pairs = options.mdps * options.pairs;
  const { before, after } = tornApart();
  return {
    theorem: 1,
    statement: 'With the similarity S_c in it, the operator is no contraction.',
    holds: ratio > 1 && before === 0 && after > 0,
    explanation: [
      'The action with the highest S_c w.Q need not have the highest w.Q. A small change of Q can turn the order around, ' +
        'and the utility of the chosen action then jumps: the closer the pair, the larger the ratio, without a bound.',
      'It is worse than that: the distance does not see directions, and S_c sees nothing else. In the second row the ' +
        'two Q have the same utilities everywhere and distance 0, and are apart after one application.',
    ],
    table: {
      head: ['pairs', 'before', 'after', 'ratio'],
      rows: [
        [`largest of ${pairs} random pairs on ${options.mdps} MDPs`, '-', '-', shown(ratio)],
        ['two actions, by hand', shown(before), shown(after), 'infinite'],
      ],
    },
    numbers: { mdps: options.mdps, pairs, discount: DISCOUNT, largestRatio: ratio, byHand: { before, after } },
  };
}

export interface FruitTreeResult {
  readonly depth: number;
  readonly preferences: number;
  /** Preferences whose leaf is not the best, acting by w.Q on the operator's fixed point. */
  readonly suboptimal: number;
  /** The same with the operator that chooses by w.Q. */
  readonly suboptimalScalarised: number;
  /** With S_c, where the policy acts by S_c w.Q as well. */
  readonly suboptimalActingBySimilarity: number;
  readonly leaves: number;
  readonly reached: number;
  /** Lost utility as a share of the best, where it is not the best: mean and largest. */
  readonly meanLoss: number;
  readonly largestLoss: number;
}

/**
 * The fixed point of both operators on a fruit tree, found from the leaves up, and the leaves that a policy reaches which
 * acts by w.Q on it, as the agents do.
 */
export function fruitTreeFixedPoint(depth: number): FruitTreeResult {
  const { knownFront, objectives, discount } = envInfo(`fruit-tree-d${depth}`);
  const leaves = knownFront!(discount);
  const size = objectives.length;
  const interpolate = fitInterpolator(keyPreferences(size), keysOfFront(size, leaves));
  // PD-MORL's test grid, which rounding leaves with 2568 of 3003 preferences.
  const grid = simplexGrid(size, 0.1, { floatExact: true });
  const reached = new Set<number>();
  const losses: number[] = [];
  let suboptimalScalarised = 0;
  let suboptimalActingBySimilarity = 0;
  for (const w of grid) {
    const utilities = leaves.map((leaf) => dot(w, leaf));
    const best = Math.max(...utilities);
    const isWorse = (leaf: number) => utilities[leaf] < best - ROUNDING;
    const scores = leaves.map(similarityScore(w, interpolate(w, new Float64Array(size))));
    const leaf = leafOf(utilities, scores);
    reached.add(leaf);
    if (isWorse(leaf)) losses.push(1 - utilities[leaf] / best);
    if (isWorse(leafOf(utilities, utilities))) suboptimalScalarised += 1;
    if (isWorse(leafOf(scores, scores))) suboptimalActingBySimilarity += 1;
  }
  return {
    depth,
    preferences: grid.length,
    suboptimal: losses.length,
    suboptimalScalarised,
    suboptimalActingBySimilarity,
    leaves: leaves.length,
    reached: reached.size,
    meanLoss: losses.reduce((sum, loss) => sum + loss, 0) / Math.max(1, losses.length),
    largestLoss: Math.max(0, ...losses),
  };
}

/**
 * Where acting by utility leads when Q is that of the leaves with the highest scores below. The rewards of a tree come at
 * its leaves, all at one depth, so a discount changes neither order and a node's Q is that of a leaf below it.
 */
function leafOf(utilities: readonly number[], scores: readonly number[]): number {
  const better = (values: readonly number[], a: number, b: number) => (values[b] > values[a] ? b : a);
  // For each level, from the root's children down to the leaves: which leaf each node's Q belongs to.
  const levels = [utilities.map((_, i) => i)];
  while (levels[0].length > 2) {
    const [below] = levels;
    levels.unshift(Array.from({ length: below.length / 2 }, (_, i) => better(scores, below[2 * i], below[2 * i + 1])));
  }
  let node = 0;
  for (const level of levels) {
    const [left, right] = [level[2 * node], level[2 * node + 1]];
    node = 2 * node + (better(utilities, left, right) === left ? 0 : 1);
  }
  return node;
}

/** The counts on record, which a change of the interpolator, the grid or the leaves would alter. */
const SUBOPTIMAL: Readonly<Record<number, number>> = { 5: 270, 6: 431, 7: 581 };

export function fruitTreeIsSuboptimal(depths: readonly number[]): Finding {
  const results = depths.map(fruitTreeFixedPoint);
  const percent = (share: number) => `${(100 * share).toFixed(2)} %`;
  return {
    theorem: 1,
    statement: 'On the fruit tree the operator with S_c has a fixed point that is not optimal, and the one without is.',
    holds: results.every(
      ({ depth, suboptimal, suboptimalScalarised, leaves, reached }) =>
        suboptimal === SUBOPTIMAL[depth] && suboptimalScalarised === 0 && reached === leaves,
    ),
    explanation: [
      'Q is the fixed point itself, without any learning, and the policy acts by w.Q, as the agents do (a policy that ' +
        'acted by S_c w.Q would be worse still). Below a node Q ' +
        'follows the leaf with the highest S_c w.Q, which is not always the best one, so the node looks worse than it is.',
      'Every leaf is still reached by some preference: hypervolume and coverage are those of an optimum, and do not see ' +
        'that other preferences get a leaf that is not theirs.',
    ],
    table: {
      head: [
        'depth',
        'preferences',
        'suboptimal',
        'acting by S_c too',
        'without S_c',
        'leaves reached',
        'mean loss there',
        'largest',
      ],
      rows: results.map((r) => [
        String(r.depth),
        String(r.preferences),
        String(r.suboptimal),
        String(r.suboptimalActingBySimilarity),
        String(r.suboptimalScalarised),
        `${r.reached} of ${r.leaves}`,
        percent(r.meanLoss),
        percent(r.largestLoss),
      ]),
    },
    numbers: { depths: results },
  };
}
