/**
 * How the transitions of a batch reach an update: as inputs that the host fills, or, on a device that keeps a copy of
 * the replay, as the slots from which the update gathers them.
 */
import type { Replay } from '../replay/index.js';
import { float32, int32 } from '../tensor/index.js';
import type { Spec, State, Tensor, Values } from '../tensor/index.js';
import { actionSize } from './learner.js';
import type { Batch, LearnerOptions, SlotBatch } from './learner.js';
import { REPLAY } from './state-names.js';

/** The transitions of a batch, as an update sees them. */
export interface TransitionTensors {
  readonly s: Tensor;
  /** [batch] indices of discrete actions, or [batch, actions]. */
  readonly a: Tensor;
  readonly r: Tensor;
  readonly s2: Tensor;
  readonly terminal: Tensor;
  /** What episodes earned from there on, where the learner asks for it. */
  readonly outcome?: Tensor;
}

export interface Transitions {
  /** Whether they have outcomes, which the replay then has to keep. */
  readonly outcomes: boolean;
  /** Specs of what an update that takes transitions has in its state and among its inputs. */
  readonly state: { readonly [REPLAY]?: Spec };
  readonly inputs: Readonly<Record<string, Spec>>;
  of(state: { readonly [REPLAY]?: Tensor }, inputs: Readonly<Record<string, Tensor>>): TransitionTensors;
  /** The values of those inputs for a batch. */
  feed(batch: Batch | SlotBatch): Record<string, Values>;
  /** The device's copies of the replays; undefined where it has none. */
  replays(state: State): ResidentReplays | undefined;
}

/**
 * In the memory of a device that queues its work, if they fit there; copied by the host otherwise.
 * @param outcomes whether they have what episodes earned from there on
 */
export function transitionsFor(options: LearnerOptions, outcomes = false): Transitions {
  const { device, capacity, replicas } = options;
  if (device.isOrdered !== true || capacity === undefined) return copied(options, outcomes);
  const isTooLarge = replicas * capacity * rowWidth(options, outcomes) > (device.largestEntry ?? Infinity);
  return isTooLarge ? copied(options, outcomes) : resident(options, capacity, outcomes);
}

function copied({ problem, batch }: LearnerOptions, outcomes: boolean): Transitions {
  const { observation, actionSpace, objectives } = problem;
  const inputs = {
    s: float32(batch, observation),
    a: actionSpace.kind === 'discrete' ? int32(batch) : float32(batch, actionSize(actionSpace)),
    r: float32(batch, objectives),
    s2: float32(batch, observation),
    terminal: float32(batch, 1),
    ...(outcomes && { outcome: float32(batch, objectives) }),
  };
  return {
    outcomes,
    state: {},
    inputs,
    of: (_, { s, a, r, s2, terminal, outcome }) => ({ s, a, r, s2, terminal, ...(outcomes && { outcome }) }),
    feed: (columns) => {
      if ('slots' in columns) throw new Error('this learner does not keep the replay and needs the transitions.');
      const { observation: s, action: a, reward: r, next: s2, terminal, outcome } = columns;
      return { s, a, r, s2, terminal, ...(outcome && { outcome }) };
    },
    replays: () => undefined,
  };
}

function rowWidth({ problem: { observation, actionSpace, objectives } }: LearnerOptions, outcomes: boolean): number {
  return 2 * observation + actionSize(actionSpace) + objectives + 1 + (outcomes ? objectives : 0);
}

function resident(options: LearnerOptions, capacity: number, outcomes: boolean): Transitions {
  const { batch, problem } = options;
  const { observation, actionSpace, objectives } = problem;
  const width = rowWidth(options, outcomes);
  return {
    outcomes,
    state: { [REPLAY]: float32(capacity, width) },
    inputs: { slots: int32(batch) },
    of: (state, { slots }) => {
      const sizes = [
        observation,
        actionSize(actionSpace),
        objectives,
        observation,
        1,
        ...(outcomes ? [objectives] : []),
      ];
      const [s, action, r, s2, terminal, outcome] = state[REPLAY]!.gather(slots).split(1, sizes);
      const a = actionSpace.kind === 'discrete' ? action.reshape([batch]).toInt() : action;
      return { s, a, r, s2, terminal, ...(outcomes && { outcome }) };
    },
    feed: (given) => {
      if (!('slots' in given)) throw new Error('this learner keeps the replay and needs the slots of a batch.');
      return { slots: given.slots };
    },
    replays: (state) => new ResidentReplays(state, capacity, width),
  };
}

/** Transitions that are sent to the device at a time. */
const AT_A_TIME = 8192;

/** Copies of replays on a device: a row for every slot. */
export class ResidentReplays {
  constructor(
    private readonly state: State,
    private readonly capacity: number,
    private readonly width: number,
  ) {}

  /** Sends what is new in the replays since the last time. */
  follow(replays: readonly Replay[]): void {
    const { capacity, width } = this;
    replays.forEach((replay, replica) => {
      const { added } = replay;
      for (let from = Math.max(replay.takeNews(), added - capacity); from < added;) {
        const slot = from % capacity;
        const count = Math.min(added - from, capacity - slot, AT_A_TIME);
        this.state.write(REPLAY, replay.rows(slot, count), (replica * capacity + slot) * width);
        from += count;
      }
    });
  }
}
