/**
 * PG-MORL's population (Xu et al., ICML 2020): the directions of positive objectives are divided among buffers, and each
 * keeps the few policies that are farthest from the origin in its direction.
 */
import { simplexGrid } from '../../preferences/index.js';
import { bestOf, scalarised } from './selection.js';

export interface BufferOptions {
  /** With two objectives so many equal sectors; with more, directions along each edge of the simplex. */
  readonly count: number;
  /** Policies in each. */
  readonly size: number;
}

/** Points with an objective below this are in no buffer. */
const LEAST = 1e-7;

/** The indices of the points that are kept, buffer by buffer, the farthest first. Of equally far ones the first is. */
export function performanceBuffers(points: readonly (readonly number[])[], { count, size }: BufferOptions): number[] {
  const bufferOf = assignment(points.at(0)?.length ?? 2, count);
  const buffers = new Map<number, number[]>();
  points.forEach((point, index) => {
    if (point.some((value) => value < LEAST)) return;
    const buffer = bufferOf(point);
    buffers.set(buffer, [...(buffers.get(buffer) ?? []), index]);
  });
  return [...buffers]
    .sort(([a], [b]) => a - b)
    .flatMap(([, indices]) =>
      indices.sort((a, b) => Math.hypot(...points[b]) - Math.hypot(...points[a])).slice(0, size),
    );
}

/** Which buffer a point belongs to. */
function assignment(objectives: number, count: number): (point: readonly number[]) => number {
  if (objectives === 2) {
    return ([first, second]) => {
      const angle = Math.acos(Math.min(1, second / Math.hypot(first, second)));
      return Math.min(count - 1, Math.floor((angle / (Math.PI / 2)) * count));
    };
  }
  const directions = simplexGrid(objectives, Math.max(1, count - 1)).map((direction) => {
    const length = Math.hypot(...direction);
    return direction.map((value) => value / length);
  });
  const all = [...directions.keys()];
  return (point) => bestOf(all, (index) => scalarised(directions[index], point));
}
