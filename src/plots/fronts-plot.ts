import { checkRow, checkRows } from './check.js';
import { notice, type LegendEntry } from './frame.js';
import type { FrontPlot, Point } from './front.js';
import { cross, dotRadius, referenceEntries, scatterOf, staircase, trueFrontEntries, trueFrontOf } from './scatter.js';
import { circle, element, polyline, segment, type Attributes } from './svg.js';
import { PALETTE } from './theme.js';

export interface NamedFront {
  /** Fronts of the same name are of the same thing, such as of one method with several seeds: they look alike. */
  readonly name: string;
  readonly points: readonly Point[];
}

/** Two objectives. */
export type FrontsPlot = Pick<FrontPlot, 'title' | 'subtitle' | 'objectives' | 'trueFront' | 'reference'> & {
  readonly fronts: readonly NamedFront[];
};

type Mark = (x: number, y: number, radius: number, attributes: Attributes) => string;

/** Colours and marks have lengths without a common divisor, so that as many looks differ as both have combinations. */
const MARKS: readonly Mark[] = [
  circle,
  polygon([-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]),
  polygon([0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]),
  polygon([0, -1.25], [1.15, 0.85], [-1.15, 0.85]),
];

interface Group {
  readonly name: string;
  readonly fronts: readonly NamedFront[];
  readonly colour: string;
  readonly mark: Mark;
}

/** Several fronts in one picture, as SVG: each with a colour and a mark of its own, and the outline of what it dominates. */
export function frontsPlot(plot: FrontsPlot): string {
  const { objectives, fronts, trueFront = [], reference } = plot;
  if (objectives.length !== 2) {
    throw new RangeError(`objectives has length ${objectives.length}, but must name 2.`);
  }
  const per = 'one per objective';
  for (const [i, { points }] of fronts.entries()) checkRows(`fronts[${i}].points`, points, 2, per);
  checkRows('trueFront', trueFront, 2, per);
  if (reference !== undefined) checkRow('reference', reference, 2, per);

  const groups = groupByName(fronts);
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
    ...groups.flatMap(({ fronts: own, colour }) =>
      own.map((front) =>
        front.points.length < 2 ? '' : element('path', { d: polyline(outlineOf(front.points)), ...line(colour) }),
      ),
    ),
    ...groups.flatMap(({ fronts: own, colour, mark }) =>
      own.flatMap((front) => front.points.map((point) => mark(x(point[0]), y(point[1]), radius, filled(colour)))),
    ),
    points.length === 0 ? notice(scatter.area, 'no points') : '',
  ]);
}

function groupByName(fronts: readonly NamedFront[]): Group[] {
  const names = [...new Set(fronts.map(({ name }) => name))];
  return names.map((name, i) => ({
    name,
    fronts: fronts.filter((front) => front.name === name),
    colour: PALETTE[i % PALETTE.length],
    mark: MARKS[i % MARKS.length],
  }));
}

function entryOf({ name, fronts, colour, mark }: Group): LegendEntry {
  return {
    name: fronts.length === 1 ? `${name} (${fronts[0].points.length})` : `${name} (${fronts.length} fronts)`,
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
