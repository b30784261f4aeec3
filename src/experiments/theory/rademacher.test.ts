import { describe, expect, it } from 'vitest';
import { Random } from '../../random/index.js';
import { dot, norm } from './finding.js';
import { blockOf, linearSupremum, mixedFeatures, rademacher, reluSupremum } from './rademacher.js';

const relu = (x: number) => Math.max(0, x);

const scaled = (v: readonly number[]) => v.map((value) => value / norm(v));

function signsOf(random: Random, count: number): Float64Array {
  return Float64Array.from({ length: count }, () => (random.uniform() < 0.5 ? -1 : 1));
}

function cross([a, b, c]: readonly number[], [x, y, z]: readonly number[]): number[] {
  return [b * z - c * y, c * x - a * z, a * y - b * x];
}

/** A state of one number and a preference, two rows for each of five preferences. */
function someRows(random: Random): number[][] {
  return Array.from({ length: 5 }, () => random.uniform()).flatMap((w) =>
    [0, 1].map(() => [random.normal(), w, 1 - w]),
  );
}

/** On which sides of two great circles the cells around a corner lie. */
const SIDES = [[0, 0], [0, 1], [1, 0], [1, 1]]; // oxfmt-ignore

/**
 * The maximum of |sum_i e_i relu(u.x_i)| over the unit sphere in three dimensions, exactly. The great circles u.x_i = 0 cut
 * it into cells, in each of which the sum is q.u for some q. So a maximum is at q / |q|, or on an edge, where the part of q
 * along the edge takes its place, or at a corner. All of these are tried, from the corners around which they lie.
 */
function bruteForce(rows: readonly number[][], signs: Float64Array): number {
  const valueAt = (u: readonly number[]) => Math.abs(rows.reduce((sum, x, i) => sum + signs[i] * relu(dot(x, u)), 0));
  let best = 0;
  for (let i = 0; i < rows.length; i++) {
    for (let j = 0; j < i; j++) {
      for (const side of [1, -1]) {
        const corner = scaled(cross(rows[i], rows[j])).map((value) => side * value);
        best = Math.max(best, valueAt(corner));
        for (const [onI, onJ] of SIDES) {
          const on = rows.map((x, k) => (k === i ? onI : k === j ? onJ : Number(dot(x, corner) > 0)));
          const q = [0, 1, 2].map((d) => rows.reduce((sum, x, k) => sum + on[k] * signs[k] * x[d], 0));
          for (const edge of [undefined, rows[i], rows[j]]) {
            const along =
              edge === undefined ? q : q.map((value, d) => value - (dot(q, edge) / dot(edge, edge)) * edge[d]);
            if (norm(along) < 1e-9) continue;
            best = Math.max(best, valueAt(scaled(along)), valueAt(scaled(along.map((value) => -value))));
          }
        }
      }
    }
  }
  return best;
}

describe('reluSupremum(block, signs, random, starts)', () => {
  it('finds the maximum that brute force finds', () => {
    const random = new Random(1);
    for (let draw = 0; draw < 20; draw++) {
      const rows = someRows(random);
      const signs = signsOf(random, rows.length);
      expect(reluSupremum(blockOf(rows), signs, random, 20)).toBeCloseTo(bruteForce(rows, signs), 5);
    }
  });

  it('finds the maximum on a fine grid of directions where parameters depend on the preference', () => {
    const random = new Random(2);
    for (let draw = 0; draw < 5; draw++) {
      const states = Array.from({ length: 12 }, () => [random.normal()]);
      const features = states.map(() => [1, random.uniform()]);
      const signs = signsOf(random, states.length);
      let best = 0;
      for (let angle = 0; angle < 2 * Math.PI; angle += 1e-3) {
        const outputs = states.map(
          ([s], i) => signs[i] * relu(s * dot(features[i], [Math.cos(angle), Math.sin(angle)])),
        );
        best = Math.max(best, norm([0, 1].map((k) => dot(outputs, features.map((c) => c[k]))))); // oxfmt-ignore
      }
      const found = reluSupremum(blockOf(states, features), signs, random, 20);
      expect(found).toBeGreaterThan(best - 1e-6);
      expect(found).toBeLessThan(best + 1e-2);
    }
  });

  it('is not exceeded by networks with several neurons and the same Frobenius norms', () => {
    const random = new Random(3);
    const rows = someRows(random);
    const signs = signsOf(random, rows.length);
    const supremum = reluSupremum(blockOf(rows), signs, random, 20);
    let best = 0;
    for (let network = 0; network < 10_000; network++) {
      const first = scaled([...random.fillNormal(new Float64Array(6))]);
      const second = scaled([...random.fillNormal(new Float64Array(2))]);
      const outputs = rows.map((x) => second[0] * relu(dot(first.slice(0, 3), x)) + second[1] * relu(dot(first.slice(3), x))); // oxfmt-ignore
      best = Math.max(best, dot(signs, outputs));
    }
    expect(best).toBeLessThan(supremum);
    // Most of the weight must be in one neuron to come close, which few random networks have.
    expect(best).toBeGreaterThan(0.7 * supremum);
  });

  it('is exceeded where the spectral norm is bounded, by as many neurons as there are inputs', () => {
    const rows = [[1, 0], [0, 1]]; // oxfmt-ignore
    const signs = Float64Array.of(1, -1);
    expect(reluSupremum(blockOf(rows), signs, new Random(4), 10)).toBeCloseTo(1, 6);
    // The identity has spectral norm 1, and the outputs (1, -1) / sqrt(2) have length 1.
    const network = (x: readonly number[]) => (relu(x[0]) - relu(x[1])) / Math.SQRT2;
    expect(dot(signs, rows.map(network))).toBeCloseTo(Math.SQRT2, 12);
  });

  it('is at most what the lemma of the paper allows for two layers', () => {
    const random = new Random(5);
    const rows = someRows(random);
    const block = blockOf(rows);
    const sums = Array.from({ length: 50 }, () => reluSupremum(block, signsOf(random, rows.length), random, 4));
    const bound = (Math.sqrt(2 * Math.LN2 * 2) + 1) * norm(rows.flat());
    expect(sums.reduce((all, value) => all + value, 0) / sums.length).toBeLessThan(bound);
  });
});

