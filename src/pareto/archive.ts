/** An archive of non-dominated points, in which population methods keep their best policies. */
import { dominates } from './dominates.js';
import { checkPoint, type Point } from './points.js';

export interface ArchiveEntry<T> {
  readonly point: readonly number[];
  /** What reached the point, such as a policy. */
  readonly payload: T;
}

/** The non-dominated points seen so far, each with its payload. Larger is better. */
export class Archive<T> {
  #entries: ArchiveEntry<T>[] = [];

  /** @param objectives how many numbers a point holds */
  constructor(readonly objectives: number) {
    if (!Number.isSafeInteger(objectives) || objectives < 1) {
      throw new RangeError(`objectives is ${objectives}, but must be an integer of at least 1.`);
    }
  }

  /** The entries in the order in which they came. A later `add` leaves an array that was read before as it is. */
  get entries(): readonly ArchiveEntry<T>[] {
    return this.#entries;
  }

  /** The points of the entries, in the same order. */
  get points(): (readonly number[])[] {
    return this.#entries.map((entry) => entry.point);
  }

  get size(): number {
    return this.#entries.length;
  }

  /**
   * Adds a copy of the point and drops the entries that it dominates. Returns false, and keeps everything as it was, if
   * an entry dominates or equals it: of equal points the first one stays.
   */
  add(point: Point, payload: T): boolean {
    checkPoint('point', point, this.objectives);
    const added = Array.from(point);
    const isCovered = this.#entries.some(
      (entry) => dominates(entry.point, added) || entry.point.every((value, k) => value === added[k]),
    );
    if (isCovered) return false;
    this.#entries = [...this.#entries.filter((entry) => !dominates(added, entry.point)), { point: added, payload }];
    return true;
  }
}
