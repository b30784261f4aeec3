import { axes, heading, labelRoom, notice, picture, type Area, type LegendEntry } from './frame.js';
import type { FrontPlot, Point } from './front.js';
import { drawable, extent, formatNumber, gradient, linear, ticks, ticksAcross, widen, type Domain } from './scale.js';
import { circle, element, polyline, segment } from './svg.js';
import { AXIS_END, HEIGHT, INK, MUTED, MUTED_FILL, PALETTE, SEQUENTIAL, SIZE, WIDTH } from './theme.js';

const ACHIEVED = PALETTE[0];
const ACHIEVED_FILL = '#dcebf5';
/** A true front of more points shows as a line alone: rings that overlap hide it. */
const MOST_RINGS = 200;

/** Two objectives: points, the true front as a staircase under them, and what each dominates above the reference. */
export function frontScatter(plot: FrontPlot): string {
  const { title, subtitle, objectives, points, trueFront = [], reference, preferences } = plot;
  const all = [...points, ...trueFront];
  const horizontal = axis(all, reference, 0);
  const vertical = axis(all, reference, 1);
  const shown = reference !== undefined && horizontal.holdsReference && vertical.holdsReference;

  const yTicks = ticks(vertical.domain, 6);
  const head = heading(WIDTH, title, subtitle, legend(plot, shown));
  const area: Area = {
    left: labelRoom(yTicks),
    top: head.bottom + 44,
    right: AXIS_END,
    bottom: head.bottom + HEIGHT - 146,
  };
  const xTicks = ticksAcross(horizontal.domain, area.right - area.left, SIZE.tick);
  const x = linear(horizontal.domain, [area.left, area.right]);
  const y = linear(vertical.domain, [area.bottom, area.top]);

  const corner =
    reference && ([Math.max(reference[0], horizontal.domain[0]), Math.max(reference[1], vertical.domain[0])] as const);
  const stairs = (front: readonly Point[]) =>
    staircase(front, reference, corner).map(([a, b]) => [x(a), y(b)] as const);
  const dominated = (front: readonly Point[], fill: string) => {
    const outline = stairs(front);
    if (corner === undefined || outline.length === 0) return '';
    return element('path', { d: `${polyline([...outline, [x(corner[0]), y(corner[1])]])}Z`, fill });
  };

  const colour = gradient(SEQUENTIAL);
  const radius = dotRadius(points.length);
  const ring = dotRadius(trueFront.length) + 1.25;
  return picture(WIDTH, area.bottom + 58, title, [
    head.svg,
    dominated(trueFront, MUTED_FILL),
    dominated(points, ACHIEVED_FILL),
    axes(area, { xTicks, yTicks, x, y, xName: objectives[0], yName: objectives[1] }),
    trueFront.length > 1
      ? element('path', { d: polyline(stairs(trueFront)), fill: 'none', stroke: MUTED, 'stroke-width': 1.25 })
      : '',
    ...(trueFront.length > MOST_RINGS ? [] : trueFront.map((point) => hollow(x(point[0]), y(point[1]), ring))),
    shown ? cross(x(reference[0]), y(reference[1])) : '',
    ...points.map((point, i) =>
      circle(x(point[0]), y(point[1]), radius, {
        fill: preferences === undefined ? ACHIEVED : colour(preferences[i][0]),
        stroke: '#ffffff',
        'stroke-width': 0.75,
      }),
    ),
    points.length === 0 ? notice(area, 'no points') : '',
  ]);
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

function legend({ objectives, points, trueFront = [], reference, preferences }: FrontPlot, shown: boolean) {
  const entries: LegendEntry[] = [];
  const colour = gradient(SEQUENTIAL);
  if (preferences === undefined) {
    entries.push({
      name: `achieved (${points.length})`,
      width: 10,
      sample: (x, y) => circle(x + 5, y, 4.5, { fill: ACHIEVED }),
    });
  } else {
    entries.push({
      name: `achieved (${points.length}), by weight of ${objectives[0]}: 0 to 1`,
      width: 58,
      sample: (x, y) =>
        [0, 0.25, 0.5, 0.75, 1].map((w, i) => circle(x + 5 + 12 * i, y, 4.5, { fill: colour(w) })).join(''),
    });
  }
  if (trueFront.length > 0) {
    entries.push({
      name: `true front (${trueFront.length})`,
      width: 24,
      sample: (x, y) =>
        segment(x, y, x + 24, y, { stroke: MUTED, 'stroke-width': 1.25 }) +
        (trueFront.length > MOST_RINGS ? '' : hollow(x + 12, y, 4.5)),
    });
  }
  if (reference !== undefined) {
    const at = `reference (${formatNumber(reference[0])}, ${formatNumber(reference[1])})`;
    if (shown) entries.push({ name: at, width: 10, sample: (x, y) => cross(x + 5, y) });
    else entries.push({ name: `${at}, outside the picture`, width: 0, sample: () => '' });
  }
  return entries;
}

function dotRadius(count: number): number {
  return count <= 60 ? 4 : count <= 250 ? 3.25 : 2.25;
}

function hollow(x: number, y: number, radius: number): string {
  return circle(x, y, radius, { fill: '#ffffff', stroke: MUTED });
}

function cross(x: number, y: number): string {
  const stroke = { stroke: INK.text, 'stroke-width': 1.5 };
  return segment(x - 4, y, x + 4, y, stroke) + segment(x, y - 4, x, y + 4, stroke);
}
