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
