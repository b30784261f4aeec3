/**
 * Nonlinear least squares within bounds, for fits of a few parameters: Levenberg-Marquardt with a robust loss. PG-
 * MORL's prediction model is fitted with it.
 */
import { solveInPlace } from '../../preferences/solve.js';

/** A model to fit: its residual at each observation, and the derivatives of these by its parameters. */
export interface Misfit {
  readonly observations: number;
  /** Fills `residuals`, and `slopes`: for each observation a row with a slope for each parameter. */
  evaluate(parameters: Float64Array, residuals: Float64Array, slopes: Float64Array): void;
}

export interface LeastSquaresOptions {
  readonly start: readonly number[];
  readonly lower: readonly number[];
  readonly upper: readonly number[];
  /** Residuals well beyond this count by their size and no longer by its square; infinite for plain least squares. */
  readonly scale?: number;
}

export interface Fit {
  readonly parameters: Float64Array;
  /** Half the sum of the squared residuals, where they are small against the scale. */
  readonly cost: number;
  readonly steps: number;
}

const MOST_STEPS = 200;
/** A step that gains no more than this share of the cost is the last one. */
const SMALL_GAIN = 1e-12;
const FIRST_DAMPING = 1e-3;
/** With more damping than this, steps are too small to improve anything. */
const MOST_DAMPING = 1e12;

/**
 * Levenberg-Marquardt within bounds, with the soft-L1 loss s^2 (sqrt(1 + (r/s)^2) - 1) of every residual r, so that outliers
 * count less. A parameter at a bound whose gradient points outwards is left out of a step; steps are clipped to the
 * bounds.
 */
export function leastSquares(misfit: Misfit, { start, lower, upper, scale = Infinity }: LeastSquaresOptions): Fit {
  const size = start.length;
  start.forEach((_, i) => {
    if (lower[i] <= upper[i]) return;
    throw new RangeError(`lower[${i}] is ${lower[i]}, but must be at most upper[${i}], which is ${upper[i]}.`);
  });
  const within = (value: number, i: number) => Math.min(upper[i], Math.max(lower[i], value));
  const { observations } = misfit;
  const residuals = new Float64Array(observations);
  const slopes = new Float64Array(observations * size);
  const costOf = (candidate: Float64Array) => {
    misfit.evaluate(candidate, residuals, slopes);
    return residuals.reduce((sum, residual) => sum + loss(residual, scale), 0);
  };

  let parameters = Float64Array.from(start, within);
  let cost = costOf(parameters);
  let damping = FIRST_DAMPING;
  let steps = 0;
  while (steps < MOST_STEPS && damping < MOST_DAMPING) {
    steps++;
    const { gradient, curvature } = normalEquations(residuals, slopes, size, scale);
    const free = Array.from(gradient.keys()).filter((i) => {
      return gradient[i] > 0 ? parameters[i] > lower[i] : gradient[i] < 0 && parameters[i] < upper[i];
    });
    if (free.length === 0) break;
    let isBetter = false;
    while (!isBetter && damping < MOST_DAMPING) {
      const step = dampedStep(gradient, curvature, free, damping);
      const next = parameters.slice();
      free.forEach((i, k) => (next[i] = within(parameters[i] - step[k], i)));
      const nextCost = costOf(next);
      isBetter = nextCost < cost;
      if (!isBetter) {
        damping *= 4;
        continue;
      }
      const isOver = cost - nextCost <= SMALL_GAIN * cost;
      parameters = next;
      cost = nextCost;
      damping = Math.max(1e-12, damping / 5);
      if (isOver) return { parameters, cost, steps };
    }
  }
  return { parameters, cost, steps };
}

function loss(residual: number, scale: number): number {
  if (scale === Infinity) return residual ** 2 / 2;
  return scale ** 2 * (Math.sqrt(1 + (residual / scale) ** 2) - 1);
}

/** The gradient of the cost and its Gauss-Newton Hessian, with the weight that the loss gives each residual. */
function normalEquations(residuals: Float64Array, slopes: Float64Array, size: number, scale: number) {
  const gradient = new Float64Array(size);
  const curvature = Array.from({ length: size }, () => new Float64Array(size));
  residuals.forEach((residual, row) => {
    const weight = 1 / Math.sqrt(1 + (residual / scale) ** 2);
    const slope = slopes.subarray(row * size, (row + 1) * size);
    for (let i = 0; i < size; i++) {
      gradient[i] += weight * slope[i] * residual;
      for (let j = 0; j < size; j++) curvature[i][j] += weight * slope[i] * slope[j];
    }
  });
  return { gradient, curvature };
}

/** Solves (C + damping diag(C)) step = gradient for the free parameters. */
function dampedStep(
  gradient: Float64Array,
  curvature: readonly Float64Array[],
  free: readonly number[],
  damping: number,
): Float64Array {
  const a = free.map((i, k) => {
    const row = Float64Array.from(free, (j) => curvature[i][j]);
    row[k] += damping * curvature[i][i];
    return row;
  });
  const b = free.map((i) => Float64Array.of(gradient[i]));
  return solveInPlace(a, b) ? Float64Array.from(b, ([value]) => value) : new Float64Array(free.length);
}
