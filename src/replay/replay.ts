/** The replay: a ring buffer of transitions, from which batches are drawn, and which is saved in segments. */
import type { Random } from '../random/index.js';

export interface ReplayShape {
  /** Transitions that are kept; the oldest go first. Rounded up to a multiple of `children`. */
  readonly capacity: number;
  readonly observation: number;
  /** How many numbers an action has: 1 for a discrete one, which is its index. */
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
  /** The share of what comes after `next` that is not counted: 1 where nothing can be earned. */
  readonly terminal: Float32Array;
}

/** Returns of several steps. */
export interface Lookahead {
  /** The most steps whose rewards are counted before what comes after them is expected. */
  readonly steps: number;
  readonly discount: number;
}

/** The newest transitions of a replay: a tenth of it, but at least this many. */
const RECENT_SHARE = 0.1;
const LEAST_RECENT = 10_000;

const ONE_STEP: Lookahead = { steps: 1, discount: 1 };

/** Transitions that a replay keeps: whole turns of the children. */
export function ringSize({ capacity, children }: Pick<ReplayShape, 'capacity' | 'children'>): number {
  return Math.ceil(capacity / children) * children;
}

/** Slot i belongs to child i mod children, so the transitions of one child can be drawn without an index. */
export class Replay {
  readonly capacity: number;
  private readonly columns: Record<'observation' | 'action' | 'reward' | 'next' | 'preference', Float32Array>;
  private readonly terminal: Uint8Array;
  /** Transitions that were ever added, also those that have been overwritten. */
  added = 0;

  constructor(readonly shape: ReplayShape) {
    const { observation, action, objectives } = shape;
    this.capacity = ringSize(shape);
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

  /**
   * The bytes of transitions, numbered from the first that was ever added: column by column, as the machine holds them.
   * They must still be there.
   */
  encode(from: number, to: number): Uint8Array {
    const bytes = new Uint8Array((to - from) * this.rowBytes);
    let end = 0;
    for (const { column, width } of this.eachColumn()) {
      for (const [start, stop] of this.ranges(from, to)) {
        const part = column.subarray(start * width, stop * width);
        bytes.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), end);
        end += part.byteLength;
      }
    }
    return bytes;
  }

  /** Adds the transitions of such bytes, of a replay of the same shape, as if they were added one by one. */
  decode(bytes: Uint8Array): void {
    const count = bytes.length / this.rowBytes;
    if (!Number.isInteger(count) || count > this.capacity) {
      throw new RangeError(`has ${bytes.length} bytes, which are not transitions of ${this.rowBytes} bytes each`);
    }
    let end = 0;
    for (const { column, width } of this.eachColumn()) {
      for (const [start, stop] of this.ranges(this.added, this.added + count)) {
        const part = column.subarray(start * width, stop * width);
        new Uint8Array(part.buffer, part.byteOffset, part.byteLength).set(bytes.subarray(end, end + part.byteLength));
        end += part.byteLength;
      }
    }
    this.added += count;
  }

  private get rowBytes(): number {
    const { observation, action, objectives } = this.shape;
    return 4 * (2 * observation + action + 2 * objectives) + 1;
  }

  private eachColumn(): { readonly column: Float32Array | Uint8Array; readonly width: number }[] {
    const all = [...Object.values(this.columns), this.terminal];
    return all.map((column) => ({ column, width: column.length / this.capacity }));
  }

  /** The slots of transitions: one range, or two where they go on at the start of the ring. */
  private ranges(from: number, to: number): [start: number, stop: number][] {
    const start = from % this.capacity;
    const stop = start + (to - from);
    return stop <= this.capacity
      ? [[start, stop]]
      : [
          [start, this.capacity],
          [0, stop - this.capacity],
        ];
  }

  /**
   * How many of the newest transitions count as recent, as far as they are there: a tenth of the replay, but at least 10,000,
   * and a whole turn, so that each child has one among them.
   */
  get recent(): number {
    return Math.min(this.size, Math.max(LEAST_RECENT, this.shape.children, Math.ceil(RECENT_SHARE * this.size)));
  }

  /** A slot drawn uniformly. */
  draw(random: Random): number {
    return random.integer(this.size);
  }

  /** A slot drawn uniformly among the recent ones. */
  drawRecent(random: Random): number {
    return (this.added - 1 - random.integer(this.recent)) % this.capacity;
  }

  /** A slot drawn uniformly among the recent ones of the same child. */
  drawRecentSibling(slot: number, random: Random): number {
    const { children } = this.shape;
    const newest = this.added - 1 - ((this.added - 1 - (slot % children)) % children);
    const count = Math.floor((newest - (this.added - this.recent)) / children) + 1;
    return (newest - children * random.integer(count)) % this.capacity;
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

  /** Neighbouring slots with all that an update needs, each as a row: observation, action, reward, next, terminal. */
  rows(slot: number, count: number): Float32Array {
    const { observation, action, reward, next } = this.columns;
    const parts = [observation, action, reward, next, this.terminal].map((column) => ({
      column,
      width: column.length / this.capacity,
    }));
    const width = parts.reduce((sum, part) => sum + part.width, 0);
    const out = new Float32Array(count * width);
    let offset = 0;
    for (const part of parts) {
      for (let i = 0; i < count; i++) {
        const from = (slot + i) * part.width;
        for (let k = 0; k < part.width; k++) out[i * width + offset + k] = part.column[from + k];
      }
      offset += part.width;
    }
    return out;
  }

  /**
   * Copies the transitions of the slots into the rows of a batch, from a row on. With a lookahead each goes on as its episode
   * did: rewards are discounted sums, `next` is where the last step led, and `terminal` discounts what comes after it by the steps before.
   */
  gather(slots: Int32Array, out: BatchColumns, firstRow: number, { steps, discount }: Lookahead = ONE_STEP): void {
    const { observation, action, objectives } = this.shape;
    const { columns } = this;
    for (let i = 0; i < slots.length; i++) {
      const [slot, row] = [slots[i], firstRow + i];
      copyRow(columns.observation, slot, out.observation, row, observation);
      copyRow(columns.action, slot, out.action, row, action);
      copyRow(columns.reward, slot, out.reward, row, objectives);
      let [last, factor] = [slot, 1];
      for (let step = 1; step < steps; step++) {
        const later = this.following(last);
        if (later === undefined) break;
        [last, factor] = [later, factor * discount];
        for (let k = 0; k < objectives; k++) {
          out.reward[row * objectives + k] += factor * columns.reward[last * objectives + k];
        }
      }
      copyRow(columns.next, last, out.next, row, observation);
      out.terminal[row] = this.terminal[last] === 1 ? 1 : 1 - factor;
    }
  }

  /** The slot of the transition that goes on where this one ended, if there is one. */
  private following(slot: number): number | undefined {
    const { observation, children } = this.shape;
    const newest = (this.added - 1) % this.capacity;
    const age = (newest - slot + this.capacity) % this.capacity;
    if (this.terminal[slot] === 1 || age < children) return undefined;
    const later = (slot + children) % this.capacity;
    for (let k = 0; k < observation; k++) {
      // After a step limit the child begins anew elsewhere.
      if (this.columns.next[slot * observation + k] !== this.columns.observation[later * observation + k]) {
        return undefined;
      }
    }
    return later;
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
