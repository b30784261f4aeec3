/** Suggestions for misspelt names: the nearest known name by edit distance. */

/** Characters of a name that are looked at, and shown. */
const LONGEST = 100;

/**
 * How many characters must be added, removed, replaced or swapped with their neighbour to turn `a` into `b` (the
 * unrestricted distance of Damerau and Levenshtein, which is a metric).
 */
export function editDistance(a: string, b: string): number {
  // The entry at i and j is the distance from the first i characters of `a` to the first j of `b`.
  const width = b.length + 1;
  const distances = new Int32Array((a.length + 1) * width);
  for (let i = 0; i <= a.length; i++) distances[i * width] = i;
  for (let j = 0; j <= b.length; j++) distances[j] = j;
  /** The last place in `a` so far, counted from 1, of each character. */
  const lastIn = new Map<string, number>();
  for (let i = 1; i <= a.length; i++) {
    /** The last place in `b` so far of this character of `a`. */
    let lastMatch = 0;
    for (let j = 1; j <= b.length; j++) {
      const index = i * width + j;
      const isSame = a[i - 1] === b[j - 1];
      let least = distances[index - width - 1] + (isSame ? 0 : 1);
      least = Math.min(least, distances[index - width] + 1, distances[index - 1] + 1);
      const k = lastMatch === 0 ? undefined : lastIn.get(b[j - 1]);
      if (k !== undefined) {
        // The characters at k and i of `a` are those at `lastMatch` and j of `b` in the other order.
        const swapped = distances[(k - 1) * width + lastMatch - 1] + (i - k - 1) + 1 + (j - lastMatch - 1);
        least = Math.min(least, swapped);
      }
      distances[index] = least;
      if (isSame) lastMatch = j;
    }
    lastIn.set(a[i - 1], i);
  }
  return distances[distances.length - 1];
}

/**
 * The candidate that was most likely meant by `name`, whatever its case, or undefined when none is near it: half
 * of the longer name or more would have to change. A candidate of which `name` is a part comes before all others, and one
 * that begins with it before those: people shorten names, and a long name is far from its own part by edit distance.
 */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  // Such a name is no typing mistake, and comparing it would take long.
  if (name === '' || name.length > LONGEST) return undefined;
  const typed = name.toLowerCase();
  let best: string | undefined;
  let bestCost = Infinity;
  for (const candidate of candidates) {
    const known = candidate.toLowerCase();
    const longest = Math.max(typed.length, known.length);
    const isPart = known.includes(typed);
    // No distance is less than the difference of the lengths.
    if (!isPart && 2 * Math.abs(typed.length - known.length) >= longest) continue;
    const distance = editDistance(typed, known);
    if (!isPart && 2 * distance >= longest) continue;
    const cost = isPart ? distance / longest - (known.startsWith(typed) ? 1 : 0) : distance;
    if (cost < bestCost) {
      best = candidate;
      bestCost = cost;
    }
  }
  return best;
}

/** The sentence for a name that does not exist, with the nearest that does. */
export function unknownName(argument: string, name: string, known: readonly string[]): string {
  const suggestion = nearest(name, known);
  const hint = suggestion === undefined ? '' : ` (did you mean "${suggestion}"?)`;
  const start = name.length > LONGEST ? `${name.slice(0, LONGEST)}...` : name;
  return `${argument} is "${start}"${hint}, but must be one of: ${known.join(', ')}.`;
}
