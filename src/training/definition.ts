/**
 * What a training is: its plan, in which everything is decided, and the progress and evaluations that it reports. How a
 * plan is made of a request is in `plan.ts`.
 */
import type {
  Algorithm,
  KeyReturns,
  OffPolicyAlgorithm,
  OnPolicyAlgorithm,
  PopulationAlgorithm,
  Variant,
} from '../algorithms/index.js';
import type { ConfigOf } from '../config/index.js';
import { envInfo } from '../envs/index.js';
import type { OptionValues } from '../envs/index.js';
import type { Score } from '../fronts/score.js';
import { preferenceGrid } from '../preferences/index.js';
import type { loopFields, onPolicyFields, populationFields } from './fields.js';

export type LoopConfig = ConfigOf<typeof loopFields>;
export type OnPolicyConfig = ConfigOf<typeof onPolicyFields>;
export type PopulationConfig = ConfigOf<typeof populationFields>;
/** Settings that every training has. */
export type CommonFields = Pick<typeof loopFields, keyof typeof loopFields & keyof typeof populationFields>;
export type CommonConfig = ConfigOf<CommonFields>;

/** One training, fully decided. */
export interface Plan<A extends Algorithm = Algorithm, C = CommonConfig> {
  readonly env: string;
  readonly envOptions: OptionValues;
  readonly algorithm: A;
  readonly config: C & Readonly<Record<string, unknown>>;
  readonly device: string;
  /** Of the first replica; the others count up from it. */
  readonly seed: number;
  readonly replicas: number;
  /** What each replica has for itself, where they differ in more than seeds that count up. */
  readonly variants?: readonly ReplicaVariant[];
  /** Threads that step environments, which changes nothing but the time; by default as many as pay, with `cpu:2` at most two, with `cpu:1` none. */
  readonly workers?: number;
  /** Key solutions to start from, of another run; by default those that are known. */
  readonly keys?: KeyReturns;
  /** A preference for each replica, which it follows alone, instead of learning for all preferences. */
  readonly tasks?: readonly (readonly number[])[];
  /** The run that it begins with, where it does not begin from nothing. */
  readonly from?: ParentRun;
  /** Of the first episode of every evaluation; that of evaluations during training where absent. */
  readonly evaluationSeed?: number;
}

/** The seed of a replica, and its settings over those of the plan. */
export interface ReplicaVariant {
  readonly seed: number;
  readonly settings: Variant;
}

/** A run that another training begins with: it starts with what that one has learned. */
export interface ParentRun {
  /** Its folder; in a plan that was read from a run, the name of that folder alone. */
  readonly run: string;
  /** Checksum of what it has learned. */
  readonly sha256: string;
  readonly env: string;
  readonly envOptions: OptionValues;
  /** How many trainings there were before, if it began with another run too. */
  readonly trainings: number;
  /** Environment steps of their loops, which schedules count too. */
  readonly steps: number;
  /** What all of them took, key solutions included. */
  readonly envSteps: number;
  readonly gradientSteps: number;
  readonly evaluationSteps: number;
}

const NOTHING = { trainings: 0, steps: 0, envSteps: 0, gradientSteps: 0, evaluationSteps: 0 };

/** What was trained before a training began. */
export function trainedBefore({ from }: Pick<Plan, 'from'>): typeof NOTHING {
  return from ?? NOTHING;
}

/** Whether a training begins with what was learned in another environment, or with other options of it. */
export function isElsewhere({ env, envOptions, from }: Pick<Plan, 'env' | 'envOptions' | 'from'>): boolean {
  if (from === undefined) return false;
  const options = Object.entries(envOptions);
  return from.env !== env || options.some(([name, value]) => from.envOptions[name] !== value);
}

/**
 * The seed of a replica's generators. A training that begins with another one and has its seed draws other numbers, which
 * no seed gives that can be asked for.
 */
export function generatorSeed(plan: Pick<Plan, 'from'>, seed: number): number {
  return seed + trainedBefore(plan).trainings * 2 ** 32;
}

/**
 * From 0 to 1 over the training, with what was trained before it.
 * @param taken environment steps so far, and `steps` of them in the end
 */
export function progressAfter(plan: Pick<Plan, 'from'>, taken: number, steps: number): number {
  const { steps: before } = trainedBefore(plan);
  return (before + taken) / (before + steps);
}

/** The plan of a replica by itself, as if none had been trained beside it. */
export function replicaPlan<P extends Plan>(plan: P, replica: number): P {
  const { variants, ...rest } = plan;
  const { seed, settings } = variants?.[replica] ?? { seed: plan.seed + replica, settings: {} };
  return { ...rest, seed, replicas: 1, config: { ...plan.config, ...settings } } as unknown as P;
}

