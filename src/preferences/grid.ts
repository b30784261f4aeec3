/** Grids of preferences on the simplex, for evaluation and for the preferences that environments follow in training. */
import { assertObjectives } from './check.js';

export interface GridOptions {
  /**
   * Keeps only the preferences whose entries, computed as multiples of the step in floating point, sum to exactly 1.
   * PD-MORL's grids are of this kind by accident: with six objectives a step of 0.1 keeps 2568 of 3003 preferences. With
   * two objectives the published steps lose nothing. Off, entries are correctly rounded and no preference is lost.
   */
  readonly floatExact?: boolean;
}

/**
 * All preferences whose entries are multiples of a step, in lexicographic order.
 * @param spacing the step, if at most 1 (it must divide 1), or into how many steps 1 is divided, if it is an integer
 */
export function simplexGrid(objectives: number, spacing: number, { floatExact = false }: GridOptions = {}): number[][] {
  assertObjectives(objectives);
  const divisions = divisionsOf(spacing);
  const entry = floatExact ? multiplesOf(1 / divisions) : (k: number) => k / divisions;
  const grid: number[][] = [];
  const point = new Array<number>(objectives).fill(0);

  function fill(objective: number, left: number, sum: number): void {
    const isLast = objective === objectives - 1;
    for (let k = isLast ? left : 0; k <= left; k++) {
      point[objective] = entry(k);
      // Summed from left to right, as published: the order decides what "exactly 1" lets through.
      const total = sum + point[objective];
      if (!isLast) fill(objective + 1, left - k, total);
      else if (!floatExact || total === 1) grid.push([...point]);
    }
  }
  fill(0, divisions, 0);
  return grid;
}

/** Divisions of the grids of PD-MORL, by the number of objectives: of the robots and deep sea treasure, and of the fruit tree. */
const PUBLISHED_GRIDS = new Map<number, readonly number[]>([
  [2, [10, 20, 100, 200, 1000]],
  [6, [10, 20]],
]);

/** Whether PD-MORL has a grid; all others keep every preference. */
export function isPublishedGrid(objectives: number, divisions: number): boolean {
  return PUBLISHED_GRIDS.get(objectives)?.includes(divisions) ?? false;
}

/** The grid that is trained on or scored with: as published where it is, and whole otherwise. */
export function preferenceGrid(objectives: number, divisions: number): number[][] {
  return simplexGrid(objectives, divisions, { floatExact: isPublishedGrid(objectives, divisions) });
}

/** How many preferences a grid has: in how many ways so many divisions go to so many objectives. */
export function gridSize(objectives: number, divisions: number): number {
  let size = 1;
  for (let k = 1; k < objectives; k++) size *= (divisions + k) / k;
  return Math.round(size);
}

const multiplesOf = (step: number) => (k: number) => k * step;

function divisionsOf(spacing: number): number {
  const divisions = spacing > 0 && spacing <= 1 ? Math.round(1 / spacing) : spacing;
  const isWhole = Number.isSafeInteger(divisions) && divisions >= 1;
  if (!isWhole || (spacing < 1 && Math.abs(divisions * spacing - 1) > 1e-9)) {
    throw new RangeError(
      `spacing is ${spacing}, but must be a step that divides 1, such as 0.05, or a number of divisions, such as 20.`,
    );
  }
  return divisions;
}

/**
 * Cuts a grid into contiguous slices, one per child, whose lengths differ by at most one (the first ones are longer). In
 * a grid in lexicographic order a slice is a band of the first objective's weight.
 */
export function subspaces<P>(grid: readonly P[], children: number): P[][] {
  if (!Number.isSafeInteger(children) || children < 1 || children > grid.length) {
    throw new RangeError(
      `children is ${children}, but must be an integer from 1 to ${grid.length}, the number of preferences.`,
    );
  }
  const length = Math.floor(grid.length / children);
  const longer = grid.length % children;
  const startOf = (child: number) => child * length + Math.min(child, longer);
  return Array.from({ length: children }, (_, child) => grid.slice(startOf(child), startOf(child + 1)));
}
