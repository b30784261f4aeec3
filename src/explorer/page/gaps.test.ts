import { describe, expect, it } from 'vitest';
import {
  answersOf,
  answersOfSet,
  barsAround,
  bestFor,
  meanRegret,
  ownAnswersOf,
  regretsByWeight,
  worstOf,
} from './gaps.js';

// The policy of (0.5, 0.5) is dominated by that of (1, 0), and earns 3 of the 5 that are the most there.
const EVALUATED = {
  preferences: [
    [1, 0],
    [0.5, 0.5],
    [0, 1],
  ],
  returns: [
    [6, 4],
    [4, 2],
    [0, 5],
  ],
};
const ANSWERS = answersOf(EVALUATED, [0, 0]);

describe('answersOf', () => {
  it('tells which policies others of the set dominate, and what their preferences lose by them', () => {
    expect(ANSWERS.map(({ isDominated }) => isDominated)).toEqual([false, true, false]);
    expect(ANSWERS.map(({ regret }) => regret)).toEqual([0, 0.4, 0]);
  });

  it('measures utilities from the reference point', () => {
    // 6 - 1 and 4 - 1 against 4 - 1 and 2 - 1: half of four.
    expect(answersOf(EVALUATED, [1, 1])[1].regret).toBeCloseTo(1 - 2 / 4, 12);
  });

  it('measures what is lost against own policies too, where those of others answer', () => {
    // The middle one is answered by the policy of (1, 0) and earns 5; the own policy of (0, 1) would earn 6 there.
    const own = [
      [6, 4],
      [4, 2],
      [2, 10],
    ];
    const calibrated = { ...EVALUATED, returns: [EVALUATED.returns[0], EVALUATED.returns[0], [0, 5]], own };
    expect(answersOf(calibrated, [0, 0]).map(({ regret }) => regret)).toEqual([0, 1 - 5 / 6, 0.5]);
    const byThemselves = ownAnswersOf(calibrated, [0, 0])!;
    expect(byThemselves.map(({ regret }) => regret)).toEqual([0, 0.5, 0]);
    expect(meanRegret(byThemselves)).toBeCloseTo(0.5 / 3, 12);
    expect(bestFor(byThemselves, [0.5, 0.5])!.preference).toEqual([0, 1]);
    expect(ownAnswersOf(EVALUATED, [0, 0])).toBe(undefined);
  });

  it('calls none of several policies dominated that return the same', () => {
    const same = { preferences: EVALUATED.preferences, returns: [[1, 1], [1, 1], [0, 2]] }; // oxfmt-ignore
    expect(answersOf(same, [0, 0]).some(({ isDominated }) => isDominated)).toBe(false);
  });

  it('is empty where nothing was evaluated', () => {
    expect(answersOf({ preferences: [], returns: [] }, [0, 0])).toEqual([]);
  });
});

describe('answersOfSet', () => {
  it('puts the policies of a finite set in the order of their weights, and none has a regret', () => {
    // As an archive has them; (3, 3) is never the best, and stands at the preference that loses least by it.
    const archive = {
      preferences: [[0.5, 0.5], [1, 0], [0.5, 0.5], [0, 1]], // oxfmt-ignore
      returns: [[5, 4], [9, 1], [3, 3], [0, 6]], // oxfmt-ignore
    };
    expect(answersOf(archive, [0, 0])[2].regret).toBeCloseTo(0.4, 12);
    const answers = answersOfSet(archive, [0, 0]);
    expect(answers.map(({ returns }) => returns[0])).toEqual([0, 3, 5, 9]);
    expect(answers.map(({ regret }) => regret)).toEqual([0, 0, 0, 0]);
    expect(answers.map(({ isDominated }) => isDominated)).toEqual([false, true, false, false]);
  });
});

describe('barsAround', () => {
  it('reach halfway to the neighbours of a place, and as far beyond the first and the last', () => {
    expect(barsAround([10, 20, 50])).toEqual([[5, 15], [15, 35], [35, 65]]); // oxfmt-ignore
    expect(barsAround([0, 1, 2])).toEqual([[-0.5, 0.5], [0.5, 1.5], [1.5, 2.5]]); // oxfmt-ignore
  });

  it('are the same around places that are the same', () => {
    expect(barsAround([10, 10, 20, 50, 50])).toEqual([[5, 15], [5, 15], [15, 35], [35, 65], [35, 65]]); // oxfmt-ignore
  });

  it('can be seen around a single place, and are none around none', () => {
    expect(barsAround([7])).toEqual([[5, 9]]);
    expect(barsAround([7, 7])).toEqual([[5, 9], [5, 9]]); // oxfmt-ignore
    expect(barsAround([])).toEqual([]);
  });
});

describe('worstOf', () => {
  it('is where most is lost, and nowhere if nothing is', () => {
    expect(worstOf(ANSWERS)).toBe(ANSWERS[1]);
    expect(worstOf([ANSWERS[0], ANSWERS[2]])).toBeUndefined();
  });
});

describe('bestFor', () => {
  it('is the policy with the largest utility, whichever preference it was asked for', () => {
    expect(bestFor(ANSWERS, [0.5, 0.5])).toBe(ANSWERS[0]);
    expect(bestFor(ANSWERS, [0.1, 0.9])).toBe(ANSWERS[2]);
    expect(bestFor([], [1, 0])).toBeUndefined();
  });
});

describe('regretsByWeight', () => {
  it('takes preferences together that give an objective the same weight, however it is rounded', () => {
    const answer = (weight: number, regret: number) => ({
      ...{ preference: [weight, 1 - weight], returns: [0, 0], isDominated: regret > 0, regret },
    });
    const answers = [answer(0.3, 0.25), answer(0, 0), answer(0.1 + 0.2, 0.75)];
    expect(regretsByWeight(answers, 0)).toEqual([
      { weight: 0, mean: 0, worst: 0 },
      { weight: 0.3, mean: 0.5, worst: 0.75 },
    ]);
  });

  it('takes policy sets of any size', () => {
    const one = { preference: [1, 0], returns: [0, 0], isDominated: true, regret: 0.5 };
    expect(regretsByWeight(Array<typeof one>(200_000).fill(one), 0)).toEqual([{ weight: 1, mean: 0.5, worst: 0.5 }]);
  });
});
