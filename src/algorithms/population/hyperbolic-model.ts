/**
 * PG-MORL's prediction of what training for a weight will bring (Xu et al., ICML 2020): the gain in an objective is a
 * hyperbolic function of the weight on that objective, fitted to what training brought policies that did about as well.
 */
import { leastSquares, type Misfit } from './least-squares.js';
import { bestOf, type HistoryEntry } from './selection.js';

/** gain = A (e^(a (x - b)) - 1) / (e^(a (x - b)) + 1) + c, with x the weight on the objective. */
export interface Hyperbola {
  readonly A: number;
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

export function gainAt({ A, a, b, c }: Hyperbola, x: number): number {
  // (e^u - 1) / (e^u + 1), without overflow.
  return A * Math.tanh((a * (x - b)) / 2) + c;
}

/** A gain that was seen at a weight, and how much it counts. */
export interface Observed {
  readonly x: number;
  readonly gain: number;
  readonly weight: number;
}

/** Residuals beyond this count linearly. */
const ROBUST_SCALE = 20;

/** Starts of the search for the middle of the curve: the cost has local minima, so one start is not enough. */
const MIDDLES = [0.25, 0.5, 0.75];
const STEEPNESS = 4;

/** Fits the curve, within the published bounds. */
export function fitHyperbola(observed: readonly Observed[]): Hyperbola {
  const gains = observed.map(({ gain }) => gain);
  const largest = Math.min(500, Math.max(1, Math.max(...gains) - Math.min(...gains)));
  const misfit: Misfit = {
    observations: observed.length,
    evaluate([A, a, b, c], residuals, slopes) {
      observed.forEach(({ x, gain, weight }, i) => {
        const t = Math.tanh((a * (x - b)) / 2);
        const steepness = (A * (1 - t * t)) / 2;
        residuals[i] = weight * (A * t + c - gain);
        slopes.set([weight * t, weight * steepness * (x - b), -weight * steepness * a, weight], 4 * i);
      });
    },
  };
  const fits = MIDDLES.map((middle) =>
    leastSquares(misfit, {
      start: [largest / 2, STEEPNESS, middle, 0],
      lower: [0, 0.1, -5, -500],
      upper: [largest, 20, 5, 500],
      scale: ROBUST_SCALE,
    }),
  );
  const [A, a, b, c] = bestOf(fits, ({ cost }) => -cost).parameters;
  return { A, a, b, c };
}

/** A step of training: from where, for which weight, and what it brought. */
interface TrainingStep {
  readonly from: readonly number[];
  readonly weight: readonly number[];
  readonly gains: readonly number[];
}

/** How many different weights a prediction needs. */
const ENOUGH = 4;
const SAME_WEIGHT = 1e-5;
/** Policies count as alike that differ by less than this share of each objective, and by how far apart they are. */
const FIRST_BOX = 0.1;
const FIRST_SIGMA = 0.03;
/** With a box of everything that is comparable there is nothing more to be had. */
const LARGEST_BOX = 1;

/**
 * What a policy is expected to achieve after being trained for a weight. Where nothing is known it is expected to stay
 * where it is.
 */
export function predictor(
  history: readonly HistoryEntry[],
  place: number,
): (weight: readonly number[]) => readonly number[] {
  const { objectives } = history[place];
  const { steps, sigma } = stepsNear(history, objectives);
  if (steps.length === 0) return () => objectives;
  const curves = objectives.map((_, k) =>
    fitHyperbola(
      steps.map(({ from, weight, gains }) => ({
        x: weight[k],
        gain: gains[k],
        weight: Math.exp(-((relativeDistance(from, objectives) / sigma) ** 2) / 2),
      })),
    ),
  );
  return (weight) => objectives.map((value, k) => value + gainAt(curves[k], weight[k]));
}

/** Steps that began near a point: of a box that is doubled until enough different weights are known. */
function stepsNear(history: readonly HistoryEntry[], objectives: readonly number[]) {
  const all = history.flatMap(({ parent, weight, objectives: reached }): TrainingStep[] => {
    if (parent === null) return [];
    const from = history[parent].objectives;
    return [{ from, weight, gains: reached.map((value, k) => value - from[k]) }];
  });
  for (let [box, sigma] = [FIRST_BOX, FIRST_SIGMA]; ; box *= 2, sigma *= 2) {
    const steps = all.filter(({ from }) =>
      from.every((value, k) => Math.abs(value - objectives[k]) < box * Math.abs(objectives[k])),
    );
    if (box >= LARGEST_BOX || hasEnoughWeights(steps)) return { steps, sigma };
  }
}

function hasEnoughWeights(steps: readonly TrainingStep[]): boolean {
  const different: (readonly number[])[] = [];
  for (const { weight } of steps) {
    if (different.some((other) => distance(other, weight) < SAME_WEIGHT)) continue;
    different.push(weight);
    if (different.length === ENOUGH) return true;
  }
  return false;
}

function relativeDistance(point: readonly number[], to: readonly number[]): number {
  return Math.hypot(...to.map((value, k) => (point[k] - value) / Math.abs(value)));
}

function distance(a: readonly number[], b: readonly number[]): number {
  return Math.hypot(...a.map((value, k) => value - b[k]));
}
