/** What pictures of two objectives have in common. */
import { axes, heading, labelRoom, picture, type Area, type LegendEntry } from './frame.js';
import type { FrontPlot, Point } from './front.js';
import { drawable, extent, formatNumber, linear, ticks, ticksAcross, widen, type Domain } from './scale.js';
import { circle, element, polyline, segment } from './svg.js';
import { AXIS_END, HEIGHT, INK, MUTED, SIZE, WIDTH } from './theme.js';

/** A true front of more points shows as a line alone: rings that overlap hide it. */
const MOST_RINGS = 200;

/** A scatter that is laid out, and still empty. */
export interface Scatter {
  readonly area: Area;
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
  readonly axes: string;
  /** The lower left end of what is dominated above the reference, as far as it is in the picture. */
  readonly corner: readonly [x: number, y: number] | undefined;
  readonly isReferenceShown: boolean;
  /** The whole picture around its content. */
  draw(content: readonly string[]): string;
}

export type ScatterOptions = Pick<FrontPlot, 'title' | 'subtitle' | 'objectives' | 'reference'> & {
  /** Everything that must find room. */
  readonly all: readonly Point[];
  readonly legend: (isReferenceShown: boolean) => readonly LegendEntry[];
};

export function scatterOf({ title, subtitle, objectives, reference, all, legend }: ScatterOptions): Scatter {
  const horizontal = axis(all, reference, 0);
  const vertical = axis(all, reference, 1);
  const isReferenceShown = reference !== undefined && horizontal.holdsReference && vertical.holdsReference;

  const yTicks = ticks(vertical.domain, 6);
  const head = heading(WIDTH, title, subtitle, legend(isReferenceShown));
  const area: Area = {
    left: labelRoom(yTicks),
    top: head.bottom + 44,
    right: AXIS_END,
    bottom: head.bottom + HEIGHT - 146,
  };
  const xTicks = ticksAcross(horizontal.domain, area.right - area.left, SIZE.tick);
  const x = linear(horizontal.domain, [area.left, area.right]);
  const y = linear(vertical.domain, [area.bottom, area.top]);
  return {
    area,
    x,
    y,
    axes: axes(area, { xTicks, yTicks, x, y, xName: objectives[0], yName: objectives[1] }),
    corner: reference && [Math.max(reference[0], horizontal.domain[0]), Math.max(reference[1], vertical.domain[0])],
    isReferenceShown,
    draw: (content) => picture(WIDTH, area.bottom + 58, title, [head.svg, ...content]),
  };
}

/** The reference is shown unless that would squeeze everything else into less than a quarter of the axis. */
function axis(points: readonly Point[], reference: Point | undefined, k: number) {
  const data = extent(points.map((point) => point[k]));
  let range = drawable(data);
  let holdsReference = false;
  if (reference !== undefined) {
    const wider = drawable(extent([...(data ?? []), reference[k]]));
    holdsReference = data === undefined || data[0] === data[1] || wider[1] - wider[0] <= 4 * (range[1] - range[0]);
    if (holdsReference) range = wider;
  }
  const domain: Domain = widen(range, 0.05, 0.05);
  return { domain, holdsReference };
}

/**
 * The outline of what the points dominate above the reference, from its upper left to its lower right end. Without a
 * reference it ends at the outermost points.
 */
export function staircase(
  points: readonly Point[],
  reference: Point | undefined,
  corner: readonly [x: number, y: number] | undefined,
): (readonly [x: number, y: number])[] {
  const descending = points
    .filter((point) => reference === undefined || (point[0] > reference[0] && point[1] > reference[1]))
    .map((point) => [point[0], point[1]] as const)
    .sort((a, b) => b[0] - a[0] || b[1] - a[1]);
  const steps: (readonly [number, number])[] = [];
  for (const point of descending) {
    const last = steps.at(-1);
    if (last === undefined) {
      if (corner !== undefined) steps.push([point[0], corner[1]]);
    } else if (point[1] <= last[1]) {
      continue;
    } else {
      steps.push([point[0], last[1]]);
    }
    steps.push(point);
  }
  const highest = steps.at(-1);
  if (corner !== undefined && highest !== undefined) steps.push([corner[0], highest[1]]);
  return steps.reverse();
}

/** The true front, from one staircase in pixels and its points. */
export function trueFrontOf(
  outline: readonly (readonly [x: number, y: number])[],
  trueFront: readonly Point[],
  { x, y }: Scatter,
): string[] {
  const ring = dotRadius(trueFront.length) + 1.25;
  return [
    trueFront.length > 1
      ? element('path', { d: polyline(outline), fill: 'none', stroke: MUTED, 'stroke-width': 1.25 })
      : '',
    ...(trueFront.length > MOST_RINGS ? [] : trueFront.map((point) => hollow(x(point[0]), y(point[1]), ring))),
  ];
}

export function trueFrontEntries(trueFront: readonly Point[]): LegendEntry[] {
  if (trueFront.length === 0) return [];
  return [
    {
      name: `true front (${trueFront.length})`,
      width: 24,
      sample: (x, y) =>
        segment(x, y, x + 24, y, { stroke: MUTED, 'stroke-width': 1.25 }) +
        (trueFront.length > MOST_RINGS ? '' : hollow(x + 12, y, 4.5)),
    },
  ];
}

export function referenceEntries(reference: Point | undefined, isShown: boolean): LegendEntry[] {
  if (reference === undefined) return [];
  const name = `reference (${formatNumber(reference[0])}, ${formatNumber(reference[1])})`;
  return isShown
    ? [{ name, width: 10, sample: (x, y) => cross(x + 5, y) }]
    : [{ name: `${name}, outside the picture`, width: 0, sample: () => '' }];
}

export function dotRadius(count: number): number {
  return count <= 60 ? 4 : count <= 250 ? 3.25 : 2.25;
}

export function cross(x: number, y: number): string {
  const stroke = { stroke: INK.text, 'stroke-width': 1.5 };
  return segment(x - 4, y, x + 4, y, stroke) + segment(x, y - 4, x, y + 4, stroke);
}

function hollow(x: number, y: number, radius: number): string {
  return circle(x, y, radius, { fill: '#ffffff', stroke: MUTED });
}
