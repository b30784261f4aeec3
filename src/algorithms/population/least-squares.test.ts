import { describe, expect, it } from 'vitest';
import { leastSquares, type Misfit } from './least-squares.js';

/** y = p0 + p1 x. */
function line(xs: readonly number[], ys: readonly number[]): Misfit {
  return {
    observations: xs.length,
    evaluate(p, residuals, slopes) {
      xs.forEach((x, i) => {
        residuals[i] = p[0] + p[1] * x - ys[i];
        slopes.set([1, x], 2 * i);
      });
    },
  };
}

/** y = p0 exp(p1 x). */
function growth(xs: readonly number[], ys: readonly number[]): Misfit {
  return {
    observations: xs.length,
    evaluate(p, residuals, slopes) {
      xs.forEach((x, i) => {
        const e = Math.exp(p[1] * x);
        residuals[i] = p[0] * e - ys[i];
        slopes.set([e, p[0] * x * e], 2 * i);
      });
    },
  };
}

const wide = { start: [0, 0], lower: [-1e6, -1e6], upper: [1e6, 1e6] };

describe('leastSquares', () => {
  it('finds the regression line', () => {
    // Means 1 and 2; the slope is ((-1)(-1) + 0 (1) + (1)(0)) / (1 + 0 + 1).
    const { parameters } = leastSquares(line([0, 1, 2], [1, 3, 2]), wide);
    expect(parameters[0]).toBeCloseTo(1.5, 9);
    expect(parameters[1]).toBeCloseTo(0.5, 9);
  });

  it('finds the parameters that data was made with', () => {
    const xs = [0, 0.5, 1, 1.5, 2];
    const ys = xs.map((x) => 3 * Math.exp(-0.7 * x));
    const { parameters, cost } = leastSquares(growth(xs, ys), { ...wide, start: [1, 1] });
    expect(parameters[0]).toBeCloseTo(3, 6);
    expect(parameters[1]).toBeCloseTo(-0.7, 6);
    expect(cost).toBeLessThan(1e-12);
  });

  it('stays within its bounds and fits the rest as well as that allows', () => {
    // With a slope of at most 1/4 the best intercept is the mean of y - x / 4: (1 + 2.75 + 1.5) / 3.
    const { parameters } = leastSquares(line([0, 1, 2], [1, 3, 2]), { ...wide, upper: [1e6, 0.25] });
    expect(parameters[1]).toBe(0.25);
    expect(parameters[0]).toBeCloseTo(1.75, 6);
    expect([...leastSquares(line([0], [7]), { ...wide, lower: [2, 0], upper: [2, 0] }).parameters]).toEqual([2, 0]);
  });

  it('does not follow a single wild observation where a scale is given', () => {
    const xs = [0, 1, 2, 3, 4];
    const ys = [0, 1, 2, 3, 1000];
    // The slope of the last residual's loss is that of a residual of one scale, however far it is.
    const plain = leastSquares(line(xs, ys), wide).parameters;
    const robust = leastSquares(line(xs, ys), { ...wide, scale: 0.1 }).parameters;
    expect(plain[1]).toBeGreaterThan(100);
    expect(Math.abs(robust[1] - 1)).toBeLessThan(0.1);
  });

  it('weighs residuals by the soft-L1 loss', () => {
    // One parameter, observations 0 and 0 and 3, scale 1: the slope of the loss is r / sqrt(1 + r^2), so that the answer m
    // solves 2 m / sqrt(1 + m^2) = (3 - m) / sqrt(1 + (3 - m)^2); 0.5233 does.
    const constant: Misfit = {
      observations: 3,
      evaluate(p, residuals, slopes) {
        [0, 0, 3].forEach((y, i) => (residuals[i] = p[0] - y));
        slopes.fill(1);
      },
    };
    const [m] = leastSquares(constant, { start: [0], lower: [-9], upper: [9], scale: 1 }).parameters;
    expect((2 * m) / Math.hypot(1, m)).toBeCloseTo((3 - m) / Math.hypot(1, 3 - m), 5);
    expect(m).toBeCloseTo(0.52327, 4);
  });

  it('refuses bounds that leave nothing', () => {
    expect(() => leastSquares(line([0], [0]), { ...wide, lower: [0, 1], upper: [0, 0] })).toThrow(
      new RangeError('lower[1] is 1, but must be at most upper[1], which is 0.'),
    );
  });
});
