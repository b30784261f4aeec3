import { describe, expect, it } from 'vitest';
import { Random } from '../../random/index.js';
import { fitHyperbola, gainAt, predictor, type Hyperbola } from './hyperbolic-model.js';
import type { HistoryEntry } from './selection.js';

const known: Hyperbola = { A: 100, a: 6, b: 0.4, c: 15 };
const xs = Array.from({ length: 21 }, (_, i) => i / 20);

describe('gainAt', () => {
  it('is the published function', () => {
    const published = ({ A, a, b, c }: Hyperbola, x: number) =>
      (A * (Math.exp(a * (x - b)) - 1)) / (Math.exp(a * (x - b)) + 1) + c;
    for (const x of xs) expect(gainAt(known, x)).toBeCloseTo(published(known, x), 10);
    expect(gainAt(known, 0.4)).toBe(15);
    expect(gainAt(known, 1e6)).toBe(115);
  });
});

describe('fitHyperbola', () => {
  it('finds the parameters that gains were made with', () => {
    const fit = fitHyperbola(xs.map((x) => ({ x, gain: gainAt(known, x), weight: 1 })));
    expect(fit.A).toBeCloseTo(known.A, 3);
    expect(fit.a).toBeCloseTo(known.a, 4);
    expect(fit.b).toBeCloseTo(known.b, 5);
    expect(fit.c).toBeCloseTo(known.c, 3);
  });

  it('finds them nearly with noise, and where some of it is wild', () => {
    const random = new Random(3);
    const noisy = xs.map((x) => ({ x, gain: gainAt(known, x) + 2 * random.normal(), weight: 1 }));
    const wild = noisy.map((one, i) => (i === 5 ? { ...one, gain: 900 } : one));
    for (const observed of [noisy, wild]) {
      const fit = fitHyperbola(observed);
      for (const x of xs) expect(Math.abs(gainAt(fit, x) - gainAt(known, x))).toBeLessThan(15);
    }
  });

  it('does not follow what counts for nothing', () => {
    const observed = xs.flatMap((x) => [
      { x, gain: gainAt(known, x), weight: 1 },
      { x, gain: -300, weight: 1e-9 },
    ]);
    const fit = fitHyperbola(observed);
    for (const x of xs) expect(gainAt(fit, x)).toBeCloseTo(gainAt(known, x), 2);
  });

  it('stays within the published bounds', () => {
    // Gains that fall with the weight: the curve cannot, so that it is flat, at their mean.
    const flat = fitHyperbola(xs.map((x) => ({ x, gain: 10 - 2 * x, weight: 1 })));
    for (const x of xs) expect(gainAt(flat, x)).toBeCloseTo(9, 2);
    const huge = fitHyperbola(xs.map((x) => ({ x, gain: x < 0.5 ? -4000 : 4000, weight: 1 })));
    expect(huge.A).toBeLessThanOrEqual(500);
    expect(Math.abs(huge.c)).toBeLessThanOrEqual(500);
  });
});

