/** A fan: several policies of one model, spread over its front, which are played at once. */
import type { ReturnsAt } from '../../fronts/front.js';
import { extent } from '../../plots/scale.js';
import type { Preference } from './messages.js';
import { normalised } from './simplex.js';

/** How many there are: two would be a comparison. `usual` unless an address says otherwise. */
export const FAN_SIZES = { least: 3, usual: 7, most: 9 };

/**
 * Preferences whose returns are far apart: first the best one of the first objective, then each time the one that is
 * farthest from those before, as shares of what the front extends over. From the first objective's to the others'.
 */
export function fanOf({ preferences, returns }: ReturnsAt, size: number): Preference[] {
  if (returns.length === 0) return [];
  const ranges = returns[0].map((_, k) => extent(returns.map((point) => point[k]))!);
  const shares = returns.map((point) =>
    point.map((value, k) => {
      const [low, high] = ranges[k];
      return (value - low) / (high - low || 1);
    }),
  );
  const distance = (i: number, j: number) => Math.hypot(...shares[i].map((share, k) => share - shares[j][k]));
  const chosen = [returns.findIndex((point) => point[0] === ranges[0][1])];
  const apart = shares.map((_, i) => distance(i, chosen[0]));
  while (chosen.length < size) {
    const [, farthest] = extent(apart)!;
    if (farthest === 0) break;
    const next = apart.indexOf(farthest);
    chosen.push(next);
    apart.forEach((before, i) => (apart[i] = Math.min(before, distance(i, next))));
  }
  return chosen.map((i) => normalised(preferences[i])).sort(byFirstWeight);
}

function byFirstWeight(a: Preference, b: Preference): number {
  const k = a.findIndex((weight, i) => weight !== b[i]);
  return k < 0 ? 0 : b[k] - a[k];
}
