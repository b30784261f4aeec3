/** How the environments of a training draw the preferences that they follow. */
import { preferenceGrid, subspaces } from '../preferences/index.js';
import type { Random } from '../random/index.js';

/** Draws a preference into an array. */
export type Draw = (random: Random, out: Float32Array) => unknown;

/** For each child draws from its part of a simplex grid, whose parts are bands of the first objective's weight. */
export function gridDraws(objectives: number, divisions: number, children: number): readonly Draw[] {
  const grid = preferenceGrid(objectives, divisions);
  return subspaces(grid, children).map((part) => (random, out) => out.set(part[random.integer(part.length)]));
}
