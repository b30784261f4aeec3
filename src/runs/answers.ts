/** How the answers of a model came about, as its result says. */
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
}

export function isAnswers(value: unknown): value is Answers {
  if (!isObject(value)) return false;
  const { count, others, tolerance, episodes, seed } = value;
  return [count, others, tolerance, episodes, seed].every((number) => typeof number === 'number' && number >= 0);
}
