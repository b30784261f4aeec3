import type { Random } from '../random/index.js';

export interface ReplayShape {
  /** Transitions that are kept; the oldest go first. Rounded up to a multiple of `children`. */
  readonly capacity: number;
  readonly observation: number;
  /** Numbers of an action: 1 for a discrete one, which is kept as its index. */
  readonly action: number;
  readonly objectives: number;
  /** Children that add one transition each per turn, always in the same order. */
  readonly children: number;
}

export interface Transition {
  readonly observation: ArrayLike<number>;
  readonly action: number | ArrayLike<number>;
  readonly reward: ArrayLike<number>;
  readonly next: ArrayLike<number>;
  /** Whether nothing can be earned after `next`. */
  readonly terminal: boolean;
  /** The preference that the child followed. */
  readonly preference: ArrayLike<number>;
}

/** Columns of a batch, as a learner's program takes them; each belongs to the caller. */
export interface BatchColumns {
  readonly observation: Float32Array;
  readonly action: Float32Array | Int32Array;
  readonly reward: Float32Array;
  readonly next: Float32Array;
  readonly terminal: Float32Array;
}

/**
 * A ring of transitions, each stored once. Slot i belongs to child i mod children, so the transitions of one child can
 * be drawn without an index.
 */
export class Replay {
  readonly capacity: number;
  private readonly columns: Record<'observation' | 'action' | 'reward' | 'next' | 'preference', Float32Array>;
  private readonly terminal: Uint8Array;
  private added = 0;

  constructor(readonly shape: ReplayShape) {
    const { children, observation, action, objectives } = shape;
    this.capacity = Math.ceil(shape.capacity / children) * children;
    const column = (width: number): Float32Array => new Float32Array(this.capacity * width);
    this.columns = {
      observation: column(observation),
      action: column(action),
      reward: column(objectives),
      next: column(observation),
      preference: column(objectives),
    };
    this.terminal = new Uint8Array(this.capacity);
  }

  /** Transitions that can be drawn. */
  get size(): number {
    return Math.min(this.added, this.capacity);
  }

  /** Adds the transition of the child whose turn it is. */
  add(transition: Transition): void {
    const { observation, action, objectives } = this.shape;
    const slot = this.added % this.capacity;
    this.columns.observation.set(transition.observation, slot * observation);
    if (typeof transition.action === 'number') this.columns.action[slot] = transition.action;
    else this.columns.action.set(transition.action, slot * action);
    this.columns.reward.set(transition.reward, slot * objectives);
    this.columns.next.set(transition.next, slot * observation);
    this.columns.preference.set(transition.preference, slot * objectives);
    this.terminal[slot] = Number(transition.terminal);
    this.added++;
  }

  /** A slot drawn uniformly. */
  draw(random: Random): number {
    return random.integer(this.size);
  }

  /** A slot drawn uniformly among those of the same child. */
  drawSibling(slot: number, random: Random): number {
    const { children } = this.shape;
    const child = slot % children;
    return child + children * random.integer(Math.floor((this.size - child - 1) / children) + 1);
  }

  /** Copies the preference that was followed in a slot. */
  preferenceAt(slot: number, out: Float32Array, offset: number): void {
    const { objectives } = this.shape;
    for (let k = 0; k < objectives; k++) out[offset + k] = this.columns.preference[slot * objectives + k];
  }

  /** Copies the transitions of the slots into the rows of a batch, from a row on. */
  gather(slots: Int32Array, out: BatchColumns, firstRow: number): void {
    const { observation, action, objectives } = this.shape;
    const { columns } = this;
    for (let i = 0; i < slots.length; i++) {
      const [slot, row] = [slots[i], firstRow + i];
      copyRow(columns.observation, slot, out.observation, row, observation);
      copyRow(columns.action, slot, out.action, row, action);
      copyRow(columns.reward, slot, out.reward, row, objectives);
      copyRow(columns.next, slot, out.next, row, observation);
      out.terminal[row] = this.terminal[slot];
    }
  }
}

function copyRow(
  from: Float32Array,
  source: number,
  to: Float32Array | Int32Array,
  target: number,
  width: number,
): void {
  for (let k = 0; k < width; k++) to[target * width + k] = from[source * width + k];
}
