/** The pictures of a run: its front, and its hypervolume while it trains. */
import { envInfo } from '../envs/index.js';
import { frontOf, type ReturnsAt } from '../fronts/front.js';
import { ceilingOf, shareOf, type Score } from '../fronts/score.js';
import { curvePlot, frontPlot } from '../plots/index.js';
import { replicasText, returnDiscountOf } from '../training/index.js';
import type { Progress, TrainingPlan } from '../training/index.js';

/** The picture of a policy set, as SVG: its non-dominated returns, over the known front where there is one. */
export function frontPicture(plan: TrainingPlan, evaluated: ReturnsAt & { readonly hypervolume: number }): string {
  const info = envInfo(plan.env);
  const discount = returnDiscountOf(plan);
  const { preferences, returns } = frontOf(evaluated);
  const ceiling = ceilingOf(info, discount);
  const share = ceiling === null ? '' : `, ${shareOf(evaluated.hypervolume, ceiling)} of the ceiling`;
  return frontPlot({
    title: `${plan.env}: Pareto front of ${plan.algorithm.name}`,
    subtitle: `hypervolume ${rounded(evaluated.hypervolume)}${share}; ${nameOf(plan)}`,
    objectives: info.objectives.map(({ name, unit }) => (unit === undefined ? name : `${name} (${unit})`)),
    points: returns,
    preferences,
    trueFront: info.knownFront?.(discount),
    reference: info.referencePoint,
  });
}

export type CurvePoint = Progress & { readonly score: Score };

/** Hypervolume over environment steps, as SVG: a curve for each run, and the means of those with the same settings. */
export function hypervolumePicture(plan: TrainingPlan, runs: readonly (readonly CurvePoint[])[]): string {
  const ceiling = ceilingOf(envInfo(plan.env), returnDiscountOf(plan));
  return curvePlot({
    title: `${plan.env}: hypervolume while ${plan.algorithm.name} trains`,
    subtitle: nameOf(plan),
    xLabel: 'environment steps',
    yLabel: 'hypervolume',
    series: runs.map((points, r) => ({
      name: [plan.algorithm.name, ...Object.entries(plan.variants?.[r].settings ?? {}).flat()].join(' '),
      points: points.map(({ envSteps, score }) => [envSteps, score.hypervolume] as const),
    })),
    ...(ceiling !== null && { ceiling: { label: `ceiling ${rounded(ceiling)}`, value: ceiling } }),
  });
}

function nameOf(plan: TrainingPlan): string {
  return `${plan.preset} preset, ${replicasText(plan)}`;
}

function rounded(value: number): string {
  return String(Number(value.toPrecision(6)));
}
