import { notice, type LegendEntry } from './frame.js';
import type { Point } from './front.js';
import { groupByName, pointOf, type FrontGroup, type FrontsPlot } from './fronts.js';
import { cross, dotRadius, referenceEntries, scatterOf, staircase, trueFrontEntries, trueFrontOf } from './scatter.js';
import { circle, element, polyline, segment, type Attributes } from './svg.js';

type Mark = (x: number, y: number, radius: number, attributes: Attributes) => string;

const MARKS: readonly Mark[] = [
  circle,
  polygon([-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]),
  polygon([0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]),
  polygon([0, -1.25], [1.15, 0.85], [-1.15, 0.85]),
];

/** Two objectives: each front with a colour and a mark of its own, and the outline of what it dominates. */
export function frontsScatter(plot: FrontsPlot): string {
  const { fronts, trueFront = [], reference } = plot;
  const groups = groupByName(fronts, MARKS);
  const points = fronts.flatMap((front) => front.points);
  const scatter = scatterOf({
    ...plot,
    all: [...points, ...trueFront],
    legend: (isReferenceShown) => [
      ...groups.map(entryOf),
      ...trueFrontEntries(trueFront),
      ...referenceEntries(reference, isReferenceShown),
    ],
  });
  const { x, y } = scatter;
  const outlineOf = (front: readonly Point[]) =>
    staircase(front, undefined, undefined).map(([a, b]) => [x(a), y(b)] as const);
  const radius = dotRadius(points.length);
  return scatter.draw([
    scatter.axes,
    ...trueFrontOf(outlineOf(trueFront), trueFront, scatter),
    scatter.isReferenceShown ? cross(x(reference![0]), y(reference![1])) : '',
    ...groups.flatMap(({ fronts: ofGroup, colour }) =>
      ofGroup.map((front) =>
        front.points.length < 2 ? '' : element('path', { d: polyline(outlineOf(front.points)), ...line(colour) }),
      ),
    ),
    ...groups.flatMap(({ name, fronts: ofGroup, colour, look: mark }) =>
      ofGroup.flatMap((front) =>
        front.points.map((point) => pointOf(plot, name, point, mark(x(point[0]), y(point[1]), radius, filled(colour)))),
      ),
    ),
    points.length === 0 ? notice(scatter.area, 'no points') : '',
  ]);
}

function entryOf({ label: name, colour, look: mark }: FrontGroup<Mark>): LegendEntry {
  return {
    name,
    width: 24,
    sample: (x, y) => segment(x, y, x + 24, y, line(colour)) + mark(x + 12, y, 4, filled(colour)),
  };
}

function line(colour: string): Attributes {
  return { fill: 'none', stroke: colour, 'stroke-width': 1.25, 'stroke-opacity': 0.6 };
}

function filled(colour: string): Attributes {
  return { fill: colour, stroke: '#ffffff', 'stroke-width': 0.75 };
}

/** @param corners for a radius of 1 */
function polygon(...corners: readonly (readonly [x: number, y: number])[]): Mark {
  return (x, y, radius, attributes) => {
    const outline = corners.map(([a, b]) => [x + radius * a, y + radius * b] as const);
    return element('path', { d: `${polyline(outline)}Z`, ...attributes });
  };
}
