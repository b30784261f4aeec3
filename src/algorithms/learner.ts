/**
 * The interfaces between learners and training loops: what a learner is told about its environment, the batches or
 * rollouts that it learns from, and what it can be asked for. A learner holds several independent replicas, whose rows
 * lie below each other in all arrays.
 */
import type { Space, StateValue } from '../envs/index.js';
import type { Policy, PolicyDescription } from '../model/index.js';
import type { Random } from '../random/index.js';
import type { BatchColumns, Replay } from '../replay/index.js';
import type { Device, State, Values } from '../tensor/index.js';
import type { KeyReturns, KeySolutions } from './keys.js';
import { REPLAY, VARIED } from './state-names.js';
import type { Variant } from './variation.js';

/** What a learner has to know about its environment. */
export interface Problem {
  /** Numbers in an observation. */
  readonly observation: number;
  readonly actionSpace: Space;
  readonly objectives: number;
  readonly discount: number;
  /** The point from which directions of returns and of Q are measured; zero in every objective where absent. */
  readonly origin?: readonly number[];
  /** Returns that are possible at the key preferences, for PD-MORL's interpolator; absent where none are known. */
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

/** The point of the training at which an update is made, and the randomness that it may use. */
export interface UpdateContext {
  /** From 0 to 1 over the training. */
  readonly progress: number;
  /** The first update is number 1. */
  readonly update: number;
  /** A generator for each replica. */
  readonly random: readonly Random[];
  /** Whether the update reports its diagnostics, as it does by default; on a GPU that takes a round trip. */
  readonly report?: boolean;
}

/** Numbers about the last update, by name, one for each replica. */
export type Diagnostics = Readonly<Record<string, ArrayLike<number>>>;

/** One replica's share of a learner, which can be loaded into any replica of a learner of the same kind. */
export interface SavedReplica {
  /** Its part of the learner's state, by name. */
  readonly tensors: ReadonlyMap<string, Values>;
  /** Its running statistics, which are kept on the host. */
  readonly rest: StateValue;
}

export interface LoadOptions {
  /** Whether its environments continue their episodes; by default they begin new ones. */
  readonly goesOn?: boolean;
  /**
   * Whether it learned in another environment: what it knows of returns then means nothing, and its statistics of
   * observations give way to those of this one.
   */
  readonly isElsewhere?: boolean;
}

/** Observations that statistics of another environment count for, so that those of this one soon outweigh them. */
export const ELSEWHERE_COUNT = 10_000;

/** A policy that is still being trained. */
export interface Learner extends Policy {
  /** Everything that is learned. */
  readonly state: State;
  /** Names of the state entries that make up the policy: what a model file holds. */
  readonly policy: readonly string[];
  /** What a model file says about the policy of a replica. */
  describe(replica: number): PolicyDescription;
  /** The utility that the critic expects of the policy, discounted, for rows as those of `act`. */
  expected?(observations: Float32Array, preferences: Float32Array): Promise<Float32Array>;
  /** For each replica the key solutions of its angle term, which better returns replace. */
  readonly keys?: readonly KeySolutions[];
  /** Those of the last update that reported. */
  diagnostics(): Diagnostics;
  /** What it keeps on the host, outside of `state`, as plain data. */
  save(): StateValue;
  /** Restores what a learner of the same kind saved. */
  load(saved: StateValue): void;
  saveReplica(replica: number): Promise<SavedReplica>;
  /** Throws a RangeError where it is not what a replica of this learner has learned. */
  loadReplica(replica: number, saved: SavedReplica, options?: LoadOptions): void;
}

/** Learns from replayed transitions, one update per environment step. */
export interface OffPolicyLearner extends Learner {
  /** Fresh parameters for a replica. */
  initialise(random: Random, replica: number): void;
  /** A row of numbers for each row, from which `explore` makes an action; the actions of `act` where it is absent. */
  behave?(observations: Float32Array, preferences: Float32Array): Promise<Float32Array | Int32Array>;
  /**
   * The action to take while training; `progress` runs from 0 to 1. Discrete actions are single numbers.
   * @param environment the row of the environment that takes it, among those of all replicas
   */
  explore(
    action: ArrayLike<number>,
    progress: number,
    random: Random,
    replica: number,
    environment: number,
  ): number | Float32Array;
  learn(batch: Batch | SlotBatch, context: UpdateContext): Promise<void>;
  /** Takes note of observations on which actions are based: as many rows for each replica. */
  observe?(observations: Float32Array): void;
  /** Takes note of the rewards of a step of all environments, and of whether their episodes ended, as an `End`. */
  earn?(rewards: Float64Array, ends: Uint8Array): void;
  /** Copies of the replays on its device; undefined where batches hold the transitions themselves. */
  readonly replays?: {
    /** Copies the transitions that were added since the last call. */
    follow(replays: readonly Replay[]): void;
  };
  /** Waits for reports that are still pending: on a device that queues its work, `learn` does not wait for them. */
  settled?(): Promise<void>;
}

/** With the sizes of a rollout. */
export interface OnPolicyOptions extends LearnerOptions {
  /** Environments of each replica. */
  readonly environments: number;
  /** Steps that each of them takes before the learner learns. */
  readonly horizon: number;
}

/** What all environments did under one policy: a row for each step, of each environment, of each replica. */
export interface Rollout {
  /** Normalised observations, as `see` returns them; each environment has one row more, after its last step. */
  readonly seen: Float32Array;
  /** Actions as they were drawn. */
  readonly action: Float32Array;
  readonly reward: Float64Array;
  /** Whether the episode ended with the step, as an `End`. */
  readonly end: Uint8Array;
  /** For each replica the steps at which the step limit truncated an episode. */
  readonly cut: readonly (readonly CutStep[])[];
  /** The preference that each environment followed throughout. */
  readonly preferences: Float32Array;
}

/** A step at which the step limit truncated an episode. */
export interface CutStep {
  /** Its row within the replica. */
  readonly row: number;
  /** The observation that it led to, as `see` returns it. */
  readonly seen: Float32Array;
}

/**
 * Learns from rollouts of its current policy. The calls come in this order: `observe` the first observations of all
 * environments; for each step `see` them, `sample` actions, and `observe` what these led to; then `learn`. Where
 * environments begin anew, their first observations are observed again.
 */
export interface OnPolicyLearner extends Learner {
  /** Fresh parameters for a replica. */
  initialise(random: Random, replica: number): void;
  /** Takes note of observations: as many rows for each replica. */
  observe(observations: Float32Array): void;
  /** Observations as the networks see them: normalised by the statistics of all that were observed. The array is new. */
  see(observations: Float32Array): Float32Array;
  /** Random actions for rows that were seen, each with its preference. The array is overwritten by the next call. */
  sample(seen: Float32Array, preferences: Float32Array, random: readonly Random[]): Promise<Float32Array>;
  /** Learns from a rollout; returns how many gradient steps it made. */
  learn(rollout: Rollout, context: Omit<UpdateContext, 'update'>): Promise<number>;
}

/** Diagnostics as plain data, and back. */
export function saveDiagnostics(diagnostics: Diagnostics): StateValue {
  return Object.fromEntries(Object.entries(diagnostics).map(([name, values]) => [name, Float64Array.from(values)]));
}

export function loadDiagnostics(saved: StateValue | undefined): Diagnostics {
  return (saved ?? {}) as unknown as Diagnostics;
}

/** State entries that no replica has learned: copies of replays or rollouts, and settings. */
const UNLEARNED: readonly string[] = [REPLAY, VARIED];

function learnedNames(state: State): readonly string[] {
  return state.names.filter((name) => !UNLEARNED.includes(name));
}

/** A copy of what a replica has learned, of a learner's state. */
export async function saveTensors(state: State, replica: number): Promise<Map<string, Values>> {
  const tensors = new Map<string, Values>();
  for (const name of learnedNames(state)) {
    tensors.set(name, replicaPart(await state.read(name), replica, state.replicas ?? 1).slice());
  }
  return tensors;
}

/** Throws a RangeError, before anything is written, unless it is of such a state. */
export function loadTensors(state: State, replica: number, tensors: SavedReplica['tensors']): void {
  const names = learnedNames(state);
  const sizeOf = (name: string) => {
    const { shape } = state.spec(name);
    return shape.reduce((product, extent) => product * extent, 1) / (state.replicas ?? 1);
  };
  const odd = [...names, ...tensors.keys()].find((name) => {
    return !names.includes(name) || tensors.get(name)?.length !== sizeOf(name);
  });
  if (odd !== undefined) {
    const [there, here] = [tensors.get(odd)?.length ?? 0, names.includes(odd) ? sizeOf(odd) : 0];
    throw new RangeError(
      `what was learned has ${there} numbers of "${odd}", but must have ${here}: with the same settings of networks.`,
    );
  }
  for (const [name, values] of tensors) state.write(name, values, replica * values.length);
}

/** A replica's part of an array that holds those of all replicas: a view. */
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
