/** How the answers of a model came about, as its result says. */
import type { Earned } from '../fronts/best-answers.js';
import { isObject } from '../files/json-text.js';

export interface Answers {
  /** Preferences that were played. */
  readonly count: number;
  /** Those of them that are answered by the policy of another one. */
  readonly others: number;
  /** The share of the best utility that a preference may lose by its own policy and keep it. */
  readonly tolerance: number;
  /** At each preference: as many to choose answers, to confirm each, and to check them. */
  readonly episodes: number;
  /** Of the first episode. */
  readonly seed: number;
  /** What own policies earn, and preferences as they are answered, in the episodes that check it: they chose nothing. */
  readonly own: Earned;
  readonly answered: Earned;
}

/** As a setting that tells a calibrated copy from what it was copied from: it is no other seed of that. */
export function answersAsSetting(answers: Answers | undefined): Readonly<Record<string, string>> {
  return answers === undefined ? {} : { answers: `calibrated to ${answers.tolerance} at ${answers.count} preferences` };
}

export function isAnswers(value: unknown): value is Answers {
  if (!isObject(value)) return false;
  const { count, others, tolerance, episodes, seed, own, answered } = value;
  const areCounts = [count, others, episodes, seed].every(
    (number) => Number.isSafeInteger(number) && Number(number) >= 0,
  );
  const isShare = typeof tolerance === 'number' && tolerance >= 0 && tolerance < 1;
  return areCounts && isShare && [own, answered].every(isEarned);
}

function isEarned(value: unknown): value is Earned {
  if (!isObject(value) || !isObject(value.regret)) return false;
  const { mean, worst, below80 } = value.regret;
  return [value.utility, value.hypervolume, mean, worst, below80].every((number) => typeof number === 'number');
}
