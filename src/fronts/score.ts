/**
 * The score of a policy set: hypervolume, sparsity, expected utility, coverage and regret, from its returns at the
 * evaluated preferences. Training, commands and library users all score with it.
 */
import type { EnvInfo } from '../envs/index.js';
import { coverage, expectedUtility, hypervolume, nonDominated, preferenceRegret, sparsity } from '../pareto/index.js';
import type { PreferenceRegret, Sparsity } from '../pareto/index.js';

/** Quality of a policy set, from its returns at evaluated preferences. */
export interface Score {
  readonly hypervolume: number;
  readonly sparsity: Sparsity;
  readonly expectedUtility: number;
  /** Distinct non-dominated returns. */
  readonly points: number;
  /** Harmonic mean of precision and recall against the known front, where there is one. */
  readonly coverageF1: number | null;
  /** What preferences lose by being answered with their own policies; null where policies do not belong to preferences. */
  readonly regret: PreferenceRegret | null;
}

/** What a policy set is scored by; environments say what is usual for theirs. */
export type Scoring = Pick<EnvInfo, 'referencePoint' | 'knownFront' | 'coverageTolerance'>;

/**
 * @param preferences over which utility is taken
 * @param played the preference that each return was played at; absent where policies do not belong to preferences
 * @param own returns of the own policies of these preferences, where others answer them: what is lost is against them too
 */
export function score(
  env: Scoring,
  discount: number,
  preferences: readonly (readonly number[])[],
  returns: readonly (readonly number[])[],
  played?: readonly (readonly number[])[],
  own: readonly (readonly number[])[] = [],
): Score {
  const front = nonDominated(returns);
  const known = knownFrontOf(env, discount);
  const { coverageTolerance } = env;
  return {
    hypervolume: hypervolume(returns, env.referencePoint),
    sparsity: sparsity(returns),
    expectedUtility: expectedUtility(front, preferences),
    points: front.length,
    coverageF1:
      known === null || coverageTolerance === undefined ? null : coverage(returns, known, coverageTolerance).f1,
    regret: played === undefined ? null : preferenceRegret(returns, played, env.referencePoint, [...returns, ...own]),
  };
}

/** Hypervolume of the known front, where there is one: no policy set has more. */
export function ceilingOf(env: Scoring, discount: number): number | null {
  const front = knownFrontOf(env, discount);
  return front === null ? null : hypervolume(front, env.referencePoint);
}

/** The known front under a discount; null where it is unknown. */
function knownFrontOf(env: Scoring, discount: number): number[][] | null {
  const front = env.knownFront?.(discount) ?? [];
  return front.length === 0 ? null : front;
}

/** The share of a ceiling in percent, rounded down, so that nothing short of it reads as 100 %. */
export function shareOf(hypervolume: number, ceiling: number): string {
  return `${(Math.floor((1e4 * hypervolume) / ceiling + 1e-9) / 100).toFixed(2)} %`;
}
