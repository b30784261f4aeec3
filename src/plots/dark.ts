/** Turns pictures dark where they stand in a page: style rules that override the colours of the theme. */
import { INK, MUTED, MUTED_FILL, PALETTE } from './theme.js';

/**
 * What each colour of the theme is on a dark ground; Okabe and Ito's blue and black are too dark there, and a blue that is not
 * leaves no room for their sky blue.
 */
const DARK: readonly (readonly [light: string, dark: string])[] = [
  ['#ffffff', '#16191d'],
  [INK.title, '#eceff2'],
  [INK.text, '#c3c9d0'],
  [INK.faint, '#98a0a9'],
  [INK.axis, '#5d656e'],
  [INK.grid, '#2a2f35'],
  [MUTED, '#79818a'],
  [MUTED_FILL, '#2a2f35'],
  [PALETTE[0], '#2f86d6'],
  [PALETTE[5], '#a9ddfb'],
  [PALETTE[6], '#ffffff'],
];

/** @param scope a selector of what the pictures are in */
export function darkRules(scope: string): string {
  return DARK.flatMap(([light, dark]) =>
    ['fill', 'stroke'].map((name) => `${scope} [${name}="${light}"]{${name}:${dark}}`),
  ).join('');
}
