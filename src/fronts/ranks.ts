/** The rank of each value, 1 for the best; equal values share the mean of their ranks, and null comes last. */
export function ranksOf(values: readonly (number | null)[], isLargerBetter: boolean): number[] {
  const quality = (value: number | null) => (value === null ? -Infinity : isLargerBetter ? value : -value);
  return values.map((value) => {
    const better = values.filter((other) => quality(other) > quality(value)).length;
    const alike = values.filter((other) => quality(other) === quality(value)).length;
    return better + (alike + 1) / 2;
  });
}
