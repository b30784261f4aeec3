import type { Space, StateValue } from '../envs/index.js';
import type { Policy, PolicyDescription } from '../model/index.js';
import type { Random } from '../random/index.js';
import type { BatchColumns, Replay } from '../replay/index.js';
import type { Device, State, Values } from '../tensor/index.js';
import type { KeyReturns, KeySolutions } from './keys.js';
import type { Variant } from './variation.js';

/** What a learner has to know about its environment. */
export interface Problem {
  /** Numbers in an observation. */
  readonly observation: number;
  readonly actionSpace: Space;
  readonly objectives: number;
  readonly discount: number;
  /** Where the directions of returns, and of Q, go out from; zero in every objective where absent. */
  readonly origin?: readonly number[];
  /** Returns that are possible at the key preferences, for the published interpolator; absent where nobody knows any. */
  readonly keys?: KeyReturns;
}

export interface LearnerOptions {
  readonly problem: Problem;
  readonly device: Device;
  /** Independent learners that advance side by side. */
  readonly replicas: number;
  /** Rows of a batch, and the preference groups they come in. */
  readonly batch: number;
  readonly groups: number;
  /** Settings in which the replicas differ, one for each; all have the same by default. */
  readonly variants?: readonly Variant[];
  /** Transitions that each replica keeps for replay, where the learner may have copies of them on its device. */
  readonly capacity?: number;
}

/** A batch for all replicas below each other: rows of transitions in equal groups, and one preference per group. */
export interface Batch extends BatchColumns {
  readonly preferences: Float32Array;
}

/** The same for a learner that has the replays on its device: the slots in which the transitions are. */
export interface SlotBatch {
  readonly slots: Int32Array;
  readonly preferences: Float32Array;
}

/** When an update happens, and the randomness that it may use. */
export interface UpdateContext {
  /** From 0 to 1 over the training. */
  readonly progress: number;
  /** The first update is number 1. */
  readonly update: number;
  /** A generator for each replica. */
  readonly random: readonly Random[];
  /** Whether the update has to tell about itself, which it does by default; on a GPU that is a round trip. */
  readonly report?: boolean;
}

/** Numbers about the last update, by name, one for each replica. */
export type Diagnostics = Readonly<Record<string, ArrayLike<number>>>;

/** A policy that is still learned. All arrays hold the replicas below each other: the same number of rows for each. */
export interface Learner extends Policy {
  /** Everything that is learned. */
  readonly state: State;
  /** Names of the state entries that make up the policy: what a model file holds. */
  readonly policy: readonly string[];
  /** What a model file says about the policy of a replica. */
  describe(replica: number): PolicyDescription;
  /** What the critic expects of the policy: discounted return times preference, for rows as those of `act`. */
  expected?(observations: Float32Array, preferences: Float32Array): Promise<Float32Array>;
  /** For each replica what its angle term aims at, to be improved by what is achieved. */
  readonly keys?: readonly KeySolutions[];
  /** About the last update that had to tell. */
  diagnostics(): Diagnostics;
  /** What it keeps outside of `state`, as plain data. */
  save(): StateValue;
  /** Goes on from what one of the same kind saved. */
  load(saved: StateValue): void;
}

/** Learns from replayed transitions, one update per environment step. */
export interface OffPolicyLearner extends Learner {
  /** Fresh parameters for a replica. */
  initialise(random: Random, replica: number): void;
  /** Deterministic actions of the policy that gathers experience, as `act` gives them; those of `act` where it is absent. */
  behave?(observations: Float32Array, preferences: Float32Array): Promise<Float32Array | Int32Array>;
  /** The action to take instead while training; `progress` runs from 0 to 1. Discrete actions are single numbers. */
  explore(action: ArrayLike<number>, progress: number, random: Random, replica: number): number | Float32Array;
  learn(batch: Batch | SlotBatch, context: UpdateContext): Promise<void>;
  /** Takes note of observations on which actions are based: as many rows for each replica. */
  observe?(observations: Float32Array): void;
  /** Takes note of the rewards of a step of all environments, and of how their episodes stand after it, as an `End`. */
  earn?(rewards: Float64Array, ends: Uint8Array): void;
  /** Copies of the replays on its device; undefined where batches hold the transitions themselves. */
  readonly replays?: {
    /** Takes over what has been added to them since the last time. */
    follow(replays: readonly Replay[]): void;
  };
  /** Waits for what updates have still to tell: a device that works in order is not waited for by `learn`. */
  settled?(): Promise<void>;
}

