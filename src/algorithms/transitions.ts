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
}

export interface Transitions {
  /** Specs of what an update that takes transitions has in its state and among its inputs. */
  readonly state: { readonly [REPLAY]?: Spec };
  readonly inputs: Readonly<Record<string, Spec>>;
  of(state: { readonly [REPLAY]?: Tensor }, inputs: Readonly<Record<string, Tensor>>): TransitionTensors;
  /** The values of those inputs for a batch. */
  feed(batch: Batch | SlotBatch): Record<string, Values>;
  /** The device's copies of the replays; undefined where it has none. */
  replays(state: State): ResidentReplays | undefined;
}

/** In the memory of a device that queues its work, if they fit there; copied by the host otherwise. */
export function transitionsFor(options: LearnerOptions): Transitions {
  const { device, capacity, replicas } = options;
  if (device.isOrdered !== true || capacity === undefined) return copied(options);
  const isTooLarge = replicas * capacity * rowWidth(options) > (device.largestEntry ?? Infinity);
  return isTooLarge ? copied(options) : resident(options, capacity);
}

function copied({ problem, batch }: LearnerOptions): Transitions {
  const { observation, actionSpace, objectives } = problem;
  const inputs = {
    s: float32(batch, observation),
    a: actionSpace.kind === 'discrete' ? int32(batch) : float32(batch, actionSize(actionSpace)),
    r: float32(batch, objectives),
    s2: float32(batch, observation),
    terminal: float32(batch, 1),
  };
  return {
    state: {},
    inputs,
    of: (_, { s, a, r, s2, terminal }) => ({ s, a, r, s2, terminal }),
    feed: (columns) => {
      if ('slots' in columns) throw new Error('this learner does not keep the replay and needs the transitions.');
      const { observation: s, action: a, reward: r, next: s2, terminal } = columns;
      return { s, a, r, s2, terminal };
    },
    replays: () => undefined,
  };
}

function rowWidth({ problem: { observation, actionSpace, objectives } }: LearnerOptions): number {
  return 2 * observation + actionSize(actionSpace) + objectives + 1;
}

function resident(options: LearnerOptions, capacity: number): Transitions {
  const { batch, problem, replicas } = options;
  const { observation, actionSpace, objectives } = problem;
  const width = rowWidth(options);
  return {
    state: { [REPLAY]: float32(capacity, width) },
    inputs: { slots: int32(batch) },
    of: (state, { slots }) => {
      const sizes = [observation, actionSize(actionSpace), objectives, observation, 1];
      const [s, action, r, s2, terminal] = state[REPLAY]!.gather(slots).split(1, sizes);
      return { s, a: actionSpace.kind === 'discrete' ? action.reshape([batch]).toInt() : action, r, s2, terminal };
    },
    feed: (given) => {
      if (!('slots' in given)) throw new Error('this learner keeps the replay and needs the slots of a batch.');
      return { slots: given.slots };
    },
    replays: (state) => new ResidentReplays(state, replicas, capacity, width),
  };
}

/** Transitions that are sent to the device at a time. */
const AT_A_TIME = 8192;

/** Copies of replays on a device: a row for every slot. */
export class ResidentReplays {
  /** Transitions that were sent for each replay, also those that have been overwritten since. */
  private readonly sent: number[];

  constructor(
    private readonly state: State,
    replicas: number,
    private readonly capacity: number,
    private readonly width: number,
  ) {
    this.sent = new Array<number>(replicas).fill(0);
  }

  /** Sends what has been added to the replays since the last time. */
  follow(replays: readonly Replay[]): void {
    const { capacity, width, sent } = this;
    replays.forEach((replay, replica) => {
      const { added } = replay;
      for (let from = Math.max(sent[replica], added - capacity); from < added;) {
        const slot = from % capacity;
        const count = Math.min(added - from, capacity - slot, AT_A_TIME);
        this.state.write(REPLAY, replay.rows(slot, count), (replica * capacity + slot) * width);
        from += count;
      }
      sent[replica] = added;
    });
  }
}
