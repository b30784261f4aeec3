import { describe, expect, it } from 'vitest';
import { Random } from '../random/index.js';
import { absNormal, assertPreference, roundPreference, uniformSimplex } from './index.js';

const DRAWS = 40_000;

/** The mean and variance of the first entry, and the share of draws in which it exceeds a half. */
function firstEntry(draw: (out: Float64Array) => Float64Array, objectives: number) {
  const out = new Float64Array(objectives);
  let sum = 0;
  let squares = 0;
  let large = 0;
  for (let i = 0; i < DRAWS; i++) {
    const [first] = draw(out);
    assertPreference(out, objectives);
    sum += first;
    squares += first * first;
    if (first > 0.5) large += 1;
  }
  const mean = sum / DRAWS;
  return { mean, variance: squares / DRAWS - mean * mean, large: large / DRAWS };
}

describe('uniformSimplex', () => {
  it.each([2, 3, 6])('has the moments of a flat Dirichlet distribution with %i objectives', (m) => {
    const random = new Random(1);
    const { mean, variance, large } = firstEntry((out) => uniformSimplex(random, out), m);
    expect(mean).toBeCloseTo(1 / m, 2);
    expect(variance).toBeCloseTo((m - 1) / (m * m * (m + 1)), 2);
    // P(first > x) = (1 - x)^(m - 1).
    expect(large).toBeCloseTo(0.5 ** (m - 1), 2);
  });
});

describe('absNormal', () => {
  it('is symmetric and nearer to the middle than the uniform distribution', () => {
    const random = new Random(2);
    const { mean, variance } = firstEntry((out) => absNormal(random, out), 6);
    expect(mean).toBeCloseTo(1 / 6, 2);
    // A flat Dirichlet distribution has the variance 5 / 252 = 0.0198.
    expect(variance).toBeLessThan(0.0175);
    expect(variance).toBeGreaterThan(0.0075);
  });

  it('divides absolute normal numbers by their sum', () => {
    const [a, b] = new Random(3).fillNormal(new Float64Array(2)).map(Math.abs);
    expect([...absNormal(new Random(3), new Float64Array(2))]).toEqual([a / (a + b), b / (a + b)]);
  });

  it('rounds to three decimals when asked', () => {
    const exact = absNormal(new Random(4), [0, 0, 0]);
    const rounded = absNormal(new Random(4), [0, 0, 0], { decimals: 3 });
    rounded.forEach((value, i) => {
      expect(value).toBe(Number(value.toFixed(3)));
      expect(Math.abs(value - exact[i])).toBeLessThanOrEqual(0.0005);
    });
  });
});

describe('samplers', () => {
  it('repeat themselves from the same seed', () => {
    for (const sample of [uniformSimplex, absNormal]) {
      expect(sample(new Random(5), new Float64Array(4))).toEqual(sample(new Random(5), new Float64Array(4)));
    }
  });

  it('fill what they are given and return it', () => {
    const out = new Float32Array(3);
    expect(uniformSimplex(new Random(6), out)).toBe(out);
    assertPreference(out, 3);
    expect(() => uniformSimplex(new Random(6), [])).toThrow('out has 0 entries, but must have one per objective.');
  });
});

describe('roundPreference', () => {
  it('rounds in place', () => {
    const w = [0.33349, 0.3335, 0.33301];
    expect(roundPreference(w, 3)).toBe(w);
    expect(w).toEqual([0.333, 0.334, 0.333]);
    expect(() => roundPreference(w, 1.5)).toThrow('decimals is 1.5, but must be an integer from 0 to 15.');
  });
});