describe('the fits of fitHyperbola', () => {
  // What SciPy 1.17 (least_squares, soft_l1, scale 20, started at 1, 1, 1, 1) makes of the same, as in PG-MORL.
  it.each([
    {
      xs: [0, 0.15, 0.2, 0.27, 0.37, 0.51, 0.83, 0.85, 0.88],
      gains: [-55.9, 15.8, 51.5, 88.1, 123.4, 150.6, 161.5, 160.1, 161.9],
      weights: [0.85, 0.34, 0.68, 0.66, 0.63, 0.6, 0.97, 0.8, 0.94],
      cost: 3.03617,
    },
    {
      xs: [0.1, 0.22, 0.3, 0.67, 0.87, 0.97],
      gains: [-19.9, 290.6, 1, 83.6, 108.2, 130.4],
      weights: [0.96, 0.42, 0.63, 0.69, 0.85, 0.83],
      cost: 2109.28,
    },
    {
      xs: [0.03, 0.04, 0.24, 0.32, 0.47, 0.55, 0.75, 0.88],
      gains: [72.6, 58.6, 102.9, 162, 97.8, 109.3, 143.8, 158.3],
      weights: [0.74, 0.52, 0.39, 0.97, 0.38, 1, 0.53, 0.48],
      cost: 759.582,
    },
    {
      xs: [0.25, 0.63, 0.68, 0.72, 0.81, 0.95],
      gains: [-103.1, 383, 96.1, 107.7, 132.6, 156],
      weights: [0.67, 0.61, 0.9, 0.35, 0.78, 0.64],
      cost: 3185.86,
    },
    {
      xs: [0.06, 0.11, 0.18, 0.41, 0.73, 0.76, 0.82, 0.91],
      gains: [-65.5, -73.2, -67.4, 2.6, 230.5, 233.3, 240.5, 238.4],
      weights: [0.68, 0.97, 0.6, 1, 0.9, 0.37, 0.72, 0.48],
      cost: 12.7625,
    },
    {
      xs: [0.04, 0.05, 0.19, 0.57, 0.61, 0.66, 0.8, 0.85, 0.96],
      gains: [38.7, -21.8, -8.8, 104.1, 101.6, 97.4, 110.2, 89, 74.6],
      weights: [0.63, 0.66, 0.99, 0.61, 0.64, 0.47, 0.48, 0.89, 0.56],
      cost: 513.182,
    },
  ])('are as good as those of SciPy: %#', ({ xs: at, gains, weights, cost }) => {
    const fit = fitHyperbola(at.map((x, i) => ({ x, gain: gains[i], weight: weights[i] })));
    const own = at.reduce((sum, x, i) => {
      const residual = weights[i] * (gainAt(fit, x) - gains[i]);
      return sum + 400 * (Math.sqrt(1 + (residual / 20) ** 2) - 1);
    }, 0);
    expect(own).toBeLessThan(1.001 * cost);
  });
});

describe('predictor', () => {
  const curves: readonly Hyperbola[] = [
    { A: 30, a: 5, b: 0.3, c: 10 },
    { A: 50, a: 4, b: 0.6, c: 5 },
  ];
  const weights = Array.from({ length: 6 }, (_, i) => [i / 5, 1 - i / 5]);
  /** A policy at a point, and what training for each weight brought it. */
  const family = (at: readonly number[], place: number, gains: (weight: readonly number[]) => readonly number[]) => [
    { parent: null, weight: [0.5, 0.5], objectives: at },
    ...weights.map((weight): HistoryEntry => {
      return { parent: place, weight, objectives: gains(weight).map((gain, k) => at[k] + gain) };
    }),
  ];
  const trueGains = (weight: readonly number[]) => curves.map((curve, k) => gainAt(curve, weight[k]));

  it('expects of a policy what training brought it, and between those weights too', () => {
    const predict = predictor(family([1000, 2000], 0, trueGains), 0);
    for (const weight of [...weights, [0.5, 0.5], [0.3, 0.7]]) {
      predict(weight).forEach((value, k) => expect(value).toBeCloseTo([1000, 2000][k] + trueGains(weight)[k], 1));
    }
  });

  it('learns from policies that did about as well, and not from others', () => {
    const near = family([1010, 2020], 0, trueGains);
    const far = family([5000, 100], near.length, () => [-400, 400]);
    const own: HistoryEntry = { parent: null, weight: [1, 0], objectives: [1000, 2000] };
    const history = [...near, ...far, own];
    const predicted = predictor(history, history.length - 1)([0.3, 0.7]);
    predicted.forEach((value, k) => expect(value).toBeCloseTo(own.objectives[k] + trueGains([0.3, 0.7])[k], 1));
  });

  it('looks farther where too little is known nearby', () => {
    // 15 % away: outside of the first box of 10 %, inside of the second of 20 %.
    const history = [...family([1150, 2300], 0, trueGains), { parent: null, weight: [1, 0], objectives: [1000, 2000] }];
    const predicted = predictor(history, history.length - 1)([0.8, 0.2]);
    predicted.forEach((value, k) => expect(value).toBeCloseTo([1000, 2000][k] + trueGains([0.8, 0.2])[k], 1));
  });

  it('expects nothing where nothing is known', () => {
    expect(predictor([{ parent: null, weight: [1, 0], objectives: [3, 4] }], 0)([0.5, 0.5])).toEqual([3, 4]);
    const zero = family([0, 0], 0, trueGains);
    expect(predictor(zero, 0)([0.5, 0.5])).toEqual([0, 0]);
  });
});
