/** Names above parallel axes: in as many lines as they need, inside of the plot, and shortened where even that is too little. */

export interface AxisName {
  readonly text: string;
  /** The place that it is anchored at. */
  readonly x: number;
  readonly anchor: 'start' | 'middle' | 'end';
  /** From the top. */
  readonly line: number;
}

/** Pixels of a letter, a little more than most take, and between two names. */
const LETTER = 6.7;
const GAP = 8;
const MOST_LINES = 3;

/** @param across where the axes are, evenly from left to right, in a plot that is this wide */
export function axisNames(names: readonly string[], across: readonly number[], width: number): AxisName[] {
  // Half of the place of a name: that of as many axes as there are lines, of which its neighbours take the others.
  const half = (lines: number) => (lines * (across[1] - across[0]) - GAP) / 2;
  const room = (k: number, lines: number) => {
    const [from, to] = [Math.max(0, across[k] - half(lines)), Math.min(width, across[k] + half(lines))];
    return Math.floor((to - from) / LETTER);
  };
  let lines = 1;
  while (lines < MOST_LINES && names.some((name, k) => name.length > room(k, lines))) lines++;
  return names.map((name, k) => {
    const text = shortened(name, room(k, lines));
    const reach = (LETTER * text.length) / 2;
    const line = k % lines;
    if (across[k] - reach < 0) return { text, x: 0, anchor: 'start', line };
    if (across[k] + reach > width) return { text, x: width, anchor: 'end', line };
    return { text, x: across[k], anchor: 'middle', line };
  });
}

function shortened(name: string, letters: number): string {
  return name.length <= letters ? name : `${name.slice(0, Math.max(1, letters - 1)).trimEnd()}…`;
}
