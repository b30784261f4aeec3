import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CORNERS, fromTriangle, inTriangle, nearestEvaluated, normalised, opposite, withWeight } from './simplex.js';

const sum = (weights: readonly number[]) => weights.reduce((total, weight) => total + weight, 0);
const weights = fc
  .array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 6 })
  .filter((own) => sum(own) > 1e-3);

describe('normalised', () => {
  it('scales weights to a sum of one', () => {
    expect(normalised([1, 3])).toEqual([0.25, 0.75]);
    expect(normalised([2, 0, 2])).toEqual([0.5, 0, 0.5]);
  });

  it('gives what rounding to four digits leaves over to the largest weight', () => {
    expect(normalised([1, 1, 1])).toEqual([0.3334, 0.3333, 0.3333]);
  });

  it('takes a negative weight for none', () => {
    expect(normalised([-0.5, 1])).toEqual([0, 1]);
  });

  it('has weights of four digits whose sum is one, and leaves those as they are', () => {
    fc.assert(
      fc.property(weights, (own) => {
        const tidy = normalised(own);
        expect(sum(tidy)).toBeCloseTo(1, 12);
        for (const weight of tidy) expect(Number(weight.toFixed(4))).toBe(weight);
        expect(normalised(tidy)).toEqual(tidy);
      }),
    );
  });
});

describe('opposite', () => {
  it('is the preference turned round', () => {
    expect(opposite([0.8, 0.2])).toEqual([0.2, 0.8]);
  });

  it('never is nearly the same one: where turning changes little, all weight goes to what weighs least', () => {
    expect(opposite([0.5, 0.5])).toEqual([0, 1]);
    expect(opposite([0.55, 0.45])).toEqual([0, 1]);
    expect(opposite([0.2, 0.6, 0.2])).toEqual([0, 0, 1]);
    fc.assert(
      fc.property(weights, (own) => {
        const [from, to] = [normalised(own), opposite(normalised(own))];
        const moved = from.reduce((total, weight, k) => total + Math.abs(weight - to[k]), 0) / 2;
        expect(moved).toBeGreaterThan(0.19);
      }),
    );
  });
});

describe('withWeight', () => {
  it('takes from the others in proportion to what they have', () => {
    const [first, second, third] = withWeight([0.5, 0.3, 0.2], 0, 0.75);
    expect([first, second, third].map((weight) => Number(weight.toFixed(12)))).toEqual([0.75, 0.15, 0.1]);
  });

  it('gives to all others alike where they have nothing', () => {
    expect(withWeight([1, 0, 0], 0, 0.5)).toEqual([0.5, 0.25, 0.25]);
  });

  it('keeps a weight between none and all', () => {
    expect(withWeight([0.5, 0.5], 0, 1.2)).toEqual([1, 0]);
    expect(withWeight([0.5, 0.5], 0, -0.2)).toEqual([0, 1]);
  });
});

describe('the triangle of preferences', () => {
  it('has all weight on an objective at its corner', () => {
    CORNERS.forEach(([x, y], k) => {
      const alone = [0, 1, 2].map((i) => (i === k ? 1 : 0));
      expect(inTriangle(alone)).toEqual([x, y]);
      fromTriangle(x, y)!.forEach((weight, i) => expect(weight).toBeCloseTo(alone[i], 12));
    });
  });

  it('leads from a preference to its place and back', () => {
    const three = fc.array(fc.double({ min: 0.001, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(three, (own) => {
        const preference = own.map((weight) => weight / sum(own));
        fromTriangle(...inTriangle(preference))!.forEach((weight, k) => expect(weight).toBeCloseTo(preference[k], 9));
      }),
    );
  });

  it('gives a place outside no weight of the objective across from it', () => {
    const [[x], [, bottom]] = CORNERS;
    const below = fromTriangle(x, bottom + 50)!;
    expect(below[0]).toBe(0);
    expect(below[1]).toBeCloseTo(below[2], 12);
  });
});

describe('nearestEvaluated', () => {
  const evaluated = {
    preferences: [
      [0, 1],
      [0.5, 0.5],
      [1, 0],
    ],
    returns: [
      [1, 9],
      [5, 5],
      [9, 1],
    ],
  };

  it('finds what was achieved at the preference that is most alike', () => {
    expect(nearestEvaluated(evaluated, [0.7, 0.3])).toEqual({ preference: [0.5, 0.5], returns: [5, 5] });
    expect(nearestEvaluated(evaluated, [0.8, 0.2])).toEqual({ preference: [1, 0], returns: [9, 1] });
  });

  it('finds it among any number of preferences', () => {
    const preferences = Array.from({ length: 200_000 }, (_, i) => [i / 200_000, 1 - i / 200_000]);
    expect(nearestEvaluated({ preferences, returns: preferences }, [0.25, 0.75])?.preference).toEqual([0.25, 0.75]);
  });

  it('finds nothing where nothing was evaluated', () => {
    expect(nearestEvaluated({ preferences: [], returns: [] }, [0.5, 0.5])).toBeUndefined();
  });
});