describe('linearSupremum(block, signs)', () => {
  it('is the length of the signed sum', () => {
    expect(linearSupremum(blockOf([[1, 2], [4, -2]]), Float64Array.of(1, -1))).toBe(5); // oxfmt-ignore
  });
});

describe('mixedFeatures(alpha, w)', () => {
  it.each([0, 0.05, 0.5, 1])(
    'has the inner products of [1 - alpha, alpha w1, alpha w2, alpha] at alpha %d',
    (alpha) => {
      const [v, w] = [[0.3, 0.7], [0.9, 0.1]]; // oxfmt-ignore
      const all = ([w1, w2]: readonly number[]) => [1 - alpha, alpha * w1, alpha * w2, alpha];
      expect(dot(mixedFeatures(alpha, v), mixedFeatures(alpha, w))).toBeCloseTo(dot(all(v), all(w)), 12);
      expect(dot(mixedFeatures(alpha, w), mixedFeatures(alpha, w))).toBeCloseTo(dot(all(w), all(w)), 12);
    },
  );
});

describe('rademacher(options, alphas)', () => {
  const classes = [['linear', undefined, 12] as const, ['with a hidden layer', 60, 4] as const];

  it.each(classes)('is the same for both classes if there is one preference, for policies %s', (_, starts, digits) => {
    const options = { preferences: 1, states: 30, dataSets: 2, draws: 10, seed: 4, starts };
    const { conditioned, fused } = rademacher(options, []);
    expect(fused.complexity.mean).toBeCloseTo(conditioned.complexity.mean, digits);
    expect(fused.ofConditioned.mean).toBeCloseTo(1, digits);
  });

  it.each(classes)('has an order that depends on the norm that is bounded, for policies %s', (_, starts, digits) => {
    const options = { preferences: 5, states: 6, dataSets: 2, draws: 8, seed: 5, starts };
    const { conditioned, fused, trained } = rademacher(options, [0, 0.05]);
    expect(fused.isNeverBehind).toBe(true);
    expect(fused.ofConditioned.mean).toBeGreaterThan(1.5);
    expect(trained[0].complexity.mean).toBeCloseTo(conditioned.complexity.mean, digits);
    expect(trained[1].ofConditioned.mean).toBeLessThan(1);
  });

  it('does not fall with the samples in the fused class if each has a preference of its own', () => {
    const complexity = (preferences: number, starts?: number) =>
      rademacher({ preferences, states: 1, dataSets: 2, draws: 2, seed: 6, starts }, []).fused.complexity.mean;
    // A single row is fitted up to its length by a linear policy, and by a neuron just as well.
    expect(complexity(50, 20)).toBeCloseTo(complexity(50), 6);
    expect(complexity(200)).toBeGreaterThan(0.9 * complexity(50));
  });

  it('has the standard error over data sets, and less of it that is due to the signs the more of them are drawn', () => {
    const options = { preferences: 5, states: 10, dataSets: 4, draws: 100, seed: 7 };
    const { conditioned, fused } = rademacher(options, []);
    const { mean, overDataSets, overDraws } = fused.complexity;
    const deviations = fused.byDataSet.map((value) => value - mean);
    expect(fused.byDataSet).toHaveLength(4);
    expect(overDataSets).toBeCloseTo(norm(deviations) / Math.sqrt(3 * 4), 12);
    expect(rademacher({ ...options, draws: 1600 }, []).fused.complexity.overDraws).toBeCloseTo(overDraws / 4, 3);
    expect(conditioned.ofConditioned).toEqual({ mean: 1, overDataSets: 0, overDraws: 0 });
    expect(rademacher({ ...options, dataSets: 1 }, []).fused.complexity.overDataSets).toBeNull();
  });
});
