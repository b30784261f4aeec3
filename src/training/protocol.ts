/**
 * The evaluation protocol of a run: everything that its numbers depend on besides the policies. Two runs compare only
 * where their protocols agree.
 */
import { envInfo } from '../envs/index.js';
import type { OptionValues } from '../envs/index.js';
import { isPublishedGrid } from '../preferences/index.js';
import { discountOf, evaluationPreferences, evaluationSeedOf, isPopulation, returnDiscountOf } from './definition.js';
import type { Plan } from './definition.js';

export interface Protocol {
  readonly env: string;
  readonly envOptions: OptionValues;
  /** Discount that the learner works with. */
  readonly discount: number;
  /** Discount of the returns that are scored; 1 for plain sums. */
  readonly returnDiscount: number;
  /** Of the hypervolume, in the units of the returns. */
  readonly referencePoint: readonly number[];
  readonly preferences: ScoredPreferences;
  /** Which policy set of the training is scored: the last, or the one with the largest hypervolume at an evaluation. */
  readonly keep: 'last' | 'best';
  /** Episodes for each preference. */
  readonly episodes: number;
  /** Seed of the first episode at each preference. */
  readonly evaluationSeed: number;
  /** L1 distance under which a return counts as a point of the known front; null where there is none. */
  readonly coverageTolerance: number | null;
  /** Replicas that were trained together, this one among them; their arithmetic can differ from one alone by rounding. */
  readonly lockstep: number;
}

/** The preferences that are scored. */
export type ScoredPreferences =
  | {
      readonly kind: 'simplex grid';
      readonly divisions: number;
      /** Whether the grid leaves out preferences whose entries do not sum to exactly 1 in floating point, as published. */
      readonly floatExact: boolean;
      readonly count: number;
    }
  | {
      /** Every policy of a finite set is played; the utility at a preference of this grid is that of the best of them. */
      readonly kind: 'members';
      readonly divisions: number;
      readonly floatExact: boolean;
      readonly count: number;
    }
  | { readonly kind: 'given'; readonly values: readonly (readonly number[])[]; readonly count: number };

/**
 * @param lockstep replicas that were trained together
 * @param given the preferences that are scored instead of those of the evaluation grid
 */
export function protocolOf(plan: Plan, lockstep: number, given?: readonly (readonly number[])[]): Protocol {
  const { objectives, referencePoint, coverageTolerance = null } = envInfo(plan.env);
  const { evaluationDivisions: divisions, episodes, keep } = plan.config;
  return {
    env: plan.env,
    envOptions: plan.envOptions,
    discount: discountOf(plan),
    returnDiscount: returnDiscountOf(plan),
    referencePoint,
    preferences:
      given === undefined
        ? {
            kind: isPopulation(plan) ? 'members' : 'simplex grid',
            divisions,
            floatExact: isPublishedGrid(objectives.length, divisions),
            count: evaluationPreferences(plan).length,
          }
        : { kind: 'given', values: given, count: given.length },
    keep,
    episodes,
    evaluationSeed: evaluationSeedOf(plan),
    coverageTolerance,
    lockstep,
  };
}
