/**
 * PG-MORL (Xu et al., "Prediction-guided multi-objective reinforcement learning for continuous robot control", ICML 2020):
 * the next tasks are those whose predicted results, together with all that is known, make the best front.
 */
import { hypervolume, nonDominated, sparsity } from '../../pareto/index.js';
import { simplexGrid } from '../../preferences/index.js';
import type { Random } from '../../random/index.js';
import { predictor } from './hyperbolic-model.js';
import { generational, type SelectionRule, type Situation, type Task } from './selection.js';

export interface PgMorlConfig {
  /** Weights that are considered for each policy. */
  readonly candidates: number;
  /** What a unit of sparsity costs in hypervolume. */
  readonly sparsityWeight: number;
  /** Divisions of the grid of the first weights; with three objectives, candidates come from a grid twice as fine. */
  readonly taskDivisions: number;
  /** Which of several equally good candidates is chosen. */
  readonly ties: 'first' | 'random';
}

export function pgMorl(config: PgMorlConfig): SelectionRule {
  return {
    ...generational,
    next(situation) {
      const { history, archive, weights, random } = situation;
      const candidates = candidatesOf(situation, config);
      const inOrder = config.ties === 'random' ? random.shuffle(candidates) : candidates;
      const chosen = chooseGreedily(inOrder, archive, weights.length, config.sparsityWeight);
      // Fewer candidates than tasks: the same ones again, since every task has to do something.
      const tasks =
        chosen.length > 0 ? chosen : situation.latest.map((from) => ({ from, weight: history[from].weight }));
      return weights.map((_, i) => tasks[i % tasks.length]);
    },
  };
}

/** A task and what is expected of it. */
export interface Candidate extends Task {
  readonly prediction: readonly number[];
}

function candidatesOf({ history, population, random }: Situation, config: PgMorlConfig): Candidate[] {
  return population.flatMap((place) => {
    const { weight: centre } = history[place];
    const tried = history.filter(({ parent }) => parent === place).map(({ weight }) => weight);
    const weights =
      centre.length === 2
        ? directionsAround(centre, config.candidates, tried)
        : gridAround(centre, config, tried, random);
    if (weights.length === 0) return [];
    const predict = predictor(history, place);
    return weights.map((weight) => ({ from: place, weight, prediction: predict(weight) }));
  });
}

/** Candidates are at most so far from the last weight. */
const REACH = Math.PI / 4;
/** Weights nearer to each other than this are the same. */
const SAME = 1e-3;

/** With two objectives: directions that are evenly spread around the last one, without those that were tried. */
export function directionsAround(
  centre: readonly number[],
  count: number,
  tried: readonly (readonly number[])[],
): number[][] {
  const middle = Math.atan2(centre[1], centre[0]);
  const weights: number[][] = [];
  for (let i = 0; i < count; i++) {
    const angle = count === 1 ? middle : middle - REACH + (2 * REACH * i) / (count - 1);
    if (angle < -1e-9 || angle > Math.PI / 2 + 1e-9) continue;
    const [x, y] = [Math.max(0, Math.cos(angle)), Math.max(0, Math.sin(angle))];
    weights.push([x / (x + y), y / (x + y)]);
  }
  return weights.filter((weight) => !isAmong(tried, weight));
}

/** With more: the last weight, and random ones near it of a grid twice as fine as that of the first tasks. */
function gridAround(
  centre: readonly number[],
  { candidates, taskDivisions }: PgMorlConfig,
  tried: readonly (readonly number[])[],
  random: Random,
): number[][] {
  const others = simplexGrid(centre.length, 2 * taskDivisions).filter((weight) => {
    return angleBetween(centre, weight) < REACH && !isAmong([centre], weight);
  });
  return [[...centre], ...random.shuffle(others)].filter((weight) => !isAmong(tried, weight)).slice(0, candidates);
}

/**
 * Picks one candidate after the other: always the one with which the front of all that is known and of the predictions
 * picked so far has the largest hypervolume less its sparsity, and of equals the first.
 */
export function chooseGreedily(
  candidates: readonly Candidate[],
  archive: readonly (readonly number[])[],
  count: number,
  sparsityWeight: number,
): Task[] {
  const left = new Set(candidates);
  const chosen: Task[] = [];
  let front = nonDominated(archive);
  while (chosen.length < count && left.size > 0) {
    const asItIs = quality(front, sparsityWeight);
    let best: Candidate | undefined;
    let most = -Infinity;
    for (const candidate of left) {
      const { prediction } = candidate;
      // A dominated prediction changes nothing, and most are.
      const isDominated = front.some((point) => point.every((value, k) => value >= prediction[k]));
      const predicted = isDominated ? asItIs : quality(nonDominated([...front, prediction]), sparsityWeight);
      if (predicted > most) [best, most] = [candidate, predicted];
    }
    if (best === undefined) break;
    left.delete(best);
    chosen.push({ from: best.from, weight: best.weight });
    front = nonDominated([...front, best.prediction]);
  }
  return chosen;
}

function quality(front: readonly (readonly number[])[], sparsityWeight: number): number {
  if (front.length === 0) return 0;
  const origin = front[0].map(() => 0);
  return hypervolume(front, origin) - sparsityWeight * (sparsity(front).distinct ?? 0);
}

function isAmong(weights: readonly (readonly number[])[], weight: readonly number[]): boolean {
  return weights.some((other) => Math.hypot(...other.map((value, k) => value - weight[k])) < SAME);
}

function angleBetween(a: readonly number[], b: readonly number[]): number {
  const product = a.reduce((sum, value, k) => sum + value * b[k], 0);
  return Math.acos(Math.min(1, product / (Math.hypot(...a) * Math.hypot(...b))));
}
