/** Estimates the width of text, for layouts that cannot measure it. */

/** Widths of Inter's characters in units of the font size, in a few classes; other fonts are close or narrower. */
const CLASSES: readonly (readonly [em: number, characters: string])[] = [
  [0.29, " ijlI!',.:·"],
  [0.38, 'frt()[]{}/|;1'],
  [0.54, '-_^"*?acksvxyzJL7'],
  [0.73, 'ACDGHKNOQUVXY&+<=>~×\u2212'],
  [0.94, 'mwMW%@…↑→'],
];
const EM = new Map(CLASSES.flatMap(([em, characters]) => Array.from(characters, (one) => [one, em] as const)));
const USUAL = 0.61;
/** From here on, scripts whose characters are as wide as high. */
const FULL_WIDTH = '\u2E80';

/** Roughly how wide text is. No exact answer exists without knowing the font that will be used. */
export function textWidth(text: string, size: number): number {
  let em = 0;
  for (const character of text) em += EM.get(character) ?? (character < FULL_WIDTH ? USUAL : 1);
  return em * size;
}

/** Breaks text between words, or inside a word that fills a line alone, so that every line fits into `width`. */
export function wrap(text: string, size: number, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (let word of text.split(/\s+/).filter((part) => part !== '')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (textWidth(longer, size) <= width) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    while (textWidth(word, size) > width) {
      const head = longestPrefix(word, size, width);
      lines.push(head);
      word = word.slice(head.length);
    }
    line = word;
  }
  if (line !== '') lines.push(line);
  return lines;
}

/** Shortens text to `width`, with an ellipsis where something was cut. */
export function truncate(text: string, size: number, width: number): string {
  if (textWidth(text, size) <= width) return text;
  return `${longestPrefix(text, size, width - textWidth('…', size)).trimEnd()}…`;
}

/** At least one character, so that callers make progress. */
function longestPrefix(text: string, size: number, width: number): string {
  let prefix = '';
  for (const character of text) {
    if (prefix !== '' && textWidth(prefix + character, size) > width) break;
    prefix += character;
  }
  return prefix;
}
