/** Ranges of values on some axes: what is in all of them is kept. */

/** By the axis: its least and its greatest value. */
export type Ranges = Readonly<Record<number, readonly [low: number, high: number]>>;

export function isInside(point: readonly number[], ranges: Ranges): boolean {
  return Object.entries(ranges).every(
    ([axis, [low, high]]) => low <= point[Number(axis)] && point[Number(axis)] <= high,
  );
}

/** @param range undefined clears that of the axis */
export function withRange(ranges: Ranges, axis: number, range: Ranges[number] | undefined): Ranges {
  const { [axis]: _, ...others } = ranges;
  return range === undefined ? others : { ...others, [axis]: range };
}

/**
 * The values between two places along an axis, in any order; beyond its ends there are none.
 * @param ends places of the least and the greatest value
 */
export function rangeBetween(
  from: number,
  to: number,
  ends: readonly [number, number],
  domain: readonly [number, number],
): Ranges[number] {
  const valueAt = (place: number) => {
    const share = Math.min(Math.max((place - ends[0]) / (ends[1] - ends[0]), 0), 1);
    return domain[0] + share * (domain[1] - domain[0]);
  };
  const [a, b] = [valueAt(from), valueAt(to)];
  return a < b ? [a, b] : [b, a];
}

/** How many steps of a key lead from one end of an axis to the other. */
const KEY_STEPS = 20;

/**
 * A range of which one end was moved along its axis, not past the other one; undefined where it is the whole axis again.
 * @param range undefined is the whole axis
 * @param steps of a key, down where they are negative
 */
export function withEndMoved(
  range: Ranges[number] | undefined,
  domain: readonly [number, number],
  end: 'low' | 'high',
  steps: number,
): Ranges[number] | undefined {
  const [low, high] = range ?? domain;
  const by = (steps * (domain[1] - domain[0])) / KEY_STEPS;
  const moved: Ranges[number] =
    end === 'low'
      ? [Math.min(Math.max(low + by, domain[0]), high), high]
      : [low, Math.max(Math.min(high + by, domain[1]), low)];
  return moved[0] === domain[0] && moved[1] === domain[1] ? undefined : moved;
}
