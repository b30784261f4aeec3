/** How a policy set answers each preference, and where it has gaps: policies that others of the same set do better than. */
import type { ReturnsAt } from '../../fronts/front.js';
import { nonDominatedIndices, preferenceRegrets } from '../../pareto/index.js';
import type { Preference } from './messages.js';

/** What the policy of a preference returns. */
export interface Answer {
  readonly preference: Preference;
  readonly returns: readonly number[];
  /** Whether another policy of the set returns no less in any objective, and more in one. */
  readonly isDominated: boolean;
  /** What the preference loses by it, as a share of the utility that the best policy of the set has for it. */
  readonly regret: number;
}

/** @param reference the point that utilities are measured from */
export function answersOf({ preferences, returns, own = [] }: ReturnsAt, reference: readonly number[]): Answer[] {
  if (returns.length === 0) return [];
  const front = new Set(nonDominatedIndices(returns, { keepDuplicates: true }));
  const regrets = preferenceRegrets(returns, preferences, reference, [...returns, ...own]);
  return preferences.map((preference, i) => ({
    preference,
    returns: returns[i],
    isDominated: !front.has(i),
    regret: regrets[i],
  }));
}

/**
 * As answersOf, of a finite set, by the weight of the first objective. A preference is answered by the best policy of the set
 * and loses nothing by it, also where it is the one that a policy which is never the best stands at.
 */
export function answersOfSet(evaluated: ReturnsAt, reference: readonly number[]): Answer[] {
  return answersOf(evaluated, reference)
    .map((answer) => ({ ...answer, regret: 0 }))
    .sort((a, b) => a.preference[0] - b.preference[0] || a.returns[0] - b.returns[0]);
}

/** Of a bar that has no neighbours. */
const ALONE = 4;

/**
 * Where bars around ascending places begin and end: halfway to their neighbours, and beyond the last ones as far. Those at one
 * place have the same.
 */
export function barsAround(all: readonly number[]): [from: number, to: number][] {
  const places = [...new Set(all)];
  const last = places.length - 1;
  const halfway = places.slice(1).map((place, i) => (places[i] + place) / 2);
  return all.map((place) => {
    const i = places.indexOf(place);
    const from = halfway.at(i === 0 ? 0 : i - 1) ?? place + ALONE / 2;
    const to = halfway.at(i === last ? -1 : i) ?? place - ALONE / 2;
    return [i === 0 ? 2 * place - from : from, i === last ? 2 * place - to : to];
  });
}

export function meanRegret(answers: readonly Answer[]): number {
  return answers.reduce((sum, { regret }) => sum + regret, 0) / answers.length;
}

/** The answer with the largest regret; undefined where none has any. */
export function worstOf(answers: readonly Answer[]): Answer | undefined {
  return answers.reduce<Answer | undefined>((most, one) => (one.regret > (most?.regret ?? 0) ? one : most), undefined);
}

/** How each preference would be answered by its own policy, where those of others answer some; undefined where none do. */
export function ownAnswersOf(evaluated: ReturnsAt, reference: readonly number[]): Answer[] | undefined {
  const { preferences, returns, own } = evaluated;
  return own && answersOf({ preferences, returns: own, own: returns }, reference);
}

/** Of policies with the preferences that they are of the one with the largest utility at a preference; undefined of none. */
export function bestFor(policies: readonly Answer[], preference: Preference): Answer | undefined {
  const utility = ({ returns }: Answer) => returns.reduce((sum, value, k) => sum + preference[k] * value, 0);
  return policies.reduce<Answer | undefined>(
    (best, one) => (best === undefined || utility(one) > utility(best) ? one : best),
    undefined,
  );
}

/** Regrets of the preferences that give an objective about the same weight. */
export interface RegretsAt {
  readonly weight: number;
  readonly mean: number;
  readonly worst: number;
}

/** Regrets over the weight of one objective, by hundredths, from the smallest weight on. */
export function regretsByWeight(answers: readonly Answer[], objective: number): RegretsAt[] {
  const groups = new Map<number, number[]>();
  for (const { preference, regret } of answers) {
    const hundredths = Math.round(100 * preference[objective]);
    const group = groups.get(hundredths);
    if (group === undefined) groups.set(hundredths, [regret]);
    else group.push(regret);
  }
  return [...groups]
    .sort(([a], [b]) => a - b)
    .map(([hundredths, regrets]) => ({
      weight: hundredths / 100,
      mean: regrets.reduce((sum, regret) => sum + regret, 0) / regrets.length,
      worst: regrets.reduce((worst, regret) => Math.max(worst, regret)),
    }));
}
