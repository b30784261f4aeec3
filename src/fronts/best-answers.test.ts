import { describe, expect, it } from 'vitest';
import { Random } from '../random/index.js';
import { bestAnswers, confirmedAnswers, doAnswersGain, earnedBy } from './index.js';

const preferences = [
  [1, 0],
  [0.5, 0.5],
  [0, 1],
];

const played = (...episodes: (readonly (readonly number[])[])[]) => ({ preferences, episodes });

/** Episodes in which the policies of the two ends earn nothing, and that of the middle so much less than the first. */
const gains = (...all: readonly number[]) =>
  played(
    ...all.map((gain) => [
      [0, 0],
      [-gain, -gain],
      [0, 0],
    ]),
  );

describe('the best answers', () => {
  it('are by the policy with the largest utility where the own one loses more than the tolerance', () => {
    // At equal weights 3, 1 and 5 of 5; at the ends 6 of 6, and 7 of 7.
    const returns = [
      [6, 0],
      [1, 1],
      [3, 7],
    ];
    expect(bestAnswers(played(returns), [0, 0], 0.02)).toEqual([0, 2, 2]);
    // 1 of 5 is a regret of 0.8.
    expect(bestAnswers(played(returns), [0, 0], 0.8)).toEqual([0, 1, 2]);
    expect(bestAnswers(played(returns), [0, 0], 0.79)).toEqual([0, 2, 2]);
  });

  it('go by the means of all episodes', () => {
    const even = [
      [6, 0],
      [1, 1],
      [3, 7],
    ];
    const odd = [
      [6, 0],
      [9, 9],
      [3, 7],
    ];
    // The middle one earns 1 and 9 of itself, and the last one 5: at most as much as the mean.
    expect(bestAnswers(played(even, odd), [0, 0], 0)).toEqual([0, 1, 2]);
    expect(bestAnswers(played(even, even, odd), [0, 0], 0)).toEqual([0, 2, 2]);
  });

  it('are measured from the reference point', () => {
    const returns = [
      [-90, -100],
      [-96, -96],
      [-100, -90],
    ];
    // From -100: 5, 4 and 5 of 5, a regret of 0.2; of the two best the first is taken.
    expect(bestAnswers(played(returns), [-100, -100], 0.1)).toEqual([0, 0, 2]);
    expect(bestAnswers(played(returns), [-100, -100], 0.3)).toEqual([0, 1, 2]);
  });

  it('are the own ones where no policy is above the reference point', () => {
    const returns = preferences.map(() => [-5, -5]);
    expect(bestAnswers(played(returns), [0, 0], 0)).toEqual([0, 1, 2]);
  });
});

describe('confirmed answers', () => {
  const answers = [0, 0, 2];

  it("are those that gain more than one in forty would by luck in other episodes, by Student's t", () => {
    // A standard deviation of 1 over three episodes: 4.303 standard errors are 2.4843.
    expect(confirmedAnswers(answers, gains(2, 3, 4))).toEqual([0, 0, 2]);
    expect(confirmedAnswers(answers, gains(1.49, 2.49, 3.49))).toEqual([0, 0, 2]);
    expect(confirmedAnswers(answers, gains(1.48, 2.48, 3.48))).toEqual([0, 1, 2]);
    // And of many episodes 2.086 standard errors of 0.1.
    const many = (mean: number) => gains(...Array.from({ length: 101 }, (_, i) => mean + (i - 50) * 0.0343));
    expect(confirmedAnswers(answers, many(0.21))).toEqual([0, 0, 2]);
    expect(confirmedAnswers(answers, many(0.2))).toEqual([0, 1, 2]);
  });

  it('are all that gain where nothing is random', () => {
    expect(confirmedAnswers(answers, gains(1e-9, 1e-9))).toEqual([0, 0, 2]);
    expect(confirmedAnswers(answers, gains(0, 0))).toEqual([0, 1, 2]);
    expect(confirmedAnswers(answers, gains(-1, -1))).toEqual([0, 1, 2]);
  });

  it('are none after a single episode, of which nobody knows how far it is from others', () => {
    expect(confirmedAnswers(answers, gains(5))).toEqual([0, 1, 2]);
  });

  it('compare policies within episodes, whatever these are worth to all of them', () => {
    const starts = [0, 1000, -500, 40];
    const episodes = starts.map((start) => [
      [start + 1, start + 1],
      [start, start],
      [start, start],
    ]);
    expect(confirmedAnswers(answers, played(...episodes))).toEqual([0, 0, 2]);
  });

  it('are hardly ever right by luck, and hardly ever gain together', () => {
    // Forty preferences whose policies are all alike but for noise, each answered by the one that looked best.
    const random = new Random(1);
    const normal = () => 10 + random.normal();
    const many = Array.from({ length: 40 }, () => [0.5, 0.5]);
    const part = (count: number) => ({
      preferences: many,
      episodes: Array.from({ length: count }, () => many.map(() => [normal(), normal()])),
    });
    for (const count of [2, 3, 10]) {
      let [others, kept, gained] = [0, 0, 0];
      for (let trial = 0; trial < 100; trial++) {
        const best = bestAnswers(part(count), [0, 0], 0.02);
        const confirmed = confirmedAnswers(best, part(count));
        const differing = (all: readonly number[]) => all.filter((answer, i) => answer !== i).length;
        others += differing(best);
        kept += differing(confirmed);
        gained += Number(doAnswersGain(confirmed, part(count)));
      }
      // One in forty, give or take what a hundred trials do; answers of one trial are often by the same policy.
      expect(others).toBeGreaterThan(2000);
      expect(kept / others).toBeLessThan(0.04);
      expect(gained).toBeLessThan(8);
    }
  });
});

describe('all answers together', () => {
  it('gain where they earn more than own policies on average over preferences, by more than luck', () => {
    expect(doAnswersGain([0, 0, 2], gains(2, 3, 4))).toBe(true);
    expect(doAnswersGain([0, 0, 2], gains(3, -1, 3))).toBe(false);
    expect(doAnswersGain([0, 0, 2], gains(-2, -3, -4))).toBe(false);
    expect(doAnswersGain([0, 1, 2], gains(3, 3))).toBe(false);
  });

  it('earn what the policies earn that answer, and lose against the best of all, also of one that answers nobody', () => {
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
    const episodes = { preferences: asked, episodes: [own] };
    const answers = bestAnswers(episodes, [0, 0], 0.5);
    expect(answers).toEqual([0, 1, 2, 2]);
    expect(earnedBy([0, 1, 2, 3], episodes, [0, 0]).regret.worst).toBeCloseTo(0.99, 9);
    const { utility, hypervolume, regret } = earnedBy(answers, episodes, [0, 0]);
    expect(utility).toBeCloseTo((5.1 + 4.59 + 5 + 10) / 4, 9);
    // Of (5.1, 0) and (0, 10) neither dominates anything above the reference point.
    expect(hypervolume).toBe(0);
    // 5.1 of 10 and 4.59 of 9.01, where a set that forgets the last policy would have no regret.
    expect(regret.worst).toBeCloseTo(1 - 4.59 / 9.01, 9);
    expect(regret.mean).toBeCloseTo((0.49 + (1 - 4.59 / 9.01) + (1 - 5 / 5.05)) / 4, 9);
  });
});
