import { describe, expect, it } from 'vitest';
import { bestAnswers, regretOfAnswers } from './index.js';

const preferences = [
  [1, 0],
  [0.5, 0.5],
  [0, 1],
];

describe('the best answers', () => {
  it('are by the policy with the largest utility where the own one loses more than the tolerance', () => {
    // At equal weights 3, 5 and 3.5 of 5; at the ends 6 of 6, and 7 of 7.
    const returns = [
      [6, 0],
      [1, 1],
      [3, 7],
    ];
    expect(bestAnswers({ preferences, returns }, [0, 0], 0.02)).toEqual([
      [1, 0],
      [0, 1],
      [0, 1],
    ]);
    // 1 of 5 is a regret of 0.8.
    expect(bestAnswers({ preferences, returns }, [0, 0], 0.8)).toEqual(preferences);
    expect(bestAnswers({ preferences, returns }, [0, 0], 0.79)[1]).toEqual([0, 1]);
  });

  it('are measured from the reference point', () => {
    const returns = [
      [-90, -100],
      [-96, -96],
      [-100, -90],
    ];
    // From -100: 5, 4 and 5 of 5, a regret of 0.2; of the two best the first is taken.
    expect(bestAnswers({ preferences, returns }, [-100, -100], 0.1)[1]).toEqual([1, 0]);
    expect(bestAnswers({ preferences, returns }, [-100, -100], 0.3)).toEqual(preferences);
  });

  it('are the own ones where no policy is above the reference point', () => {
    const returns = preferences.map(() => [-5, -5]);
    expect(bestAnswers({ preferences, returns }, [0, 0], 0)).toEqual(preferences);
  });
});

describe('the regret of answers', () => {
  it('is against the best of all policies, also of one that answers nobody any more', () => {
    const reference = [0, 0];
    // The first two policies are alike, and lose a half; the last is the best for them, and fails its own preference.
    const asked = [
      [1, 0],
      [0.9, 0.1],
      [0.5, 0.5],
      [0, 1],
    ];
    const own = [
      [5.1, 0],
      [5.1, 0],
      [0, 10],
      [10, 0.1],
    ];
    const used = bestAnswers({ preferences: asked, returns: own }, reference, 0.5);
    expect(used).toEqual([asked[0], asked[1], asked[2], asked[2]]);
    const answered = { preferences: asked, returns: [own[0], own[1], own[2], own[2]] };
    const { own: before, answered: after } = regretOfAnswers({ preferences: asked, returns: own }, answered, reference);
    expect(before.worst).toBeCloseTo(0.99, 9);
    // 5.1 of 10 and 4.59 of 9.01, where a set that forgets the last policy would have no regret.
    expect(after.worst).toBeCloseTo(1 - 4.59 / 9.01, 9);
    expect(after.mean).toBeCloseTo((0.49 + (1 - 4.59 / 9.01) + (1 - 5 / 5.05)) / 4, 9);
  });
});
