/** How the answers of a model came about, as its result says. */
import type { Score } from '../fronts/score.js';
import { isObject } from '../files/json-text.js';

export interface Answers {
  /** Preferences that were played. */
  readonly count: number;
  /** Those of them that are answered by the policy of another one. */
  readonly others: number;
  /** The share of the best utility that a preference may lose by its own policy and keep it. */
  readonly tolerance: number;
  /** At each preference. */
  readonly episodes: number;
  /** Of the first episode. */
  readonly seed: number;
  /**
   * What preferences lose as they are answered, and what their own policies lose and have, played beside each other as the run
   * was evaluated. Both losses are against the best of all policies, also of those that answer nobody any more.
   */
  readonly regret: NonNullable<Score['regret']>;
  readonly own: { readonly hypervolume: number; readonly regret: NonNullable<Score['regret']> };
}

/** As a setting that tells a calibrated copy from what it was copied from: it is no other seed of that. */
export function answersAsSetting(answers: Answers | undefined): Readonly<Record<string, string>> {
  return answers === undefined ? {} : { answers: `calibrated to ${answers.tolerance}` };
}

export function isAnswers(value: unknown): value is Answers {
  if (!isObject(value)) return false;
  const { count, others, tolerance, episodes, seed, regret, own } = value;
  const areCounts = [count, others, episodes, seed].every(
    (number) => Number.isSafeInteger(number) && Number(number) >= 0,
  );
  const isShare = typeof tolerance === 'number' && tolerance >= 0 && tolerance < 1;
  return areCounts && isShare && isRegret(regret) && isObject(own) && isNumber(own.hypervolume) && isRegret(own.regret);
}

function isRegret(value: unknown): value is NonNullable<Score['regret']> {
  return isObject(value) && [value.mean, value.worst, value.below80].every(isNumber);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}
