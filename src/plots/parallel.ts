/** What pictures of three objectives or more have in common: parallel coordinates, an axis for each objective. */
import { heading, picture, type Area, type LegendEntry } from './frame.js';
import type { FrontPlot, Point } from './front.js';
import { drawable, extent, formatNumber, linear, type Domain } from './scale.js';
import { element, label, polyline, segment } from './svg.js';
import { wrap } from './text-width.js';
import { HEIGHT, INK, MARGIN, MUTED, SIZE, WIDTH } from './theme.js';

/** Narrower than this, neighbouring names would run into each other. */
const AXIS_DISTANCE = 84;
const LINE_HEIGHT = 15;

/** Parallel coordinates that are laid out, and still empty. */
export interface Parallel {
  /** From the first axis to the second. */
  readonly first: Area;
  readonly domains: readonly Domain[];
  /** The `d` of the path that a point is. */
  line(point: Point): string;
  /** @param fillOf a colour for the axis of an objective, which is then drawn broader */
  axes(fillOf?: (objective: number) => string | undefined): string;
  /** The whole picture around its content. */
  draw(content: readonly string[]): string;
}

export type ParallelOptions = Pick<FrontPlot, 'title' | 'subtitle' | 'objectives'> & {
  /** Everything that must find room. */
  readonly all: readonly Point[];
  readonly legend: readonly LegendEntry[];
};

export function parallelOf({ title, subtitle, objectives, all, legend }: ParallelOptions): Parallel {
  const count = objectives.length;
  const side = MARGIN + 30;
  const width = Math.max(WIDTH, 2 * side + AXIS_DISTANCE * (count - 1));
  const distance = (width - 2 * side) / (count - 1);

  const names = objectives.map((name) => wrap(name, SIZE.label, Math.min(distance, 2 * side) - 8));
  const nameLines = Math.max(1, ...names.map((lines) => lines.length));
  const head = heading(width, title, subtitle, legend);
  const top = head.bottom + 48 + nameLines * LINE_HEIGHT;
  const bottom = top + HEIGHT - 190;
  const x = (k: number) => side + k * distance;
  const domains = objectives.map((_, k) => drawable(extent(all.map((point) => point[k]))));
  const scales = domains.map((domain) => linear(domain, [bottom, top]));
  const value = { 'text-anchor': 'middle', 'font-size': SIZE.tick, fill: INK.faint };

  return {
    first: { left: x(0), top, right: x(1), bottom },
    domains,
    line: (point) => polyline(scales.map((y, k) => [x(k), y(point[k])] as const)),
    axes: (fillOf) =>
      names
        .map((lines, k) => {
          const fill = fillOf?.(k);
          const [low, high] = domains[k];
          const resolution = (high - low) / 100;
          return [
            fill === undefined
              ? segment(x(k), top, x(k), bottom, { stroke: INK.text, 'stroke-width': 1 })
              : element('rect', { x: x(k) - 2, y: top, width: 4, height: bottom - top, fill }),
            ...lines.map((line, i) => {
              const above = (lines.length - 1 - i) * LINE_HEIGHT;
              return label(x(k), top - 28 - above, line, { 'text-anchor': 'middle', 'font-weight': 600 });
            }),
            label(x(k), top - 10, formatNumber(high, resolution), value),
            label(x(k), bottom + 18, formatNumber(low, resolution), value),
          ].join('');
        })
        .join(''),
    draw: (content) => picture(width, bottom + 44, title, [head.svg, ...content]),
  };
}

/** The true front, under everything else. */
export function trueFrontLines(trueFront: readonly Point[], parallel: Parallel): string {
  return element(
    'g',
    { fill: 'none', stroke: MUTED, 'stroke-width': 0.75, 'stroke-opacity': 0.7 },
    trueFront.map((point) => element('path', { d: parallel.line(point) })),
  );
}

export function trueFrontLineEntries(trueFront: readonly Point[]): LegendEntry[] {
  if (trueFront.length === 0) return [];
  const sample = (x: number, y: number) => segment(x, y, x + 24, y, { stroke: MUTED });
  return [{ name: `true front (${trueFront.length})`, width: 24, sample }];
}

/** So many lines over each other have to let others through. */
export function lineOpacity(count: number): number {
  return count <= 100 ? 0.8 : 0.45;
}
