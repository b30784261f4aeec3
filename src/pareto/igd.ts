import { meanDistance } from './mean-distance.js';
import type { Points } from './points.js';

/**
 * Inverted generational distance: the mean Euclidean distance from a point of the reference front to the nearest of the
 * points (Coello Coello and Reyes Sierra, MICAI 2004). Zero when the whole reference front was reached.
 *
 * It can get worse when a point gets better: a point beyond the reference front is as far from it as one before it. Use
 * `igdPlus` unless the reference front is exact, and scale the objectives alike for both.
 */
export function igd(points: Points, referenceFront: Points): number {
  return meanDistance(points, referenceFront, (difference) => difference);
}
