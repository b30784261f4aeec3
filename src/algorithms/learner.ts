import type { Space, StateValue } from '../envs/index.js';
import type { Random } from '../random/index.js';
import type { BatchColumns } from '../replay/index.js';
import { compile } from '../tensor/index.js';
import type { Device, Program, State, Step, Values } from '../tensor/index.js';
import type { KeyReturns, KeySolutions } from './keys.js';

/** What a learner has to know about its environment. */
export interface Problem {
  /** Numbers in an observation. */
  readonly observation: number;
  readonly actionSpace: Space;
  readonly objectives: number;
  readonly discount: number;
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
}

/** A batch for all replicas below each other: rows of transitions in equal groups, and one preference per group. */
export interface Batch extends BatchColumns {
  readonly preferences: Float32Array;
}

/** When an update happens, and the randomness that it may use. */
export interface Moment {
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

/** Learns from replayed transitions, one update per environment step. All arrays hold the replicas below each other. */
export interface OffPolicyLearner {
  /** Everything that is learned. */
  readonly state: State;
  /** Names of the state entries that make up the policy: what a model file holds. */
  readonly policy: readonly string[];
  /** Fresh parameters for a replica. */
  initialise(random: Random, replica: number): void;
  /**
   * Deterministic actions for rows of observations, each with its preference: the same number of rows for every
   * replica. The array is overwritten by the next call.
   */
  act(observations: Float32Array, preferences: Float32Array): Promise<Float32Array | Int32Array>;
  /** The action to take instead while training; `progress` runs from 0 to 1. Discrete actions are single numbers. */
  explore(action: ArrayLike<number>, progress: number, random: Random): number | Float32Array;
  learn(batch: Batch, moment: Moment): Promise<void>;
  /** Takes note of observations on which actions are based: as many rows for each replica. */
  observe?(observations: Float32Array): void;
  /** What the critic expects of the policy: discounted return times preference, for rows as those of `act`. */
  expected?(observations: Float32Array, preferences: Float32Array): Promise<Float32Array>;
  /** For each replica what its angle term aims at, to be improved by what is achieved. */
  readonly keys?: readonly KeySolutions[];
  /** About the last update that had to tell. */
  diagnostics(): Diagnostics;
  /** What it keeps outside of `state`, as plain data. */
  save(): StateValue;
  /** Goes on from what a learner of the same kind saved. */
  load(saved: StateValue): void;
  dispose(): Promise<void>;
}

/** Runs an update: all its outputs where it has to tell about itself, none otherwise. */
export async function runUpdate<S extends Step>(
  program: Program<S>,
  inputs: Parameters<Program<S>['run']>[0],
  { report = true }: Moment,
): Promise<Diagnostics | undefined> {
  const outputs = await program.run(inputs, report ? {} : { read: [] });
  // Copies: the program writes its next outputs into the same arrays.
  return report ? mapValues(outputs, (values: Values) => values.slice()) : undefined;
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}

/** Diagnostics as plain data, and back. */
export function saveDiagnostics(diagnostics: Diagnostics): StateValue {
  return Object.fromEntries(Object.entries(diagnostics).map(([name, values]) => [name, Float64Array.from(values)]));
}

export function loadDiagnostics(saved: StateValue | undefined): Diagnostics {
  return (saved ?? {}) as unknown as Diagnostics;
}

/** The part of a replica, in an array that holds all of them below each other: a view of it. */
export function replicaPart<A extends Values>(array: A, replica: number, replicas: number): A {
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

/** A step for any number of rows: compiled for each number when it is first asked for, all on one state. */
export class RowPrograms<S extends Step> {
  private readonly programs = new Map<number, Program<S>>();

  constructor(
    private readonly state: State,
    private readonly makeStep: (rows: number) => S,
  ) {}

  async of(rows: number): Promise<Program<S>> {
    const { state } = this;
    const program =
      this.programs.get(rows) ?? (await compile(this.makeStep(rows), { replicas: state.replicas, state }));
    this.programs.set(rows, program);
    return program;
  }

  async dispose(): Promise<void> {
    await Promise.all([...this.programs.values()].map((program) => program.dispose()));
  }
}

/** The learning rate after a part of the training, which falls linearly to a share of itself. */
export function decayedRate(
  { learningRate, finalLearningRate }: { readonly learningRate: number; readonly finalLearningRate: number },
  progress: number,
): number {
  return learningRate * (1 - progress * (1 - finalLearningRate));
}
