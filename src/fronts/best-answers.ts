/** By whose policies preferences would best be answered, and whether that is more than luck. */
import { hypervolume, preferenceRegret, preferenceRegrets, type PreferenceRegret } from '../pareto/index.js';
import { frontOf, type ReturnsAt } from './front.js';
import { meanOf, statistics } from './statistics.js';

/** Episodes of own policies: in each all preferences begin at the same start state, so that their returns can be compared. */
export interface EpisodesAt extends Pick<ReturnsAt, 'preferences'> {
  readonly episodes: readonly ReturnsAt['returns'][];
}

/** For each preference the index of the one whose policy answers it: its own, or another one's. */
export type AnswersAt = readonly number[];

/** What answers earn. */
export interface Earned {
  /** On average over the preferences. */
  readonly utility: number;
  readonly hypervolume: number;
  /** Against the best of all own policies, also of those that answer nobody. */
  readonly regret: PreferenceRegret;
}

/**
 * A gain counts where its mean is more than so many of its standard errors, of which of forty that are none one is: quantiles of
 * Student's t, from two episodes on. Those of more have the last, which is hardly too much.
 */
const STANDARD_ERRORS = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086,
];

/**
 * What episodes say: a preference keeps its own policy, unless that loses more than a share of the best utility, and then the policy
 * answers it whose return has the largest.
 * @param referencePoint what utilities are measured from
 */
export function bestAnswers(played: EpisodesAt, referencePoint: readonly number[], tolerance: number): AnswersAt {
  const { preferences } = played;
  const returns = meanReturns(played);
  const regrets = preferenceRegrets(returns, preferences, referencePoint);
  const front = frontOf({ preferences, returns });
  return preferences.map((weights, own) => {
    if (regrets[own] <= tolerance) return own;
    const utilities = front.returns.map((point) => utility(weights, point));
    const best = utilities.indexOf(utilities.reduce((a, b) => Math.max(a, b)));
    return preferences.indexOf(front.preferences[best]);
  });
}

/**
 * Of answers those that do better than own policies in other episodes than they were chosen by too. Of many policies the one that
 * looks best was lucky, the more so the fewer the episodes.
 */
export function confirmedAnswers(answers: AnswersAt, played: EpisodesAt): AnswersAt {
  const gains = gainsBy(answers, played);
  return answers.map((answer, own) => (isMoreThanLuck(gains.map((episode) => episode[own])) ? answer : own));
}

/** Whether preferences earn more as they are answered than by their own policies, on average over all of them, by more than luck. */
export function doAnswersGain(answers: AnswersAt, played: EpisodesAt): boolean {
  return isMoreThanLuck(gainsBy(answers, played).map(meanOf));
}

export function earnedBy(answers: AnswersAt, played: EpisodesAt, referencePoint: readonly number[]): Earned {
  const { preferences } = played;
  const own = meanReturns(played);
  const returns = answers.map((answer) => own[answer]);
  return {
    utility: meanUtility({ preferences, returns }),
    hypervolume: hypervolume(returns, referencePoint),
    regret: preferenceRegret(returns, preferences, referencePoint, own),
  };
}

/** What preferences earn on average. */
export function meanUtility({ preferences, returns }: Pick<ReturnsAt, 'preferences' | 'returns'>): number {
  return meanOf(returns.map((point, i) => utility(preferences[i], point)));
}

/** In each episode what each preference earns more as it is answered than by its own policy. */
function gainsBy(answers: AnswersAt, { preferences, episodes }: EpisodesAt): number[][] {
  return episodes.map((returns) =>
    answers.map((answer, own) => utility(preferences[own], returns[answer]) - utility(preferences[own], returns[own])),
  );
}

/** Gains of single episodes: that a start state is a good one for both policies makes no spread. */
function isMoreThanLuck(gains: readonly number[]): boolean {
  const { mean, standardDeviation, count } = statistics(gains)!;
  // One episode does not say how far another would be from it.
  if (standardDeviation === null) return false;
  return mean > (STANDARD_ERRORS[count - 2] ?? STANDARD_ERRORS.at(-1)!) * (standardDeviation / Math.sqrt(count));
}

function utility(weights: readonly number[], point: readonly number[]): number {
  return point.reduce((sum, value, k) => sum + weights[k] * value, 0);
}

function meanReturns({ preferences, episodes }: EpisodesAt): number[][] {
  return preferences.map((weights, i) => weights.map((_, k) => meanOf(episodes.map((returns) => returns[i][k]))));
}
