import { describe, expect, it } from 'vitest';
import { bestAnswers } from './index.js';

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
