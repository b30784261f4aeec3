/** Characters of a name that are looked at, and shown. */
const LONGEST = 100;

/** How many characters must be added, removed or replaced to turn `a` into `b` (Levenshtein's distance). */
export function editDistance(a: string, b: string): number {
  // row[j] is the distance from the part of `a` read so far to the first j characters of `b`.
  const row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    let diagonal = row[0];
    row[0] = i;
    for (let j = 1; j <= b.length; j++) {
      const replaced = diagonal + (a[i - 1] === b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = Math.min(replaced, row[j] + 1, row[j - 1] + 1);
    }
  }
  return row[b.length];
}

/**
 * The candidate that was most likely meant by `name`, whatever its case, or undefined when none is near it: half
 * of the longer name or more would have to change. A candidate of which `name` is a part comes before all others:
 * people shorten names, and a long name is far from its own part by edit distance.
 */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  // Nobody types a name that long, and comparing it would take its time.
  if (name === '' || name.length > LONGEST) return undefined;
  const typed = name.toLowerCase();
  let best: string | undefined;
  let bestCost = Infinity;
  for (const candidate of candidates) {
    const known = candidate.toLowerCase();
    const distance = editDistance(typed, known);
    const longest = Math.max(typed.length, known.length);
    const isPart = known.includes(typed);
    if (!isPart && 2 * distance >= longest) continue;
    const cost = isPart ? distance / longest : distance;
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
