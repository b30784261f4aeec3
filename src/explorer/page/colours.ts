/** Colours that mean something: objectives have one each, and a preference has the mixture. */
import type { Preference } from './messages.js';

/** From all weight on the second objective to all on the first. Blue and orange differ for every kind of eye. */
const BETWEEN_TWO = ['#f59a3a', '#ea6f74', '#c95fb0', '#8f6be8', '#3f8cff'];
/** Okabe and Ito's, without black and yellow, which vanish on a dark or a light ground. */
const MANY = ['#56b4e9', '#e69f00', '#009e73', '#cc79a7', '#0072b2', '#d55e00'];

/** For runs and other things without an order. */
export function seriesColour(index: number): string {
  return MANY[index % MANY.length];
}

export function objectiveColour(index: number, objectives: number): string {
  if (objectives === 2) return BETWEEN_TWO[index === 0 ? BETWEEN_TWO.length - 1 : 0];
  return MANY[index % MANY.length];
}

export function preferenceColour(preference: Preference): string {
  if (preference.length === 2) {
    const place = Math.min(Math.max(preference[0], 0), 1) * (BETWEEN_TWO.length - 1);
    const from = Math.min(Math.floor(place), BETWEEN_TWO.length - 2);
    return mixed([BETWEEN_TWO[from], BETWEEN_TWO[from + 1]], [from + 1 - place, place - from]);
  }
  // Squared, because a mixture of many colours by their plain weights is always grey.
  const squares = preference.map((weight) => weight * weight);
  const sum = squares.reduce((total, square) => total + square, 0);
  return mixed(
    preference.map((_, k) => objectiveColour(k, preference.length)),
    squares.map((square) => square / sum),
  );
}

/** For the style of a slider between two objectives. */
export const TWO_GRADIENT = `linear-gradient(90deg, ${BETWEEN_TWO.join(', ')})`;

/** The grounds on which text stands that is hardest to read, dark text and light text. */
const GROUNDS = { light: '#eef1f5', dark: '#1b2230' } as const;
/** What WCAG asks of small text. */
const READABLE = 4.5;

/** A colour for text: as near to the given one as can be read. */
export function inkOf(colour: string, theme: keyof typeof GROUNDS): string {
  const extreme = theme === 'light' ? '#000000' : '#ffffff';
  const shares = Array.from({ length: 21 }, (_, i) => i / 20);
  const inks = shares.map((share) => mixed([colour, extreme], [1 - share, share]));
  return inks.find((ink) => contrast(ink, GROUNDS[theme]) >= READABLE) ?? extreme;
}

/** As WCAG 2 defines it. */
export function contrast(a: string, b: string): number {
  const [low, high] = [a, b].map(luminance).sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((start) => {
    const channel = parseInt(colour.slice(start, start + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** In light, where colours add up as they do in the eye. */
function mixed(colours: readonly string[], weights: readonly number[]): string {
  const channels = [1, 3, 5].map((start) => {
    const light = colours.reduce((sum, colour, i) => {
      return sum + weights[i] * (parseInt(colour.slice(start, start + 2), 16) / 255) ** 2.2;
    }, 0);
    return Math.round(255 * light ** (1 / 2.2));
  });
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}
