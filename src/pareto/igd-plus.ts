import { meanDistance } from './mean-distance.js';
import type { Points } from './points.js';

/**
 * IGD+: as `igd`, but only what a point lacks of the reference counts as distance, not what it has beyond it
 * (Ishibuchi, Masuda, Tanigaki and Nojima, EMO 2015). A set that dominates another never scores worse.
 *
 * It still measures only what the reference front asks for: a region that the reference leaves out is not rewarded.
 */
export function igdPlus(points: Points, referenceFront: Points): number {
  return meanDistance(points, referenceFront, (difference) => Math.min(difference, 0));
}
