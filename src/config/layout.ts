/** The layout of help texts: two columns and wrapped lines. */

/** How wide help is; a line is longer only where one word is. */
const WIDTH = 100;
const INDENT = 2;
const GAP = 2;
/** A wider entry on the left has a line for itself, so that one long name does not push all texts to the right. */
const WIDEST_LEFT = 26;

/** Lines with a name on the left and a wrapped text on the right. */
export function twoColumns(rows: readonly (readonly [left: string, right: string])[]): string[] {
  const lengths = rows.map(([left]) => left.length).filter((length) => length <= WIDEST_LEFT);
  const start = INDENT + Math.max(0, ...lengths) + GAP;
  return rows.flatMap(([left, right]) => {
    const texts = wrap(right, WIDTH - start).map((line) => ' '.repeat(start) + line);
    const name = ' '.repeat(INDENT) + left;
    if (texts.length === 0) return [name];
    if (name.length + GAP > start) return [name, ...texts];
    return [name.padEnd(start) + texts[0].slice(start), ...texts.slice(1)];
  });
}

/** The words of a text in lines of at most so many characters. */
export function wrap(text: string, width = WIDTH): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