/** Sizes of what an on-policy learner learns from at a time. */
export interface OnPolicyOptions extends LearnerOptions {
  /** Environments of each replica. */
  readonly environments: number;
  /** Steps that each of them takes before the learner learns. */
  readonly horizon: number;
}

/**
 * What the environments of all replicas did with one policy: replicas below each other, in each its environments, in
 * each of those a row for every step.
 */
export interface Rollout {
  /** Observations as `see` returned them when they were acted on; one row more, with what the last step led to. */
  readonly seen: Float32Array;
  /** Actions as they were drawn. */
  readonly action: Float32Array;
  readonly reward: Float64Array;
  /** How the episode stood after the step, as an `End`. */
  readonly end: Uint8Array;
  /**
   * Steps that were cut off by the step limit: for each replica their rows within it, and the observations that they led
   * to, as `see` returns them.
   */
  readonly cut: readonly (readonly CutStep[])[];
  /** That each environment followed all the time: replicas below each other, a row for every environment. */
  readonly preferences: Float32Array;
}

export interface CutStep {
  readonly row: number;
  readonly seen: Float32Array;
}

/** A replica of a learner by itself, to be put into any replica of a learner of the same kind. */
export interface SavedReplica {
  /** Its part of the learner's state, by name. */
  readonly tensors: ReadonlyMap<string, Values>;
  /** What is kept outside of the state: running statistics. */
  readonly rest: StateValue;
}

/**
 * Learns from what its current policy did, all at once, and forgets it. What it is told, in this order: `observe` the
 * first observations of all environments; then for each step `sample` actions for what it can `see`, and `observe` what
 * they led to; then `learn`. Environments that begin anew are observed anew.
 */
export interface OnPolicyLearner extends Learner {
  /** Fresh parameters for a replica. */
  initialise(random: Random, replica: number): void;
  /** Takes note of observations: as many rows for each replica. */
  observe(observations: Float32Array): void;
  /** Observations as the networks see them, scaled by what was observed so far. The array is new. */
  see(observations: Float32Array): Float32Array;
  /** Random actions for rows that were seen, each with its preference. The array is overwritten by the next call. */
  sample(seen: Float32Array, preferences: Float32Array, random: readonly Random[]): Promise<Float32Array>;
  /** Learns from a rollout; returns how many gradient steps it made. */
  learn(rollout: Rollout, context: Omit<UpdateContext, 'update'>): Promise<number>;
  saveReplica(replica: number): Promise<SavedReplica>;
  /** The environments of the replica are taken to begin anew, unless it goes on in those that it was saved with. */
  loadReplica(replica: number, saved: SavedReplica, options?: { readonly goesOn: boolean }): void;
}

/** Diagnostics as plain data, and back. */
export function saveDiagnostics(diagnostics: Diagnostics): StateValue {
  return Object.fromEntries(Object.entries(diagnostics).map(([name, values]) => [name, Float64Array.from(values)]));
}

export function loadDiagnostics(saved: StateValue | undefined): Diagnostics {
  return (saved ?? {}) as unknown as Diagnostics;
}

/** The part of a replica, in an array that holds all of them below each other: a view of it. */
export function replicaPart<A extends Values | Float64Array | Uint8Array>(
  array: A,
  replica: number,
  replicas: number,
): A {
  const size = array.length / replicas;
  return array.subarray(replica * size, (replica + 1) * size) as A;
}

/** How many numbers an action has; a discrete one is its index. */
export function actionSize(space: Space): number {
  return space.kind === 'discrete' ? 1 : space.low.length;
}

/** An action drawn uniformly. */
export function randomAction(space: Space, random: Random): number | Float32Array {
  if (space.kind === 'discrete') return random.integer(space.n);
  return Float32Array.from(space.low, (low, i) => low + (space.high[i] - low) * random.uniform());
}

/** The learning rate after a part of the training, which falls linearly to a share of itself. */
export function decayedRate(
  { learningRate, finalLearningRate }: { readonly learningRate: number; readonly finalLearningRate: number },
  progress: number,
): number {
  return learningRate * (1 - progress * (1 - finalLearningRate));
}
