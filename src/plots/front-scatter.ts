import { notice, type LegendEntry } from './frame.js';
import type { FrontPlot, Point } from './front.js';
import { gradient } from './scale.js';
import { cross, dotRadius, referenceEntries, scatterOf, staircase, trueFrontEntries, trueFrontOf } from './scatter.js';
import { circle, element, polyline } from './svg.js';
import { MUTED_FILL, PALETTE, SEQUENTIAL } from './theme.js';

const ACHIEVED = PALETTE[0];
const ACHIEVED_FILL = '#dcebf5';

/** Two objectives: points, the true front as a staircase under them, and what each dominates above the reference. */
export function frontScatter(plot: FrontPlot): string {
  const { points, trueFront = [], reference, preferences } = plot;
  const scatter = scatterOf({
    ...plot,
    all: [...points, ...trueFront],
    legend: (isReferenceShown) => [
      achievedEntry(plot),
      ...trueFrontEntries(trueFront),
      ...referenceEntries(reference, isReferenceShown),
    ],
  });
  const { x, y, corner } = scatter;
  const stairs = (front: readonly Point[]) =>
    staircase(front, reference, corner).map(([a, b]) => [x(a), y(b)] as const);
  const dominated = (front: readonly Point[], fill: string) => {
    const outline = stairs(front);
    if (corner === undefined || outline.length === 0) return '';
    return element('path', { d: `${polyline([...outline, [x(corner[0]), y(corner[1])]])}Z`, fill });
  };

  const colour = gradient(SEQUENTIAL);
  const radius = dotRadius(points.length);
  return scatter.draw([
    dominated(trueFront, MUTED_FILL),
    dominated(points, ACHIEVED_FILL),
    scatter.axes,
    ...trueFrontOf(stairs(trueFront), trueFront, scatter),
    scatter.isReferenceShown ? cross(x(reference![0]), y(reference![1])) : '',
    ...points.map((point, i) =>
      circle(x(point[0]), y(point[1]), radius, {
        fill: preferences === undefined ? ACHIEVED : colour(preferences[i][0]),
        stroke: '#ffffff',
        'stroke-width': 0.75,
      }),
    ),
    points.length === 0 ? notice(scatter.area, 'no points') : '',
  ]);
}

function achievedEntry({ objectives, points, preferences }: FrontPlot): LegendEntry {
  if (preferences === undefined) {
    return {
      name: `achieved (${points.length})`,
      width: 10,
      sample: (x, y) => circle(x + 5, y, 4.5, { fill: ACHIEVED }),
    };
  }
  const colour = gradient(SEQUENTIAL);
  return {
    name: `achieved (${points.length}), by weight of ${objectives[0]}: 0 to 1`,
    width: 58,
    sample: (x, y) =>
      [0, 0.25, 0.5, 0.75, 1].map((w, i) => circle(x + 5 + 12 * i, y, 4.5, { fill: colour(w) })).join(''),
  };
}
