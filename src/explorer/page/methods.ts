/** Runs of one environment against each other: what each of them adds to what all of them reach together. */
import { frontOf, type ReturnsAt } from '../../fronts/front.js';
import { hypervolume, hypervolumeShares, nonDominatedIndices, setCoverage } from '../../pareto/index.js';
import { groupsOf } from './curves.js';
import type { RunData } from './run-data.js';

export interface Contender {
  readonly run: RunData;
  /** What tells it from the others. */
  readonly label: string;
  /** Runs that differ by their seeds alone have the same. */
  readonly colour: string;
  readonly front: ReturnsAt;
  /** Above the reference point of all. */
  readonly hypervolume: number;
  /** Shares of the hypervolume of all fronts together: what it dominates, and what nobody else does. */
  readonly dominates: number;
  readonly adds: number;
  /** How many of its points no point of another one dominates. */
  readonly onUnion: number;
  /** How many points of the others it dominates, of how many there are. */
  readonly beats: number;
  readonly others: number;
}

/** Runs whose returns are measured alike, so that their fronts can be compared; those without a front have none to compare. */
export function comparable(all: readonly RunData[], current: RunData): RunData[] {
  return all.filter(
    ({ env, returnDiscount, kept }) =>
      env.id === current.env.id && returnDiscount === current.returnDiscount && kept !== undefined,
  );
}

/** @param reference the point above which hypervolume is measured */
export function contend(all: readonly RunData[], reference: readonly number[]): Contender[] {
  const fronts = all.map(({ kept }) => frontOf(kept!.evaluated));
  const points = fronts.map(({ returns }) => returns);
  const { total, alone } = hypervolumeShares(points, reference);
  const union = new Set(nonDominatedIndices(points.flat()).map((i) => points.flat()[i].join()));
  const groups = groupsOf(all);
  return all.map((run, i) => {
    const { name, colour } = groups.find(({ members }) => members.includes(run))!;
    const rest = points.flatMap((rows, k) => (k === i ? [] : rows));
    const own = hypervolume(points[i], reference);
    return {
      run,
      label: `${name}, seed ${run.seed}`,
      colour,
      front: fronts[i],
      hypervolume: own,
      dominates: total > 0 ? own / total : 0,
      adds: total > 0 ? alone[i] / total : 0,
      onUnion: points[i].filter((point) => union.has(point.join())).length,
      beats: setCoverage(rest, points[i]).dominated,
      others: rest.length,
    };
  });
}
