import { describe, expect, it } from 'vitest';
import { chebyshev, idealAndNadir } from '../pareto/index.js';
import { bestPreference } from './best-preference.js';

const evaluated = {
  preferences: [
    [0, 1],
    [0.25, 0.75],
    [0.5, 0.5],
    [0.75, 0.25],
    [1, 0],
  ],
  returns: [
    [0, 1],
    [30, 0.7],
    [30, 0.7],
    [20, 0.6],
    [100, 0],
  ],
};

describe('bestPreference', () => {
  it('chooses a balanced return by the Chebyshev utility, where equal weights have the largest sum at an end', () => {
    const utility = chebyshev([0.5, 0.5], idealAndNadir(evaluated.returns));
    // Shortfalls of 70 % and 30 % are better than 100 % of one objective.
    expect(bestPreference(evaluated, utility)).toMatchObject({ preference: [0.25, 0.75], return: [30, 0.7] });
    expect(bestPreference(evaluated, (point) => 0.5 * point[0] + 0.5 * point[1])).toMatchObject({
      return: [100, 0],
      utility: 50,
    });
  });

  it('takes any monotone utility, such as a threshold on one objective', () => {
    const enough = (point: ArrayLike<number>) => (point[1] >= 0.5 ? point[0] : -Infinity);
    expect(bestPreference(evaluated, enough)).toEqual({ preference: [0.25, 0.75], return: [30, 0.7], utility: 30 });
  });

  it('never chooses a dominated return, even of equal utility', () => {
    expect(
      bestPreference(
        {
          preferences: [
            [0, 1],
            [1, 0],
          ],
          returns: [
            [1, 1],
            [2, 1],
          ],
        },
        (point) => point[1],
      ),
    ).toMatchObject({ return: [2, 1] });
  });

  it('refuses a utility that is no number', () => {
    expect(() => bestPreference(evaluated, () => NaN)).toThrow('utility of [0, 1] is NaN, but must be a number.');
  });
});
