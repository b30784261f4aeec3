/**
 * The contract of environments: what every environment has and does, as in Gymnasium but with a vector of rewards. A
 * test runs every registered environment through it.
 */
import type { RandomState } from '../random/index.js';

/** The integers from 0 to n - 1. */
export interface Discrete {
  readonly kind: 'discrete';
  readonly n: number;
}

/** Arrays of a shape whose entries lie between bounds, which may be infinite. Bounds are listed in row-major order. */
export interface Continuous {
  readonly kind: 'continuous';
  readonly shape: readonly number[];
  readonly low: readonly number[];
  readonly high: readonly number[];
}

export type Space = Discrete | Continuous;

/** A number for a discrete space, an array for a continuous one. */
export type Action = number | ArrayLike<number>;
export type ActionOf<S extends Space> = S extends Discrete ? number : ArrayLike<number>;

/** One entry of the reward vector; more is always better. */
export interface Objective {
  readonly name: string;
  readonly unit?: string;
}

/** What a person may want to know about a state beyond its observation; no learner reads it. */
export type Info = Readonly<Record<string, unknown>>;

export interface ResetOptions {
  /**
   * An integer from 0 to 2^53 - 1. Without it the environment's own generator goes on where it is, so that the episodes
   * after a seeded one differ from it and are still repeatable. A new environment starts as if seeded with 0.
   */
  readonly seed?: number;
}

/** Every array is new and belongs to the caller. */
export interface Reset {
  readonly observation: Float32Array;
  readonly info: Info;
}

export interface EnvStep extends Reset {
  /** One entry per objective. */
  readonly reward: Float64Array;
  /** The task itself ended here: nothing can be earned after this state. */
  readonly terminated: boolean;
  /** The step limit was reached in a state from which the task could go on. Never true together with `terminated`. */
  readonly truncated: boolean;
}

/** How an episode stands after a step. */
export type StepOutcome = 'running' | 'terminated' | 'truncated';

/**
 * Plain data, which structured cloning copies bit for bit. JSON does so too as long as there is no Float64Array in it;
 * those are for numbers that JSON would change (negative zero, NaN, infinities).
 */
export type StateValue =
  | null
  | boolean
  | number
  | string
  | Float64Array
  | readonly StateValue[]
  | { readonly [key: string]: StateValue };

/** Everything an environment needs to go on exactly where it was. */
export interface EnvState {
  readonly env: string;
  /** Steps taken in this episode. */
  readonly step: number;
  /** Whether the episode can be continued with `step`. */
  readonly running: boolean;
  readonly random: RandomState;
  readonly world: StateValue;
}

/** One world that rewards with a vector. */
export interface Environment {
  readonly id: string;
  readonly observationSpace: Continuous;
  readonly actionSpace: Space;
  readonly objectives: readonly Objective[];
  /** Begins an episode. */
  reset(options?: ResetOptions): Reset;
  /** Only between a `reset` and the end of its episode. Throws on an action outside a discrete space and on NaN. */
  step(action: Action): EnvStep;
  /** As `reset`, into an array of the caller. */
  resetInto(observation: Float32Array, options?: ResetOptions): void;
  /** As `step`, into arrays of the caller: for loops of millions of steps, where allocation would cost. */
  stepInto(action: Action, observation: Float32Array, reward: Float64Array): StepOutcome;
  /** May be called at any time, in the middle of an episode too. */
  saveState(): EnvState;
  /** Goes on from a state that the same kind of environment saved; returns what that state looks like. */
  restoreState(state: EnvState): Reset;
  /** Gives back what the environment holds. Calling it again does nothing; every other call then throws. */
  close(): void;
}
