import { heading, notice, picture, type Area, type LegendEntry } from './frame.js';
import type { FrontPlot } from './front.js';
import { drawable, extent, formatNumber, gradient, linear } from './scale.js';
import { element, label, polyline, segment } from './svg.js';
import { wrap } from './text-width.js';
import { HEIGHT, INK, MARGIN, MUTED, PALETTE, SEQUENTIAL, SIZE, WIDTH } from './theme.js';

/** Narrower than this, neighbouring names would run into each other. */
const AXIS_DISTANCE = 84;
const LINE_HEIGHT = 15;
const GRADIENT_ID = 'first-objective';

/**
 * Three objectives or more: an axis each, a line for every point. The axes say what the colours mean: the first one
 * carries the scale of its objective, or, where preferences are known, each has the colour of the lines whose largest
 * weight it has.
 */
export function frontLines(plot: FrontPlot): string {
  const { title, subtitle, objectives, points, trueFront = [], preferences } = plot;
  const count = objectives.length;
  const side = MARGIN + 30;
  const width = Math.max(WIDTH, 2 * side + AXIS_DISTANCE * (count - 1));
  const distance = (width - 2 * side) / (count - 1);

  const names = objectives.map((name) => wrap(name, SIZE.label, Math.min(distance, 2 * side) - 8));
  const nameLines = Math.max(1, ...names.map((lines) => lines.length));
  const head = heading(width, title, subtitle, legend(plot));
  const top = head.bottom + 48 + nameLines * LINE_HEIGHT;
  const area: Area = { left: side, top, right: width - side, bottom: top + HEIGHT - 190 };
  const x = (k: number) => area.left + k * distance;
  const domains = objectives.map((_, k) => drawable(extent([...points, ...trueFront].map((point) => point[k]))));
  const scales = domains.map((domain) => linear(domain, [area.bottom, area.top]));
  const line = (point: ArrayLike<number>) => polyline(scales.map((y, k) => [x(k), y(point[k])] as const));

  const share = linear(domains[0], [0, 1]);
  const sequential = gradient(SEQUENTIAL);
  const colour = (i: number) =>
    preferences === undefined ? sequential(share(points[i][0])) : objectiveColour(heaviest(preferences[i]));
  const opacity = points.length <= 100 ? 0.8 : 0.45;

  return picture(width, area.bottom + 44, title, [
    head.svg,
    preferences === undefined ? scaleOfColours() : '',
    element(
      'g',
      { fill: 'none', stroke: MUTED, 'stroke-width': 0.75, 'stroke-opacity': 0.7 },
      trueFront.map((point) => element('path', { d: line(point) })),
    ),
    element(
      'g',
      { fill: 'none', 'stroke-width': 1.5, 'stroke-opacity': opacity, 'stroke-linejoin': 'round' },
      points.map((point, i) => element('path', { d: line(point), stroke: colour(i) })),
    ),
    ...names.map((lines, k) => {
      const fill = preferences !== undefined ? objectiveColour(k) : k === 0 ? `url(#${GRADIENT_ID})` : undefined;
      const [low, high] = domains[k];
      const resolution = (high - low) / 100;
      const value = { 'text-anchor': 'middle', 'font-size': SIZE.tick, fill: INK.faint };
      return [
        fill === undefined
          ? segment(x(k), area.top, x(k), area.bottom, { stroke: INK.text, 'stroke-width': 1 })
          : element('rect', { x: x(k) - 2, y: area.top, width: 4, height: area.bottom - area.top, fill }),
        ...lines.map((line, i) => {
          const above = (lines.length - 1 - i) * LINE_HEIGHT;
          return label(x(k), area.top - 28 - above, line, { 'text-anchor': 'middle', 'font-weight': 600 });
        }),
        label(x(k), area.top - 10, formatNumber(high, resolution), value),
        label(x(k), area.bottom + 18, formatNumber(low, resolution), value),
      ].join('');
    }),
    points.length === 0 ? notice({ ...area, right: x(1) }, 'no points') : '',
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
  const entries: LegendEntry[] = [{ name: `achieved (${points.length}), coloured by ${by}`, width: 30, sample }];
  if (trueFront.length > 0) {
    entries.push({
      name: `true front (${trueFront.length})`,
      width: 24,
      sample: (x, y) => segment(x, y, x + 24, y, { stroke: MUTED }),
    });
  }
  return entries;
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
