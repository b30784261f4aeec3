/** What every plot of a front is given. */
import type { Preference } from './messages.js';

export interface FrontProps {
  readonly width: number;
  readonly height: number;
  readonly names: readonly string[];
  readonly points: readonly (readonly number[])[];
  readonly pointPreferences: readonly Preference[];
  readonly trueFront: readonly (readonly number[])[];
  /** The front of the policy set that the run keeps, where the points are those of another evaluation. */
  readonly kept: readonly (readonly number[])[];
  /** What the policies of the panes achieve. */
  readonly current: readonly Mark[];
  readonly picked: number | undefined;
  readonly onPick: (index: number | undefined) => void;
}

export interface Mark {
  readonly name: string;
  readonly returns: readonly number[];
  readonly colour: string;
  /** Whether it belongs to a preference that was already left. */
  readonly isStale: boolean;
}

/** What is picked of so many points, where it is still there: a front that arrives may have fewer than the one before it. */
export function stillPicked(picked: number | undefined, points: number): number | undefined {
  return picked !== undefined && picked < points ? picked : undefined;
}

export function frontLabel(names: readonly string[], points: number): string {
  return `Pareto front with ${points} points over ${names.join(', ')}`;
}
