import { notice } from './frame.js';
import { groupByName, pointOf, type FrontsPlot } from './fronts.js';
import { lineOpacity, parallelOf, trueFrontLineEntries, trueFrontLines } from './parallel.js';
import { element, segment } from './svg.js';

/** Of the lines of a front. */
const DASHES = [undefined, '7 4', '2 3', '9 3 2 3'] as const;

/** Three objectives or more: an axis each, and for every point a line in the colour and the dashes of its front. */
export function frontsLines(plot: FrontsPlot): string {
  const { fronts, trueFront = [] } = plot;
  const groups = groupByName(fronts, DASHES);
  const points = fronts.flatMap((front) => front.points);
  const parallel = parallelOf({
    ...plot,
    all: [...points, ...trueFront],
    legend: [
      ...groups.map(({ label: name, colour: stroke, look }) => ({
        name,
        width: 24,
        sample: (x: number, y: number) =>
          segment(x, y, x + 24, y, { stroke, 'stroke-width': 2, 'stroke-dasharray': look }),
      })),
      ...trueFrontLineEntries(trueFront),
    ],
  });
  const shared = { fill: 'none', 'stroke-width': 1.25, 'stroke-opacity': lineOpacity(points.length) };
  return parallel.draw([
    trueFrontLines(trueFront, parallel),
    ...groups.map(({ name, fronts: ofGroup, colour: stroke, look }) =>
      element(
        'g',
        { ...shared, stroke, 'stroke-dasharray': look, 'stroke-linejoin': 'round' },
        ofGroup.flatMap((front) =>
          front.points.map((point) => pointOf(plot, name, point, element('path', { d: parallel.line(point) }))),
        ),
      ),
    ),
    parallel.axes(),
    points.length === 0 ? notice(parallel.first, 'no points') : '',
  ]);
}
