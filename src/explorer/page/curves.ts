/** What runs wrote while they trained, as curves. */
import { methodKeyOf, methodLabel } from '../../fronts/method.js';
import { seriesColour } from './colours.js';
import { REGRET, type RunData } from './run-data.js';

/** A value at a number of environment steps. */
export type CurvePoint = readonly [steps: number, value: number];

/** Runs of the same method, which differ by their seeds. */
export interface Group {
  readonly name: string;
  readonly colour: string;
  readonly members: readonly RunData[];
}

export function groupsOf(all: readonly RunData[]): Group[] {
  const methods = new Map(all.map(({ method }) => [methodKeyOf(method), method]));
  return [...methods].map(([key, method], i) => ({
    name: methodLabel(method, [...methods.values()]).label,
    colour: seriesColour(i),
    members: all.filter((one) => methodKeyOf(one.method) === key),
  }));
}

const FIRST = ['hypervolume', 'sparsity', 'expectedUtility', ...Object.values(REGRET), 'points'];

/** The names of all numbers that some run wrote: scores first, the others by the alphabet. */
export function metricNames(all: readonly Pick<RunData, 'metrics'>[]): string[] {
  const written = new Set(all.flatMap(({ metrics }) => metrics.flatMap(({ values }) => Object.keys(values))));
  return [...FIRST.filter((name) => written.has(name)), ...[...written].filter((name) => !FIRST.includes(name)).sort()];
}

/** One number of a run, where it wrote it. */
export function curveOf({ metrics }: Pick<RunData, 'metrics'>, metric: string): CurvePoint[] {
  return metrics
    .filter(({ values }) => metric in values)
    .map(({ envSteps, values }): CurvePoint => [envSteps, values[metric]]);
}

/** Where on its curve a run has the policy set that it keeps, if anywhere. */
export function keptPoint({ metrics, kept }: Pick<RunData, 'metrics' | 'kept'>, metric: string): CurvePoint[] {
  return curveOf({ metrics: metrics.filter(({ envSteps }) => envSteps === kept?.envSteps) }, metric);
}

/** Mean, least and most of several curves, where all of them have a value. */
export function bandOf(curves: readonly (readonly CurvePoint[])[]): Record<'mean' | 'low' | 'high', CurvePoint[]> {
  const [first = [], ...rest] = curves;
  const others = rest.map((points) => new Map(points));
  const shared = first.filter(([x]) => others.every((points) => points.has(x)));
  const rows = shared.map(([x, y]) => ({ x, values: [y, ...others.map((points) => points.get(x)!)] }));
  return {
    mean: rows.map(({ x, values }) => [x, values.reduce((sum, value) => sum + value, 0) / values.length]),
    low: rows.map(({ x, values }) => [x, Math.min(...values)]),
    high: rows.map(({ x, values }) => [x, Math.max(...values)]),
  };
}

/**
 * A curve without its noise: the mean of all points up to each, the older the less they weigh.
 * @param share what a point weighs beside the one after it, from 0, which changes nothing, to below 1
 */
export function smoothed(points: readonly CurvePoint[], share: number): CurvePoint[] {
  let [sum, weight] = [0, 0];
  return points.map(([steps, value]) => {
    [sum, weight] = [share * sum + value, share * weight + 1];
    return [steps, sum / weight];
  });
}

/** The value of a curve at the last of its points up to some steps; undefined before its first. */
export function valueAt(points: readonly CurvePoint[], steps: number): number | undefined {
  return points.findLast(([at]) => at <= steps)?.[1];
}
