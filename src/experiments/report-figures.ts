/** The pictures of a report: in every case the fronts of all methods, and how they got there. */
import { envInfo } from '../envs/index.js';
import { quantile } from '../fronts/index.js';
import { curvePlot, frontsPlot, type Series } from '../plots/index.js';
import type { Case } from './case.js';
import type { Entry, Experiment, Report, SeedResult } from './experiment.js';
import type { LearningPoint } from './front-and-curve.js';
import { inPaper } from './report-parts.js';

export interface Figure {
  readonly svg: string;
  readonly caption: string;
}

/**
 * Of a case; none where no run left anything to draw.
 * @param label of the case, to begin titles with
 */
export function figuresOf({ layout }: Experiment, { entries, subject }: Report, where: Case, label: string): Figure[] {
  const ofCase = entries.filter(({ env }) => env === where.env);
  const own = ofCase.find(({ method }) => method === subject);
  const drawn = inOrder(ofCase, own);
  const fronts = drawn.filter(({ seeds }) => seeds.some(({ front }) => front.length > 0));
  const curves = drawn.filter(({ seeds }) => seeds.some(({ curve }) => curve.length > 0));
  const published = own?.published?.hypervolume;
  const curveFigure = (xLabel: string, x: (point: LearningPoint) => number | null, caption: string): Figure => ({
    caption,
    svg: curvePlot({
      title: `${label}: hypervolume over ${xLabel}`,
      subtitle: 'median of the seeds, with the half of them around it shaded',
      xLabel,
      yLabel: 'hypervolume',
      series: curves.map((entry) => seriesOf(entry, x)),
      hover: true,
      ...(published !== undefined && {
        ceiling: {
          label: `paper, ${inPaper(own!.method)}: ${layout.hypervolumeText(published, where)}`,
          value: published,
        },
      }),
    }),
  });
  return [
    ...(fronts.length === 0 ? [] : [frontFigure(label, where, fronts)]),
    ...(curves.length === 0
      ? []
      : [
          curveFigure(
            'environment steps',
            ({ envSteps }) => envSteps,
            'Every evaluation while training. The policy set of one of them is kept and scored, as the protocol says.',
          ),
          curveFigure(
            'seconds of training',
            ({ seconds }) => seconds,
            `The same by the clock, evaluations included: at each evaluation the median time of the seeds.${sharedText(curves)} Times compare only on equal hardware.`,
          ),
        ]),
  ];
}

/** That times are shares, where several runs were trained together. */
function sharedText(entries: readonly Entry[]): string {
  const isShared = entries.some(({ seeds }) => seeds.some(({ lockstep }) => lockstep > 1));
  return isShared
    ? ' Of runs that were trained together in lockstep it is their share: the clock showed that times their number.'
    : '';
}

/** The method that all others are compared with first, so that it has the first colour. */
function inOrder(entries: readonly Entry[], own: Entry | undefined): Entry[] {
  const others = entries.filter((entry) => entry !== own).reverse();
  return own === undefined ? others : [own, ...others];
}

function frontFigure(label: string, { env }: Case, entries: readonly Entry[]): Figure {
  const { objectives, referencePoint, knownFront } = envInfo(env);
  const discount = entries.find(({ protocol }) => protocol !== null)?.protocol?.returnDiscount ?? 1;
  const isPair = objectives.length === 2;
  return {
    caption: `Of each method the seed with the median hypervolume. ${isPair ? 'Farther to the upper right is better.' : 'Each line is a policy, and higher is better on every axis.'}`,
    svg: frontsPlot({
      title: `${label}: fronts`,
      objectives: objectives.map(({ name, unit }) => (unit === undefined ? name : `${name} (${unit})`)),
      fronts: entries.map(({ method, seeds }) => ({ name: method, points: medianSeed(seeds).front })),
      ...(isPair && { reference: referencePoint }),
      ...(knownFront !== undefined && { trueFront: knownFront(discount) }),
      hover: true,
    }),
  };
}

/** The lower one of the two in the middle where there are two. */
function medianSeed(seeds: readonly SeedResult[]): SeedResult {
  const drawn = seeds.filter(({ front }) => front.length > 0);
  const sorted = drawn.toSorted((a, b) => a.hypervolume - b.hypervolume);
  return sorted[Math.floor((sorted.length - 1) / 2)];
}

/** Medians and quartiles over the seeds, evaluation by evaluation. */
function seriesOf({ method, seeds }: Entry, x: (point: LearningPoint) => number | null): Series {
  const curves = seeds.map(({ curve }) => curve).filter((curve) => curve.length > 0);
  const evaluations = Math.min(...curves.map((curve) => curve.length));
  const rows = Array.from({ length: evaluations }, (_, i) => {
    const points = curves.map((curve) => curve[i]);
    const at = points.map(x).filter((value) => value !== null);
    return { at, values: points.map(({ hypervolume }) => hypervolume) };
  }).filter(({ at }) => at.length === curves.length);
  const medians = rows.map(({ at, values }) => [quantile(at, 0.5), quantile(values, 0.5)] as const);
  const band = rows.map(({ values }, i) => [medians[i][0], quantile(values, 0.25), quantile(values, 0.75)] as const);
  return { name: method, points: medians, ...(curves.length > 1 && { band }) };
}
