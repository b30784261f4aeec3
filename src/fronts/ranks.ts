/** The rank of each value, 1 for the best; equal ones share the mean of theirs. Those that are null come last. */
export function ranksOf(values: readonly (number | null)[], isLargerBetter: boolean): number[] {
  const worth = (value: number | null) => (value === null ? -Infinity : isLargerBetter ? value : -value);
  return values.map((value) => {
    const better = values.filter((other) => worth(other) > worth(value)).length;
    const alike = values.filter((other) => worth(other) === worth(value)).length;
    return better + (alike + 1) / 2;
  });
}