/** The seeds of a plan's replicas are all from its own to this one. */
export function lastSeedOf({ seed, replicas, variants }: Pick<Plan, 'seed' | 'replicas' | 'variants'>): number {
  return variants === undefined ? seed + replicas - 1 : Math.max(...variants.map((variant) => variant.seed));
}

/** The settings that replicas differ in, with their values. */
export function variedSettings({ variants = [] }: Pick<Plan, 'variants'>): ReadonlyMap<string, readonly number[]> {
  const values = new Map<string, number[]>();
  for (const [name, value] of variants.flatMap(({ settings }) => Object.entries(settings))) {
    const known = values.get(name) ?? [];
    values.set(name, known.includes(value) ? known : [...known, value]);
  }
  return values;
}

/** What tells the replicas of a plan apart, for people: "seeds 1 to 3, tau 0.005 and 0.01". */
export function replicasText(plan: Pick<Plan, 'seed' | 'replicas' | 'variants'>): string {
  const last = lastSeedOf(plan);
  const seeds = last === plan.seed ? `seed ${last}` : `seeds ${plan.seed} to ${last}`;
  const varied = variedSettings(plan);
  const variants = (plan.variants ?? []).map(({ settings }) => Object.entries(settings));
  // A list of values would say of a variant that leaves a setting as it is that it has one of them.
  const differences = variants.every((settings) => settings.length === varied.size)
    ? Array.from(varied, ([name, values]) => `${name} ${values.join(' and ')}`)
    : new Set(variants.map((settings) => settings.map(([name, value]) => `${name} ${value}`).join(' with ')));
  return [seeds, ...differences].join(', ');
}

export type OffPolicyPlan = Plan<OffPolicyAlgorithm, LoopConfig>;
export type OnPolicyPlan = Plan<OnPolicyAlgorithm, OnPolicyConfig>;
export type PopulationPlan = Plan<PopulationAlgorithm, PopulationConfig>;

export function isOffPolicy<P extends Plan>(plan: P): plan is P & OffPolicyPlan {
  return plan.algorithm.kind === 'off-policy';
}

export function isOnPolicy<P extends Plan>(plan: P): plan is P & OnPolicyPlan {
  return plan.algorithm.kind === 'on-policy';
}

export function isPopulation<P extends Plan>(plan: P): plan is P & PopulationPlan {
  return plan.algorithm.kind === 'population';
}

/** Where a training stands. */
export interface Progress {
  /** All that were used to learn: also those of key solutions. */
  readonly envSteps: number;
  readonly gradientSteps: number;
}

/** What the updates of a replica last reported. */
export interface Logged extends Progress {
  readonly replica: number;
  readonly diagnostics: Readonly<Record<string, number>>;
}

/** A replica's policy set, measured. */
export interface Evaluated extends Progress {
  readonly replica: number;
  /** Environment steps of all evaluations so far, with those of key solutions. None of them is learned from. */
  readonly evaluationSteps: number;
  readonly score: Score;
  readonly returns: readonly (readonly number[])[];
  /** That the returns are at; those of the evaluation grid where absent. */
  readonly preferences?: readonly (readonly number[])[];
  readonly diagnostics: Readonly<Record<string, number>>;
}

/** A training that was stopped before there was a policy set to end with. It goes on from its checkpoint. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';

  constructor(readonly during: 'key solutions' | 'evaluation') {
    super(
      during === 'key solutions'
        ? 'stopped while its key solutions were trained, before there is a policy.'
        : 'stopped in the middle of an evaluation, before there is a policy set that was evaluated.',
    );
  }
}

/** Of evaluations during training, by which policy sets are chosen: what is chosen is measured fairly with another one. */
const TRAINING_EVALUATION_SEED = 0;

export function evaluationSeedOf({ evaluationSeed = TRAINING_EVALUATION_SEED }: Pick<Plan, 'evaluationSeed'>): number {
  return evaluationSeed;
}

export function discountOf({ env, config }: Pick<Plan, 'env' | 'config'>): number {
  return config.discount ?? envInfo(env).discount;
}

/** Discount of the returns that are scored; 1 for plain sums. */
export function returnDiscountOf(plan: Pick<Plan, 'env' | 'config'>): number {
  return envInfo(plan.env).discountedReturns ? discountOf(plan) : 1;
}

export function evaluationPreferences({ env, config }: Pick<Plan, 'env' | 'config'>): number[][] {
  return preferenceGrid(envInfo(env).objectives.length, config.evaluationDivisions);
}
