/** What a plot of a front is made from. */

/** One value per objective. More is better in each. */
export type Point = ArrayLike<number>;

export interface FrontPlot {
  readonly title: string;
  /** What to say about the front, such as its hypervolume with its protocol. */
  readonly subtitle?: string;
  /** The name of every objective; at least two. */
  readonly objectives: readonly string[];
  /** What was achieved. */
  readonly points: readonly Point[];
  /** The best that is possible, where it is known: drawn under the points. */
  readonly trueFront?: readonly Point[];
  /** Hypervolume is counted from here. Drawn with two objectives, unless it lies too far off. */
  readonly reference?: Point;
  /** The preference behind each point, in the order of `points`. Colours then show preferences. */
  readonly preferences?: readonly ArrayLike<number>[];
}
