import { notice, type LegendEntry } from './frame.js';
import type { FrontPlot } from './front.js';
import { lineOpacity, parallelOf, trueFrontLineEntries, trueFrontLines } from './parallel.js';
import { gradient, linear } from './scale.js';
import { element, segment } from './svg.js';
import { PALETTE, SEQUENTIAL } from './theme.js';

const GRADIENT_ID = 'first-objective';

/**
 * Three objectives or more: an axis each, a line for every point. The axes say what the colours mean: the first one
 * carries the scale of its objective, or, where preferences are known, each has the colour of the lines whose largest
 * weight it has.
 */
export function frontLines(plot: FrontPlot): string {
  const { points, trueFront = [], preferences } = plot;
  const parallel = parallelOf({ ...plot, all: [...points, ...trueFront], legend: legend(plot) });
  const share = linear(parallel.domains[0], [0, 1]);
  const sequential = gradient(SEQUENTIAL);
  const colour = (i: number) =>
    preferences === undefined ? sequential(share(points[i][0])) : objectiveColour(heaviest(preferences[i]));
  const fillOf = (k: number) => {
    if (preferences !== undefined) return objectiveColour(k);
    return k === 0 ? `url(#${GRADIENT_ID})` : undefined;
  };
  return parallel.draw([
    preferences === undefined ? scaleOfColours() : '',
    trueFrontLines(trueFront, parallel),
    element(
      'g',
      { fill: 'none', 'stroke-width': 1.5, 'stroke-opacity': lineOpacity(points.length), 'stroke-linejoin': 'round' },
      points.map((point, i) => element('path', { d: parallel.line(point), stroke: colour(i) })),
    ),
    parallel.axes(fillOf),
    points.length === 0 ? notice(parallel.first, 'no points') : '',
  ]);
}

function legend({ objectives, points, trueFront = [], preferences }: FrontPlot): LegendEntry[] {
  const by = preferences === undefined ? objectives[0] : 'largest weight';
  const colours = preferences === undefined ? SEQUENTIAL : objectives.map((_, k) => objectiveColour(k)).slice(0, 6);
  const sample = (x: number, y: number) =>
    colours
      .map((stroke, i) => {
        const piece = 30 / colours.length;
        return segment(x + i * piece, y, x + (i + 1) * piece, y, { stroke, 'stroke-width': 3 });
      })
      .join('');
  const achieved = { name: `achieved (${points.length}), coloured by ${by}`, width: 30, sample };
  return [achieved, ...trueFrontLineEntries(trueFront)];
}

function scaleOfColours(): string {
  const stops = SEQUENTIAL.map((colour, i) =>
    element('stop', { offset: i / (SEQUENTIAL.length - 1), 'stop-color': colour }),
  );
  return element('defs', {}, element('linearGradient', { id: GRADIENT_ID, x1: 0, y1: 1, x2: 0, y2: 0 }, stops));
}

function objectiveColour(k: number): string {
  return PALETTE[k % PALETTE.length];
}

function heaviest(preference: ArrayLike<number>): number {
  let best = 0;
  for (let k = 1; k < preference.length; k++) if (preference[k] > preference[best]) best = k;
  return best;
}
