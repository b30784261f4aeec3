/** Preferences as people move them: by a weight, or by a place in a triangle. */
import type { ReturnsAt } from '../../fronts/front.js';
import type { Preference } from './messages.js';

/** Exactly one in sum, and no more digits than a link should have. */
export function normalised(preference: Preference): Preference {
  const positive = preference.map((weight) => Math.max(0, weight));
  const sum = positive.reduce((total, weight) => total + weight, 0);
  const rounded = positive.map((weight) => Math.round((weight / sum) * 1e4) / 1e4);
  const largest = rounded.indexOf(Math.max(...rounded));
  const others = rounded.reduce((total, weight, k) => (k === largest ? total : total + weight), 0);
  return rounded.map((weight, k) => (k === largest ? Number((1 - others).toFixed(4)) : weight));
}

/** How much weight two preferences have to have elsewhere to be worth comparing. */
const APART = 0.2;

/** A preference to compare with: turned round where that is another one, or else all weight on what weighs least. */
export function opposite(preference: Preference): Preference {
  const turned = [...preference].reverse();
  const moved = preference.reduce((sum, weight, k) => sum + Math.abs(weight - turned[k]), 0) / 2;
  if (moved >= APART) return turned;
  const least = preference.lastIndexOf(Math.min(...preference));
  return preference.map((_, k) => (k === least ? 1 : 0));
}

/** Moves weight to one objective and takes it from the others, in proportion to what they have. */
export function withWeight(preference: Preference, objective: number, weight: number): Preference {
  const wanted = Math.min(Math.max(weight, 0), 1);
  const rest = 1 - preference[objective];
  return preference.map((old, k) => {
    if (k === objective) return wanted;
    return rest > 1e-9 ? (old / rest) * (1 - wanted) : (1 - wanted) / (preference.length - 1);
  });
}

export const SIDE = 230;
export const HIGH = (SIDE * Math.sqrt(3)) / 2;
/** One for each of three objectives, in a triangle with sides of that length. */
export const CORNERS = [
  [SIDE / 2, 0],
  [0, HIGH],
  [SIDE, HIGH],
] as const;

/** The nearer to a corner, the more its objective weighs. */
export function inTriangle(preference: Preference): readonly [x: number, y: number] {
  const along = (axis: 0 | 1) => preference.reduce((sum, weight, k) => sum + weight * CORNERS[k][axis], 0);
  return [along(0), along(1)];
}

/** The weights of a place, which need not sum to one where it is outside; undefined where none is left. */
export function fromTriangle(x: number, y: number): Preference | undefined {
  const top = 1 - y / HIGH;
  const right = (x - (SIDE / 2) * top) / SIDE;
  const weights = [top, 1 - top - right, right].map((weight) => Math.max(0, weight));
  return weights.some((weight) => weight > 0) ? weights : undefined;
}

/** What was evaluated at the preference that is most like this one; undefined where nothing was. */
export function nearestEvaluated({ preferences, returns }: ReturnsAt, preference: Preference) {
  const distances = preferences.map((other) => Math.hypot(...other.map((weight, k) => weight - preference[k])));
  const nearest = distances.reduce((best, distance, i) => (distance < distances[best] ? i : best), 0);
  return distances.length === 0 ? undefined : { preference: preferences[nearest], returns: returns[nearest] };
}
